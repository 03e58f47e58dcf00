package ingest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// An Aside is a file, or a part of one, that was left aside by rule although a user may have meant it otherwise: a text file in a folder
// of pictures, the boxes of a picture that was not given. What the class or its synsets rule out is only counted: that would list all of ImageNet.
type Aside struct{ Code, Name string }

func sortAside(a []Aside) {
	for i := range a {
		a[i].Name = printable(a[i].Name)
	}
	slices.SortFunc(a, func(a, b Aside) int { return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Name, b.Name)) })
}

// aside counts and names what is left aside.
func (l *lister) aside(code, name string) {
	l.other[code]++
	l.named = append(l.named, Aside{code, name})
}

// lost lists what cannot be used without its counterpart, a mask or a box without a picture: no picture is dropped, but work is.
func (l *lister) lost(record, reason, detail string) {
	l.skips = append(l.skips, manifests.Skip{Record: record, Reason: reason, Detail: detail})
}

// stray judges a file among pictures whose name is not that of a picture, by its first bytes: whether it is one all the same. If not, the file is
// left aside, and refused under the id that it would have had where it is a picture of a format that is not read.
func (l *lister) stray(e entry, id string) (picture bool) {
	head := e
	head.size = min(e.size, 512)
	data, err := head.read(512)
	if err != nil {
		l.add(task{id: id}, readReason(err), e.origin+": "+err.Error())
		return false
	}
	if raster.Sniff(data) != "" {
		return true
	}
	what := raster.ForeignPicture(data)
	if what == "PDF" { // under its own name it is a document
		what = ""
	}
	if ext := path.Ext(e.name); what == "" && slices.Contains(foreignExtensions, strings.ToLower(ext)) {
		what = ext
	}
	if what == "" {
		l.aside("other_file", e.origin)
		return false
	}
	l.add(task{id: id}, "unsupported_picture", fmt.Sprintf("%s: got a picture in the format %s, want JPEG, PNG, GIF, BMP or WebP", e.origin, what))
	return false
}

// foreignExtensions are those of formats that have no common first bytes.
var foreignExtensions = []string{".tif", ".tiff", ".heic", ".heif", ".avif", ".jp2", ".jxl", ".psd", ".svg", ".tga", ".exr", ".hdr", ".dng", ".cr2", ".nef", ".arw", ".raw", ".ico", ".ppm", ".pgm"}

// stem is a file's name without what follows the last dot.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

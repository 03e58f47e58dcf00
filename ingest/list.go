package ingest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A lister collects the tasks of all sources, in the order of the request and of the archives, so
// that files are read in the order in which they lie on the disk.
type lister struct {
	ctx      context.Context
	progress Progress // told of archives that are unpacked; nil for none
	opts     Options
	class    manifests.Class
	stated   bool              // see Request.Numbered
	synsets  map[string]string // the class's, by themselves, so that records share them
	store    *manifests.Store  // for what has to be unpacked; nil for the system's temporary folder
	spooled  []func()          // remove what was unpacked
	room     room              // of all walks
	boxes    map[string]*boxEntry
	// the rule of ImageNet's boxes: relative to the size that the annotator saw, drag direction undone
	imageNet format.BoxRule
	fromZero []string // ids of the box files that may show that their set counts from 0
	tasks    []*task  // each is freed when it has run
	skips    []manifests.Skip
	Result   // what is known of it so far; Read counts the pictures that did not become tasks

	from    string // the source that is listed, as --folder PATH
	exports *exports
	// of the source that is listed; nil if it is no export of ours
	exported map[string]manifests.Split
	// the HDSeg mask that a picture of another source has got, by id
	attached map[string]string
}

func newLister(ctx context.Context, req *Request, store *manifests.Store) *lister {
	l := &lister{
		ctx: ctx, store: store, opts: req.Options, class: req.Class, stated: req.Numbered, imageNet: format.BoxRule{Swap: true, Scale: true},
		synsets: map[string]string{}, boxes: map[string]*boxEntry{}, Result: Result{Other: map[string]int{}, Warnings: map[string]int{}},
		attached: map[string]string{}, exports: &exports{},
	}
	for _, s := range req.Class.Synsets {
		l.synsets[s] = s
	}
	return l
}

// close removes what had to be unpacked.
func (l *lister) close() {
	for _, remove := range l.spooled {
		remove()
	}
}

// drop refuses a picture that was offered.
func (l *lister) drop(id, reason, detail string) {
	l.Read++
	l.Dropped++
	l.lost(id, reason, detail)
}

// walk visits the files of a tree. Of the members that it refuses for what they are (links, names
// that leave the archive or come twice), those that picture tells by their path count as pictures:
// not masks, whose picture is there.
func (l *lister) walk(root string, picture func(name string) bool, visit func(entry) error) error {
	store := ""
	if l.store != nil {
		store, _ = realPath(l.store.Dir()) // OpenStore made it; "" leaves nothing out
	}
	w := &walker{
		ctx: l.ctx, store: store, visit: visit, lax: l.opts.AllowTruncated, progress: l.progress, aside: l.aside, spool: l.spool,
		room: &l.room,
		fault: func(origin, reason, detail string) {
			if archiveFault(reason) || pictureName(origin) && picture(strings.ReplaceAll(origin, "!", "/")) {
				l.drop(origin, reason, detail)
			} else {
				l.lost(origin, reason, detail)
			}
		},
	}
	return w.walk(root)
}

// spool makes a temporary file that lives until close. In a store it is locked: another process
// that opens the store leaves it alone.
func (l *lister) spool() (f *os.File, err error) {
	release := func() {}
	if l.store != nil {
		f, release, err = l.store.CreateTemp()
	} else {
		f, err = os.CreateTemp("", "*.tar")
	}
	if err == nil {
		l.spooled = append(l.spooled, func() { os.Remove(f.Name()); release() })
	}
	return f, err
}

// archiveFault tells whether a fault is that of an archive. How much is missing is not known, so it
// counts as one picture dropped.
func archiveFault(reason string) bool {
	return reason == "truncated_archive" || reason == "data_after_end" || reason == "unsupported_archive"
}

// list walks every source of a request.
func (l *lister) list(req *Request) error {
	read := map[string]func(root string) error{
		"boxes": l.listBoxes, "voc": l.listVOC, "imagenet": l.listImageNet, "stanford": l.listStanford, "segments": l.listSegments,
		"folder": func(root string) error { return l.listFolder(root, manifests.Train) },
		"test":   func(root string) error { return l.listFolder(root, manifests.Test) },
		"hdseg":  l.listHDSeg,
	}
	for _, s := range req.sources() {
		for i, root := range s.paths {
			l.from = "--" + s.flag + " " + root
			l.exported = l.exports.splits[root]
			var err error
			if s.flag == "coco" {
				err = l.listCOCO(req.COCO[i])
			} else {
				err = read[s.flag](root)
			}
			if err != nil {
				return err
			}
		}
	}
	l.settleBoxes()
	l.refuseIDs()
	return nil
}

// refuseIDs keeps the first task of every id in a split, if the id can be a file name.
func (l *lister) refuseIDs() {
	type key struct {
		split manifests.Split
		id    string
	}
	first := map[key]string{}
	kept := l.tasks[:0]
	for _, t := range l.tasks {
		if err := checkID(t.id); err != nil {
			l.drop(t.id, "bad_name", t.image.origin+": "+err.Error())
			continue
		}
		k := key{t.split, t.id}
		if old, ok := first[k]; ok {
			l.drop(t.id, "duplicate_id", fmt.Sprintf("%s: %s has this id and is kept", t.image.origin, old))
			continue
		}
		first[k] = t.image.origin
		kept = append(kept, t)
	}
	l.tasks = kept
}

// An Aside is a file, or a part of one, that was left aside by rule although a user may have meant
// it otherwise: a text file in a folder of pictures, the boxes of a picture that was not given.
// What the class or its synsets rule out is only counted: that would list all of ImageNet.
type Aside struct{ Code, Name string }

func sortAside(a []Aside) {
	for i := range a {
		a[i].Name = printable(a[i].Name)
	}
	slices.SortFunc(a, func(a, b Aside) int { return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Name, b.Name)) })
}

// aside counts and names what is left aside.
func (l *lister) aside(code, name string) {
	l.Other[code]++
	l.Aside = append(l.Aside, Aside{code, name})
}

// lost lists what cannot be used without its counterpart, a mask or a box without a picture: no
// picture is dropped, but work is.
func (l *lister) lost(record, reason, detail string) {
	l.skips = append(l.skips, manifests.Skip{Record: record, Reason: reason, Detail: detail})
}

// stray judges a file among pictures whose name is not that of a picture, by its first bytes:
// whether it is one all the same. If not, the file is left aside, and refused under the id that it
// would have had where it is a picture of a format that is not read.
func (l *lister) stray(e entry, id string) (picture bool) {
	picture, what, err := foreign(e)
	switch {
	case err != nil:
		l.drop(id, limitReason(err, "unreadable_image"), e.origin+": "+err.Error())
	case !picture && what == "":
		l.aside("other_file", e.origin)
	case !picture:
		l.drop(id, "unsupported_picture", fmt.Sprintf("%s: got a picture in the format %s, want JPEG, PNG, GIF, "+
			"BMP or WebP", e.origin, what))
	}
	return picture
}

// foreign tells by a file's first bytes whether it is a picture, and if not the format of pictures
// that it is in all the same, "" for none.
func foreign(e entry) (picture bool, what string, err error) {
	data, err := e.head(512)
	if err != nil || raster.Sniff(data) != "" {
		return err == nil, "", err
	}
	what = raster.ForeignPicture(data)
	if what == "PDF" { // under its own name it is a document
		what = ""
	}
	if ext := path.Ext(e.name); what == "" && slices.Contains(foreignExtensions, strings.ToLower(ext)) {
		what = ext
	}
	return false, what, nil
}

// foreignExtensions are those of formats that have no common first bytes.
var foreignExtensions = []string{".tif", ".tiff", ".heic", ".heif", ".avif", ".jp2", ".jxl", ".psd", ".svg", ".tga",
	".exr", ".hdr", ".dng", ".cr2", ".nef", ".arw", ".raw", ".ico", ".ppm", ".pgm"}

// stem is a file's name without what follows the last dot.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

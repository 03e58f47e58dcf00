// Package exchange carries masks to the tools that people draw with elsewhere, and back: labelme,
// COCO instances, CVAT's segmentation masks, and plain PNG files.
package exchange

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// The formats.
const (
	PNG     = "png"     // ID.png for each picture: 8-bit grey, 0 ground, 255 figure, 128 void
	Labelme = "labelme" // ID.json for each picture
	COCO    = "coco"    // one instances file
	CVAT    = "cvat"    // a zip of "Segmentation mask 1.1"
)

// Formats lists them.
var Formats = []string{PNG, Labelme, COCO, CVAT}

// VoidLabel is the label of pixels that are neither figure nor ground for sure.
const VoidLabel = "void"

// maxFile bounds what is read of one file, in bytes; larger files are refused.
const maxFile = 256 << 20

// ErrBlank is the error of an empty mask that export wrote for a picture without a mask, and that
// came back so.
var ErrBlank = errors.New("the picture had no mask and has none")

// Partial is the error of a mask whose other shapes are good: what could not be read costs itself.
type Partial struct{ Bad []error }

func (p *Partial) Error() string { return errors.Join(p.Bad...).Error() }

// A Drawn is one mask that a file or archive holds.
type Drawn struct {
	Name string // of the picture, without extension: a record's id, or its Key
	File string // where it stands, within the path that was opened
	Err  error  // not nil for what belongs to no picture: it has no mask

	// Mask decodes it for a picture of the given size; nothing larger is unpacked. input is the
	// digest of the file read. With ErrBlank or a *Partial there is a mask too.
	Mask func(width, height int) (m *raster.Mask, input manifests.Digest, err error)
}

// An Item is a picture to draw on, and the mask to begin with.
type Item struct {
	Record *manifests.Record
	Image  *raster.RGB
	Mask   *raster.Mask // nil for none
}

// Name is the name of a record's files, without extension.
func Name(r *manifests.Record) string { return campaign.Key(r.ID) }

// Options say what the labels of a file mean.
type Options struct {
	Class string // the label that is figure
	// labels that are neither the class nor void are ground; else they are errors
	OthersGround bool
	Record       func(name string) (n int, ok bool) // number of the record that a name means
}

// other is the error of a label that is neither the class nor one that the format knows, nil if
// such labels are ground. One that may be a spelling of the class never is.
func (o *Options) other(label, known string) error {
	switch {
	case format.Near(label, o.Class):
		return fmt.Errorf("got label %q, which may be meant for %s: write it so", label, o.Class)
	case !o.OthersGround:
		return fmt.Errorf("got label %q, want %s: --others-ground takes other labels for ground", label, known)
	}
	return nil
}

// renamed adds to the error of labels without the class which one may be meant for it.
func renamed(err error, class string) error {
	if n := new(format.NoClass); errors.As(err, &n) && n.Near != "" {
		return fmt.Errorf("%w: if %q is meant, write %s for it", err, n.Near, class)
	}
	return err
}

// known tells whether a name means a record.
func (o *Options) known(name string) bool {
	_, ok := o.Record(name)
	return ok
}

// Open lists the masks at a path, which is a folder, a zip archive, or a file: PNG and labelme
// files in any of its folders, COCO's instances, a task of CVAT. Archives are read in one another.
// What export made is read back.
func Open(kind, from string, o Options) ([]Drawn, error) {
	s, err := openSource(from)
	if err != nil {
		return nil, err
	}
	out, err := s.open(kind, o)
	for i := range out {
		if d := &out[i]; d.Err == nil && !o.known(d.Name) {
			d.Err = s.otherJSON(d.File, kind)
		}
	}
	for i := 0; len(out) == 0 && i < len(s.files) && (err == nil || errors.As(err, new(noMasks))); i++ {
		if fault := s.otherJSON(s.files[i].name, kind); fault != nil {
			return nil, s.in(s.files[i], fault)
		}
	}
	return out, err
}

// otherJSON is the error of a file that is another tool's, if it is one.
func (s *source) otherJSON(name, kind string) error {
	i := slices.IndexFunc(s.files, func(f file) bool { return f.name == name })
	if i < 0 || s.files[i].err != nil || !strings.EqualFold(path.Ext(name), ".json") {
		return nil
	}
	data, err := s.files[i].read(maxFile)
	if err != nil {
		return nil
	}
	return otherTool(data, kind, nil)
}

// otherTool is the error of JSON that is another tool's, else err.
func otherTool(data []byte, kind string, err error) error {
	if what := format.OtherJSON(data, kind); what != "" {
		return fmt.Errorf("got %s", what)
	}
	return err
}

// masks lists the masks of a source without the archives in it.
func (s *source) masks(kind string, o Options) ([]Drawn, error) {
	switch kind {
	case PNG:
		return s.each(".png", s.maskNames(o), decodePNG), nil
	case Labelme:
		return s.each(".json", func(name string) (string, bool) { return name, true },
			func(data []byte, name string, width, height int) (*raster.Mask, error) {
				return readLabelme(data, name, o, width, height)
			}), nil
	case COCO:
		return s.coco(o)
	}
	return s.cvat(o)
}

// each lists the files with an extension, in small or capital letters. Each is read when its mask
// is asked for; what cannot be read is listed with its fault. named gives the picture's name of a
// file's, both without extension, and whether it is a mask.
func (s *source) each(ext string, named func(string) (string, bool),
	decode func(data []byte, name string, width, height int) (*raster.Mask, error)) (out []Drawn) {
	for _, f := range s.files {
		if !strings.EqualFold(path.Ext(f.name), ext) {
			continue
		}
		name, ok := named(strings.TrimSuffix(f.name, path.Ext(f.name)))
		if !ok {
			continue
		}
		d := Drawn{Name: name, File: f.name, Err: f.err}
		if f.err == nil {
			d.Mask = func(width, height int) (*raster.Mask, manifests.Digest, error) {
				data, err := f.read(maxFile)
				if err != nil {
					return nil, "", err
				}
				m, err := decode(data, name, width, height)
				return m, s.digestOf(data), err
			}
		}
		out = append(out, d)
	}
	return out
}

// has tells whether files lie in a folder of that name.
func (s *source) has(folder string) bool {
	return slices.ContainsFunc(s.files, func(f file) bool { return strings.Contains("/"+f.name, "/"+folder+"/") })
}

// maskNames tells masks from other pictures in a source of PNG files: those in a folder masks, if
// there is one beside a folder images, as export makes them, and of what segment wrote those that
// end in .mask.png. A record's own name comes first: a.mask.png is the record a.mask if there is
// one, unless a.mask.mask.png is there too.
func (s *source) maskNames(o Options) func(string) (string, bool) {
	exported := s.has("masks") && s.has("images")
	there := map[string]bool{}
	for _, f := range s.files {
		there[f.name] = true
	}
	return func(name string) (string, bool) {
		if exported {
			_, after, ok := strings.Cut("/"+name, "/masks/")
			return after, ok
		}
		own := !there[name+".mask.png"] && o.known(name)
		for _, other := range []string{".overlay", ".probability"} {
			if base, ok := strings.CutSuffix(name, other); ok && (!own || there[base+".mask.png"]) {
				return "", false
			}
		}
		if own {
			return name, true
		}
		return strings.TrimSuffix(name, ".mask"), true
	}
}

// decodePNG reads greys of 0, 128 and 255 and nothing else; see format.DecodeShades.
func decodePNG(data []byte, _ string, width, height int) (*raster.Mask, error) {
	if err := checkSize(data, width, height); err != nil {
		return nil, err
	}
	ix, err := format.DecodeShades(data, raster.Limits{MaxPixels: int64(width) * int64(height), MaxBytes: maxFile})
	if err != nil {
		return nil, err
	}
	m, err := ix.Binary(format.ValuesVoid128)
	if err != nil {
		err = fmt.Errorf("%w (0 is ground, 128 void, 255 figure): write the figure as 255", err)
	}
	return m, err
}

// checkSize refuses a picture of another size. What is none is for the decoder to name.
func checkSize(data []byte, width, height int) error {
	if w, h, err := raster.Size(data); err == nil && (w != width || h != height) {
		return fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", w, h, width, height)
	}
	return nil
}

// encodeGrey is the inverse of decodePNG.
func encodeGrey(m *raster.Mask) []byte {
	g, grey := newGray(m.Width, m.Height), [256]uint8{raster.Figure: 255, raster.Void: 128}
	for i, v := range m.Pix {
		g.Pix[i] = grey[v]
	}
	return raster.PNG(g)
}

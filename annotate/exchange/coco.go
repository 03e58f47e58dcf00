package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// coco reads instances files: annotations.json as export makes it, those whose names begin with
// instances, as COCO's own do beside captions and keypoints, or all .json files. Objects of
// the class are figure; those of the category void, and crowds of the class, are void where they
// are not figure. A picture without objects has an empty mask. Another category is an error of its
// picture, unless it is to be ground.
func (s *source) coco(o Options) ([]Drawn, error) {
	list := s.files
	if f, _ := s.find(called("annotations.json")); f != nil {
		list = []file{*f}
	} else if own := s.all(func(base string) bool { return strings.HasPrefix(base, "instances") && path.Ext(base) == ".json" }); len(own) > 0 {
		list = own
	}
	var out []Drawn
	for _, f := range list {
		if !strings.EqualFold(path.Ext(f.name), ".json") && len(list) > 1 {
			continue
		}
		data, err := f.read(maxFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		drawn, err := cocoMasks(data, path.Base(f.name), s.digestOf(data), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.path, f.name, err)
		}
		out = append(out, drawn...)
	}
	return out, nil
}

func cocoMasks(data []byte, file string, digest manifests.Digest, o Options) ([]Drawn, error) {
	var images []format.COCOImage
	names := map[format.COCOID]string{}
	var order []format.COCOID // pictures as annotations name them
	of := map[format.COCOID][]format.COCOAnnotation{}
	take := func(a format.COCOAnnotation) error {
		if of[a.Image] == nil {
			order = append(order, a.Image)
		}
		of[a.Image] = append(of[a.Image], a)
		return nil
	}
	var out []Drawn
	err := format.ReadCOCO(bytes.NewReader(data), format.COCOVisitor{
		Image:      func(im format.COCOImage) error { images = append(images, im); return nil },
		Category:   func(c format.COCOCategory) error { names[c.ID] = string(c.Name); return nil },
		Annotation: take,
		Bad: func(b format.COCOBad) error {
			if b.Kind == "annotation" && b.Annotation.Image != "" {
				return take(b.Annotation)
			}
			out = append(out, Drawn{Name: fmt.Sprintf("%s %s", b.Kind, b.ID), Err: b.Err})
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	known := map[format.COCOID]bool{}
	for _, im := range images {
		known[im.ID] = true
		name := format.CleanPath(string(im.File))
		d := Drawn{Name: strings.TrimSuffix(name, path.Ext(name))}
		if im.File == "" {
			d = Drawn{Name: "image " + string(im.ID), Err: errors.New("got no file_name")}
		}
		d.Mask = func(width, height int) (*raster.Mask, manifests.Digest, error) {
			m, err := cocoMask(of[im.ID], names, &im, o, width, height)
			if err != nil {
				err = fmt.Errorf("%s: %w", file, err)
			}
			return m, digest, err
		}
		out = append(out, d)
	}
	for _, id := range order {
		if !known[id] {
			out = append(out, Drawn{Name: fmt.Sprintf("image_id %v", id),
				Err: fmt.Errorf("%d annotations of an image that the file does not list", len(of[id]))})
		}
	}
	return out, nil
}

// cocoMask lays the annotations of one picture over one another.
func cocoMask(all []format.COCOAnnotation, names map[format.COCOID]string, im *format.COCOImage, o Options,
	width, height int) (*raster.Mask, error) {
	// some tools write no size, or -1
	if im.Width > 0 && im.Height > 0 && (int(im.Width) != width || int(im.Height) != height) {
		return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", im.Width, im.Height, width, height)
	}
	var list []format.COCOAnnotation
	for _, a := range all {
		switch name := names[a.Category]; {
		case name == o.Class:
		case format.IsVoid(name):
			a.Crowd = true
		case o.OthersGround:
			continue
		default:
			return nil, fmt.Errorf("annotation %s: got category %q, want %s or %s: --others-ground takes other categories for ground",
				a.ID, name, o.Class, VoidLabel)
		}
		list = append(list, a)
	}
	m, bad, err := format.COCOMask(list, height, width)
	if err == nil && len(bad) > 0 {
		err = bad[0]
	}
	return m, err
}

type cocoFile struct {
	Info        map[string]string `json:"info"`
	Licenses    []any             `json:"licenses"`
	Images      []cocoImage       `json:"images"`
	Annotations []cocoObject      `json:"annotations"`
	Categories  []cocoCategory    `json:"categories"`
}

type cocoImage struct {
	ID     int    `json:"id"`
	File   string `json:"file_name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type cocoCategory struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Super string `json:"supercategory"`
}

type cocoObject struct {
	ID       int     `json:"id"`
	Image    int     `json:"image_id"`
	Category int     `json:"category_id"`
	Area     int     `json:"area"`
	Box      [4]int  `json:"bbox"`
	Crowd    int     `json:"iscrowd"`
	Runs     cocoRLE `json:"segmentation"`
}

type cocoRLE struct {
	Size   [2]int `json:"size"`
	Counts string `json:"counts"`
}

func newCOCO(class string) *cocoFile {
	return &cocoFile{Info: map[string]string{"description": "masks for annotation"}, Licenses: []any{}, Images: []cocoImage{},
		Annotations: []cocoObject{},
		Categories:  []cocoCategory{{1, class, ""}, {2, VoidLabel, ""}}}
}

func (f *cocoFile) add(name string, it Item) {
	id := len(f.Images) + 1
	f.Images = append(f.Images, cocoImage{id, name + ".png", it.Image.Width, it.Image.Height})
	if it.Mask == nil {
		return
	}
	for k, v := range []uint8{raster.Figure, raster.Void} {
		r := format.RLEOf(it.Mask, v)
		if r.Area() == 0 {
			continue
		}
		x, y, w, h := r.Bounds()
		f.Annotations = append(f.Annotations, cocoObject{ID: len(f.Annotations) + 1, Image: id, Category: k + 1, Area: r.Area(),
			Box:   [4]int{x, y, w, h},
			Crowd: k, Runs: cocoRLE{[2]int{it.Image.Height, it.Image.Width}, r.String()}})
	}
}

func (f *cocoFile) encode() ([]byte, error) { return json.Marshal(f) }

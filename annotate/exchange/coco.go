package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// openCOCO reads an instances file. Objects of the class are figure; those of the category void,
// and crowds of the class, are void where they are not figure. A picture without objects has an
// empty mask. Another category is an error of its picture.
func openCOCO(file, class string) ([]Drawn, error) {
	data, err := readLimited(file)
	if err != nil {
		return nil, err
	}
	var images []format.COCOImage
	names := map[format.COCOID]string{}
	var order []format.COCOID // pictures as annotations name them
	of := map[format.COCOID][]format.COCOAnnotation{}
	err = format.ReadCOCO(bytes.NewReader(data), format.COCOVisitor{
		Image:    func(im format.COCOImage) error { images = append(images, im); return nil },
		Category: func(c format.COCOCategory) error { names[c.ID] = string(c.Name); return nil },
		Annotation: func(a format.COCOAnnotation) error {
			if of[a.Image] == nil {
				order = append(order, a.Image)
			}
			of[a.Image] = append(of[a.Image], a)
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	digest := manifests.Sum(data)
	var out []Drawn
	known := map[format.COCOID]bool{}
	for _, im := range images {
		known[im.ID] = true
		base := path.Base(strings.ReplaceAll(string(im.File), `\`, "/"))
		out = append(out, Drawn{Name: strings.TrimSuffix(base, path.Ext(base)),
			Mask: func(width, height int) (*raster.Mask, manifests.Digest, error) {
				if im.Width > 0 && im.Height > 0 && (int(im.Width) != width || int(im.Height) != height) {
					return nil, "", fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", im.Width, im.Height, width, height)
				}
				list := slices.Clone(of[im.ID])
				for i := range list {
					switch name := names[list[i].Category]; name {
					case class:
					case VoidLabel:
						list[i].Crowd = true
					default:
						return nil, "", fmt.Errorf("annotation %s: got category %q, want %s or %s", list[i].ID, name, class, VoidLabel)
					}
				}
				m, bad, err := format.COCOMask(list, height, width)
				if err == nil && len(bad) > 0 {
					err = bad[0]
				}
				return m, digest, err
			}})
	}
	for _, id := range order {
		if !known[id] {
			out = append(out, Drawn{Name: fmt.Sprintf("image_id %v", id),
				Err: fmt.Errorf("%d annotations of an image that the file does not list", len(of[id]))})
		}
	}
	return out, nil
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

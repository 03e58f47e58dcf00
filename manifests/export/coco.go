package export

import (
	"context"
	"encoding/json"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// coco writes SPLIT/ID.EXT and annotations/instances_SPLIT.json. The figure is one annotation, or
// one for its pixels in each box and one for those in none. Void is one with iscrowd 1, which
// COCO's evaluation ignores. Run lengths are exact and follow the stored pixels.
type coco struct{ *exporter }

type cocoImage struct {
	ID      int    `json:"id"`
	File    string `json:"file_name"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	License int    `json:"license"`
}

type cocoAnnotation struct {
	ID           int    `json:"id"`
	Image        int    `json:"image_id"`
	Category     int    `json:"category_id"`
	Crowd        int    `json:"iscrowd"`
	Area         int    `json:"area"`
	Box          [4]int `json:"bbox"`
	Segmentation any    `json:"segmentation"`

	outline [][]float64
}

type cocoRLE struct {
	Size   [2]int `json:"size"`
	Counts string `json:"counts"`
}

type cocoEntry struct {
	image       cocoImage
	annotations []cocoAnnotation
}

func (c *coco) picture(p *picture) (any, []manifests.Box, error) {
	k, _ := p.mask()
	upright, err := load.Mask(c.Store, p.Record, k)
	if err != nil {
		return nil, nil, err
	}
	f := frameOf(&p.Image)
	m := f.mask(upright)
	e := cocoEntry{image: cocoImage{File: p.ID + "." + raster.Extensions(p.Image.Format)[0],
		Width: f.width, Height: f.height, License: 1}}
	rest := &raster.Mask{Pix: append([]uint8(nil), m.Pix...), Width: m.Width, Height: m.Height}
	for _, b := range f.boxes(p.Boxes) {
		part := raster.NewMask(m.Width, m.Height)
		for y := b.YMin; y < b.YMax; y++ {
			for i := y*m.Width + b.XMin; i < y*m.Width+b.XMax; i++ {
				if m.Pix[i] == raster.Figure {
					part.Pix[i], rest.Pix[i] = raster.Figure, raster.Ground
				}
			}
		}
		a := c.annotation(part, raster.Figure)
		a.Box = [4]int{b.XMin, b.YMin, b.XMax - b.XMin, b.YMax - b.YMin}
		e.annotations = append(e.annotations, a)
	}
	if a := c.annotation(rest, raster.Figure); a.Area > 0 || len(p.Boxes) == 0 {
		e.annotations = append(e.annotations, a)
	}
	if a := c.annotation(m, raster.Void); a.Area > 0 {
		a.Crowd = 1
		e.annotations = append(e.annotations, a)
	}
	var boxes []manifests.Box
	for _, a := range e.annotations {
		if b := a.Box; a.Crowd == 0 && a.Area+b[2]+b[3] > 0 { // no figure is no box
			boxes = append(boxes, manifests.Box{XMin: b[0], YMin: b[1], XMax: b[0] + b[2], YMax: b[1] + b[3]})
		}
	}
	return e, boxes, c.copyImage(p, string(p.Split)+"/"+e.image.File)
}

func (c *coco) annotation(m *raster.Mask, value uint8) cocoAnnotation {
	r := format.RLEOf(m, value)
	a := cocoAnnotation{Category: 1, Area: r.Area(), Segmentation: cocoRLE{[2]int{m.Height, m.Width}, r.String()}}
	a.Box[0], a.Box[1], a.Box[2], a.Box[3] = r.Bounds()
	if c.Options.Polygons {
		a.outline = Outlines(m, value)
	}
	return a
}

func (c *coco) split(_ context.Context, split manifests.Split, entries []any) error {
	images, annotations := []cocoImage{}, []cocoAnnotation{}
	for i, v := range entries {
		e := v.(cocoEntry)
		e.image.ID = i + 1
		images = append(images, e.image)
		for _, a := range e.annotations {
			a.ID, a.Image = len(annotations)+1, e.image.ID
			annotations = append(annotations, a)
		}
	}
	if err := c.instances(string(split), images, annotations); err != nil || !c.Options.Polygons {
		return err
	}
	var outlines []cocoAnnotation
	for _, a := range annotations {
		if a.Crowd == 0 { // crowds are run lengths everywhere
			a.Segmentation = a.outline
		}
		if a.Area > 0 { // no pixels, no polygon
			outlines = append(outlines, a)
		}
	}
	return c.instances(string(split)+"_polygons", images, outlines)
}

func (c *coco) finish() error {
	return c.out.write("README.md", []byte(c.card("COCO instances", cocoReadme)))
}

func (c *coco) instances(name string, images []cocoImage, annotations []cocoAnnotation) error {
	data, _ := json.Marshal(struct {
		Info        object           `json:"info"`
		Licenses    []object         `json:"licenses"`
		Categories  []object         `json:"categories"`
		Images      []cocoImage      `json:"images"`
		Annotations []cocoAnnotation `json:"annotations"`
	}{
		object{"description": c.Manifest.Dataset, "version": c.Manifest.Version, "manifest": c.Digest},
		[]object{{"id": 1, "name": "NOASSERTION", "url": ""}},
		[]object{{"id": 1, "name": c.Manifest.Class.Name, "supercategory": ""}},
		images, annotations,
	})
	return c.out.write("annotations/instances_"+name+".json", append(data, '\n'))
}

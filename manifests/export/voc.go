package export

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// voc writes VOCdevkit/VOC2012, the one year that readers look for: JPEGImages/ID.jpg, palette
// masks in SegmentationClass (the class's number, 255 void) and SegmentationObject (the number of
// the box, from 1, that holds a pixel or is nearest to it), Annotations/ID.xml with 1-based boxes
// whose maxima belong to them, and ImageSets/Segmentation: train is the training split, val the
// test split, trainval both. A class without a VOC number is 1.
type voc struct {
	*exporter
	train, val bytes.Buffer // lists of ids
}

const vocRoot = "VOCdevkit/VOC2012/"

func (v *voc) picture(p *picture) (any, []manifests.Box, error) {
	k, _ := p.mask()
	upright, err := load.Mask(v.Store, p.Record, k)
	if err != nil {
		return nil, nil, err
	}
	f := frameOf(&p.Image)
	m, boxes := f.mask(upright), f.boxes(p.Boxes)
	class, object := make([]uint8, len(m.Pix)), make([]uint8, len(m.Pix))
	for i, l := range m.Pix {
		switch l {
		case raster.Figure:
			class[i] = uint8(max(v.Manifest.Class.VOC, 1))
			object[i] = nearest(boxes, i%m.Width, i/m.Width)
		case raster.Void:
			class[i], object[i] = format.VOCVoid, format.VOCVoid
		}
	}
	for _, part := range []struct {
		dir string
		pix []uint8
	}{{"SegmentationClass", class}, {"SegmentationObject", object}} {
		var b bytes.Buffer
		if err := png.Encode(&b, &image.Paletted{Pix: part.pix, Stride: m.Width, Rect: image.Rect(0, 0, m.Width,
			m.Height), Palette: format.VOCPalette()}); err != nil {
			return nil, nil, err
		}
		if err := v.out.write(vocRoot+part.dir+"/"+p.ID+".png", b.Bytes()); err != nil {
			return nil, nil, err
		}
	}
	if err := v.out.write(vocRoot+"Annotations/"+p.ID+".xml", v.annotation(p, f, boxes)); err != nil {
		return nil, nil, err
	}
	return p.ID, boxes, v.copyImage(p, vocRoot+"JPEGImages/"+p.ID+".jpg")
}

// nearest returns the number of the box with the least distance to a pixel, counting from 1; the
// first of several, 1 for none. There are 254 numbers: boxes from the 255th on share the last.
func nearest(boxes []manifests.Box, x, y int) uint8 {
	best, number := 1<<62, 1
	for i, b := range boxes {
		dx, dy := max(b.XMin-x, x-b.XMax+1, 0), max(b.YMin-y, y-b.YMax+1, 0)
		if d := dx*dx + dy*dy; d < best {
			best, number = d, i+1
		}
	}
	return uint8(min(number, format.VOCVoid-1))
}

func (v *voc) annotation(p *picture, f frame, boxes []manifests.Box) []byte {
	a := format.VOCAnnotation{
		Folder: "VOC2012", Filename: p.ID + ".jpg", Database: v.Manifest.Dataset,
		Width: f.width, Height: f.height, Depth: 3, Segmented: 1,
	}
	for _, b := range boxes {
		a.Objects = append(a.Objects, format.VOCObject{
			Name: v.Manifest.Class.Name, Pose: "Unspecified", XMin: b.XMin + 1, YMin: b.YMin + 1, XMax: b.XMax, YMax: b.YMax,
		})
	}
	return a.Bytes()
}

func (v *voc) split(_ context.Context, split manifests.Split, entries []any) error {
	list := &v.train
	if split == manifests.Test {
		list = &v.val
	}
	for _, id := range entries {
		fmt.Fprintln(list, id)
	}
	return nil
}

func (v *voc) finish() error {
	for name, list := range map[string][]byte{
		"train": v.train.Bytes(), "val": v.val.Bytes(), "trainval": slices.Concat(v.train.Bytes(), v.val.Bytes()),
	} {
		if err := v.out.write(vocRoot+"ImageSets/Segmentation/"+name+".txt", list); err != nil {
			return err
		}
	}
	return v.out.write("README.md", []byte(v.card("VOC devkit", vocReadme)))
}

package demo

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"path"
	"slices"
	"strings"

	"hdseg/manifests/format"
)

const vocFolder = "VOCdevkit/VOC2012"

// planVOC writes the image sets and plans pictures, palette masks and object lists. The
// pictures that show other classes only stand in the sets too, so that a reader has to
// look into the masks.
func (d *desk) planVOC() error {
	sets := map[string][]string{}
	for i, id := range d.ids.voc {
		half := []string{"train", "val"}[i%2]
		sets[half] = append(sets[half], id)
		sets["trainval"] = append(sets["trainval"], id)
		maskless := d.planted(MissingMask, id)
		d.shots = append(d.shots, shot{fmt.Sprintf("voc/%d", i), d.ids.absent[i], func(p *picture, jpg []byte) error {
			if err := d.write(path.Join(vocFolder, "JPEGImages", id+".jpg"), jpg); err != nil {
				return err
			}
			if err := d.write(path.Join(vocFolder, "Annotations", id+".xml"), vocXML(id, p)); err != nil || maskless {
				return err
			}
			return d.writePNG(path.Join(vocFolder, "SegmentationClass", id+".png"), p.vocMask())
		}})
	}
	for _, set := range []string{"train", "val", "trainval"} {
		ids := slices.Sorted(slices.Values(sets[set]))
		name := path.Join(vocFolder, "ImageSets/Segmentation", set+".txt")
		if err := d.write(name, []byte(strings.Join(ids, "\n")+"\n")); err != nil {
			return err
		}
	}
	return nil
}

// writePNG writes a mask.
func (d *desk) writePNG(name string, m image.Image) error {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, m); err != nil {
		return err
	}
	return d.write(name, buf.Bytes())
}

// newObject states a half-open box of a w x h picture in the displayed size.
func newObject(name string, b image.Rectangle, w, h, shownW, shownH int) format.VOCObject {
	scale := func(v, from, to int) int { return (2*v*to + from) / (2 * from) } // rounded
	o := format.VOCObject{Name: name, Pose: "Unspecified",
		XMin: scale(b.Min.X, w, shownW) + 1, YMin: scale(b.Min.Y, h, shownH) + 1,
		XMax: scale(b.Max.X, w, shownW), YMax: scale(b.Max.Y, h, shownH)}
	if !b.In(image.Rect(1, 1, w-1, h-1)) {
		o.Truncated = 1
	}
	return o
}

// vocXML lists all figures of a picture.
func vocXML(id string, p *picture) []byte {
	a := format.VOCAnnotation{Folder: "VOC2012", Filename: id + ".jpg", Database: "The VOC2012 Database",
		Width: p.w, Height: p.h, Depth: 3, Segmented: 1}
	for _, o := range p.objects() {
		a.Objects = append(a.Objects, newObject(o.name, o.box, p.w, p.h, p.w, p.h))
	}
	return a.Bytes()
}

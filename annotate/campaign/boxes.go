package campaign

import (
	"hdseg/annotate/eventlog"
	"hdseg/manifests"
)

// maxBoxes bounds the boxes of one picture.
const maxBoxes = 1000

// Box replaces the boxes of an item's objects, for those who may draw on its mask. Each has a pixel
// in the picture and does not reach over its border. Nobody changes boxes of what two people still
// draw blind.
func (c *Campaign) Box(p Person, key string, boxes []manifests.Box) error {
	return c.with(p, key, func(it *Item, l *Line) error {
		if err := it.mayDraw(p, l); err != nil {
			return err
		}
		if l.Name != Main {
			return &ForbiddenError{"two people draw this image blind: boxes are drawn when a mask was chosen"}
		}
		if len(boxes) > maxBoxes {
			return badf("boxes: got %d, want at most %d", len(boxes), maxBoxes)
		}
		im := it.Record.Image
		for _, b := range boxes {
			if b.Empty() || b != b.Clip(im.Width, im.Height) {
				return badf("boxes: x %d..%d, y %d..%d: want a part of the picture, %d x %d pixels", b.XMin, b.XMax, b.YMin, b.YMax,
					im.Width, im.Height)
			}
		}
		e := c.stamp(p, eventlog.Boxed, l.Name)
		e.Image, e.Boxes = im.SHA256, boxes
		return it.add(e)
	})
}

// boxed returns the record with the boxes that people drew: one of tier label, or of none, is of
// tier bbox with the first, and one of tier bbox is of tier label without any.
func (it *Item) boxed() manifests.Record {
	r := *it.Record
	if it.boxes == nil {
		return r
	}
	r.Boxes = *it.boxes
	switch {
	case len(r.Boxes) > 0 && (r.Tier == manifests.Label || r.Tier == manifests.None):
		r.Tier = manifests.BBox
	case len(r.Boxes) == 0 && r.Tier == manifests.BBox:
		r.Tier = manifests.Label
	}
	return r
}

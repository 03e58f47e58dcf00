package export

import (
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A frame is how a picture's file stores it. Masks and boxes of a record are upright; formats whose
// readers ignore the EXIF tag need them as the file's pixels lie.
type frame struct {
	tag           int
	width, height int // as stored
}

func frameOf(m *manifests.Image) frame {
	if m.Orientation >= 5 {
		return frame{m.Orientation, m.Height, m.Width}
	}
	return frame{m.Orientation, m.Width, m.Height}
}

// inverse is the orientation that undoes the frame's: 6 and 8 undo each other, the others
// themselves.
func (f frame) inverse() int {
	if f.tag == 6 || f.tag == 8 {
		return 14 - f.tag
	}
	return f.tag
}

func (f frame) mask(upright *raster.Mask) *raster.Mask {
	return raster.OrientMask(upright, f.inverse())
}

func (f frame) boxes(upright []manifests.Box) []manifests.Box {
	var out []manifests.Box
	for _, b := range upright {
		x0, y0 := raster.StoredAt(f.width, f.height, f.tag, b.XMin, b.YMin)
		x1, y1 := raster.StoredAt(f.width, f.height, f.tag, b.XMax-1, b.YMax-1)
		out = append(out, manifests.Box{XMin: min(x0, x1), YMin: min(y0, y1), XMax: max(x0, x1) + 1, YMax: max(y0, y1) + 1})
	}
	return out
}

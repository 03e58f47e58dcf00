package export

import (
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A frame is how a picture's file stores it. Masks and boxes of a record are upright; formats whose readers ignore the EXIF tag
// need them as the file's pixels lie.
type frame struct {
	tag           int
	width, height int // as stored
}

func frameOf(m *manifests.Image) frame {
	f := frame{m.Orientation, m.Width, m.Height}
	if f.tag >= 5 {
		f.width, f.height = m.Height, m.Width
	}
	return f
}

// at returns where the upright pixel (x, y) is stored (Exif 2.3, tag 0x0112).
func (f frame) at(x, y int) (int, int) {
	w, h := f.width-1, f.height-1
	switch f.tag {
	case 2:
		return w - x, y
	case 3:
		return w - x, h - y
	case 4:
		return x, h - y
	case 5:
		return y, x
	case 6:
		return y, h - x
	case 7:
		return w - y, h - x
	case 8:
		return w - y, x
	}
	return x, y
}

// stored turns upright values back into the file's order.
func stored[T any](f frame, upright []T) []T {
	if f.tag == 1 {
		return upright
	}
	width, height := f.width, f.height
	if f.tag >= 5 {
		width, height = height, width
	}
	out := make([]T, len(upright))
	for y := range height {
		for x := range width {
			u, v := f.at(x, y)
			out[v*f.width+u] = upright[y*width+x]
		}
	}
	return out
}

func (f frame) mask(m *raster.Mask) *raster.Mask {
	return &raster.Mask{Pix: stored(f, m.Pix), Width: f.width, Height: f.height}
}

func (f frame) boxes(upright []manifests.Box) []manifests.Box {
	var out []manifests.Box
	for _, b := range upright {
		x0, y0 := f.at(b.XMin, b.YMin)
		x1, y1 := f.at(b.XMax-1, b.YMax-1)
		out = append(out, manifests.Box{XMin: min(x0, x1), YMin: min(y0, y1), XMax: max(x0, x1) + 1, YMax: max(y0, y1) + 1})
	}
	return out
}

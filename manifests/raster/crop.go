package raster

import "fmt"

// Crop copies the pixels xMin <= x < xMax, yMin <= y < yMax, which must be a non-empty part of the picture.
func (m *RGB) Crop(xMin, yMin, xMax, yMax int) *RGB {
	checkCrop(m.Width, m.Height, xMin, yMin, xMax, yMax)
	out := NewRGB(xMax-xMin, yMax-yMin)
	for y := range out.Height {
		copy(out.Pix[3*y*out.Width:][:3*out.Width], m.Pix[3*((yMin+y)*m.Width+xMin):])
	}
	return out
}

// Crop copies the pixels xMin <= x < xMax, yMin <= y < yMax, which must be a non-empty part of the mask.
func (m *Mask) Crop(xMin, yMin, xMax, yMax int) *Mask {
	checkCrop(m.Width, m.Height, xMin, yMin, xMax, yMax)
	out := NewMask(xMax-xMin, yMax-yMin)
	for y := range out.Height {
		copy(out.Pix[y*out.Width:][:out.Width], m.Pix[(yMin+y)*m.Width+xMin:])
	}
	return out
}

func checkCrop(width, height, xMin, yMin, xMax, yMax int) {
	if xMin < 0 || yMin < 0 || xMax > width || yMax > height || xMin >= xMax || yMin >= yMax {
		panic(fmt.Sprintf("raster: crop [%d,%d) x [%d,%d), want a part of %d x %d", xMin, xMax, yMin, yMax, width, height))
	}
}

// Mirror returns the picture with left and right exchanged.
func (m *RGB) Mirror() *RGB { return Orient(m, 2) }

// Mirror returns the mask with left and right exchanged.
func (m *Mask) Mirror() *Mask { return OrientMask(m, 2) }

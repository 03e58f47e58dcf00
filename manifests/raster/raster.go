// Package raster holds the two pictures that every stage works on, an 8-bit RGB
// image and a figure-ground mask, with guarded decoding, canonical PNG encoding,
// resizing and colour conversion.
//
// Sizes are always height, width in prose; the pixel (x, y) has index y*Width+x.
package raster

import "fmt"

// The three values of a mask pixel.
const (
	Ground uint8 = 0   // background
	Figure uint8 = 1   // the class of the data set
	Void   uint8 = 255 // unlabeled: neither trained on nor scored
)

// An RGB is an 8-bit sRGB picture, interleaved: channel c of pixel (x, y) is
// Pix[3*(y*Width+x)+c]. len(Pix) = 3*Width*Height.
type RGB struct {
	Pix           []uint8
	Width, Height int
}

// NewRGB returns a black picture.
func NewRGB(width, height int) *RGB {
	checkSize(width, height)
	return &RGB{Pix: make([]uint8, 3*width*height), Width: width, Height: height}
}

// At returns the colour of pixel (x, y).
func (m *RGB) At(x, y int) (r, g, b uint8) {
	i := 3 * (y*m.Width + x)
	return m.Pix[i], m.Pix[i+1], m.Pix[i+2]
}

// Set writes the colour of pixel (x, y).
func (m *RGB) Set(x, y int, r, g, b uint8) {
	i := 3 * (y*m.Width + x)
	m.Pix[i], m.Pix[i+1], m.Pix[i+2] = r, g, b
}

// A Mask labels every pixel Ground, Figure or Void: pixel (x, y) is
// Pix[y*Width+x]. len(Pix) = Width*Height.
type Mask struct {
	Pix           []uint8
	Width, Height int
}

// NewMask returns a mask that is ground everywhere.
func NewMask(width, height int) *Mask {
	checkSize(width, height)
	return &Mask{Pix: make([]uint8, width*height), Width: width, Height: height}
}

// At returns the label of pixel (x, y).
func (m *Mask) At(x, y int) uint8 { return m.Pix[y*m.Width+x] }

// Set writes the label of pixel (x, y).
func (m *Mask) Set(x, y int, v uint8) { m.Pix[y*m.Width+x] = v }

// Areas counts the pixels of each kind.
func (m *Mask) Areas() (ground, figure, void int) {
	for _, v := range m.Pix {
		switch v {
		case Figure:
			figure++
		case Void:
			void++
		default:
			ground++
		}
	}
	return ground, figure, void
}

func checkSize(width, height int) {
	if width <= 0 || height <= 0 {
		panic(fmt.Sprintf("raster: size %d x %d, want positive", width, height))
	}
}

// Crop copies the pixels xMin <= x < xMax, yMin <= y < yMax, which must be a non-empty part of the
// picture.
func (m *RGB) Crop(xMin, yMin, xMax, yMax int) *RGB {
	return &RGB{crop(m.Pix, 3, m.Width, m.Height, xMin, yMin, xMax, yMax), xMax - xMin, yMax - yMin}
}

// Crop does for a mask what RGB.Crop does for its image.
func (m *Mask) Crop(xMin, yMin, xMax, yMax int) *Mask {
	return &Mask{crop(m.Pix, 1, m.Width, m.Height, xMin, yMin, xMax, yMax), xMax - xMin, yMax - yMin}
}

// crop is Crop for pixels of n values each.
func crop(pix []uint8, n, width, height, xMin, yMin, xMax, yMax int) []uint8 {
	if xMin < 0 || yMin < 0 || xMax > width || yMax > height || xMin >= xMax || yMin >= yMax {
		panic(fmt.Sprintf("raster: crop [%d,%d) x [%d,%d), want a part of %d x %d", xMin, xMax, yMin, yMax, width, height))
	}
	out := make([]uint8, 0, n*(xMax-xMin)*(yMax-yMin))
	for y := yMin; y < yMax; y++ {
		out = append(out, pix[n*(y*width+xMin):n*(y*width+xMax)]...)
	}
	return out
}

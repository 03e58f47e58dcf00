package format

import (
	"bytes"
	"fmt"
	"image"
	"image/color"

	"hdseg/manifests/raster"
)

// An Indexed is a picture of class (or object) numbers: pixel (x, y) is Pix[y*Width+x].
type Indexed struct {
	Pix           []uint8
	Width, Height int
}

// DecodeIndexed reads the numbers of a PNG, BMP, GIF or lossless WebP file: the indices of a
// palette (never its colours), the values of 8- or 16-bit grey, or of opaque RGB the numbers of
// VOC's palette colours. A 16-bit value over 255 and a colour outside the palette are errors.
func DecodeIndexed(data []byte, lim raster.Limits) (*Indexed, error) {
	img, err := decodeMaskImage(data, lim)
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	return indexed(img, func(c [3]uint8) (uint8, bool) {
		v, ok := vocNumber[c]
		return v, ok
	}, "is not in VOC's palette")
}

// DecodeGray is DecodeIndexed for masks of few values: opaque RGB must be grey, whose level is the
// value. A palette of greys in which a lower number is brighter is an error: its numbers are the
// negative of what is seen.
func DecodeGray(data []byte, lim raster.Limits) (*Indexed, error) {
	img, err := decodeMaskImage(data, lim)
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	m, err := indexed(img, func(c [3]uint8) (uint8, bool) { return c[0], c[0] == c[1] && c[1] == c[2] }, "is not a grey")
	if err != nil {
		return nil, err
	}
	if p, ok := img.(*image.Paletted); ok {
		if err := m.checkGreys(p.Palette); err != nil {
			return nil, fmt.Errorf("mask: %w", err)
		}
	}
	return m, nil
}

// checkGreys refuses a palette whose greys contradict the numbers that the pixels use; 0 counts as
// used, since it is ground.
func (m *Indexed) checkGreys(p color.Palette) error {
	last, brightest := 0, uint8(0)
	for _, number := range append([]uint8{0}, m.used()...) {
		if int(number) >= len(p) {
			return nil
		}
		c := color.NRGBAModel.Convert(p[number]).(color.NRGBA)
		if c.R != c.G || c.G != c.B {
			return nil // colours, which mean nothing
		}
		if c.R < brightest {
			return fmt.Errorf("palette: number %d has grey %d, number %d has grey %d: numbers and greys disagree; "+
				"save it as a greyscale PNG", last, brightest, number, c.R)
		}
		last, brightest = int(number), c.R
	}
	if brightest > 0 && last == 0 {
		return fmt.Errorf("palette: every pixel has number 0, which has grey %d: numbers and greys disagree; "+
			"save it as a greyscale PNG", brightest)
	}
	return nil
}

// indexed takes the numbers of a decoded mask; number gives those of colors, and whether they have
// one.
func indexed(img image.Image, number func([3]uint8) (uint8, bool), fault string) (*Indexed, error) {
	b := img.Bounds()
	m := &Indexed{Width: b.Dx(), Height: b.Dy()}
	switch img := img.(type) {
	case *image.Paletted:
		m.Pix = img.Pix // a fresh picture's stride is its width
	case *image.Gray:
		m.Pix = img.Pix
	case *image.Gray16:
		m.Pix = make([]uint8, m.Width*m.Height)
		for i := range m.Pix {
			v := uint16(img.Pix[2*i])<<8 | uint16(img.Pix[2*i+1])
			if v > 255 {
				return nil, fmt.Errorf("mask: value at (%d, %d): got %d, want at most 255", i%m.Width, i/m.Width, v)
			}
			m.Pix[i] = uint8(v)
		}
	case *image.RGBA:
		return fromColors(img.Pix, m, number, fault)
	case *image.NRGBA:
		return fromColors(img.Pix, m, number, fault)
	default:
		return nil, fmt.Errorf("mask: pixel type: got %T, want a palette, greyscale or 8-bit RGB", img)
	}
	return m, nil
}

// fromColors looks up the number of every RGBA pixel.
func fromColors(rgba []uint8, m *Indexed, number func([3]uint8) (uint8, bool), fault string) (*Indexed, error) {
	m.Pix = make([]uint8, m.Width*m.Height)
	for i := range m.Pix {
		p := rgba[4*i : 4*i+4 : 4*i+4]
		if p[3] != 255 {
			return nil, fmt.Errorf("mask: pixel (%d, %d): got alpha %d, want 255", i%m.Width, i/m.Width, p[3])
		}
		v, ok := number([3]uint8{p[0], p[1], p[2]})
		if !ok {
			return nil, fmt.Errorf("mask: pixel (%d, %d): color (%d,%d,%d) %s", i%m.Width, i/m.Width, p[0], p[1], p[2], fault)
		}
		m.Pix[i] = v
	}
	return m, nil
}

// Has tells whether any pixel has the number v.
func (m *Indexed) Has(v uint8) bool { return bytes.IndexByte(m.Pix, v) >= 0 }

func (m *Indexed) mapped(table *[256]uint8) *raster.Mask {
	out := raster.NewMask(m.Width, m.Height)
	for i, v := range m.Pix {
		out.Pix[i] = table[v]
	}
	return out
}

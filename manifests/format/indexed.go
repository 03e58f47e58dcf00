package format

import (
	"bytes"
	"errors"
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
// palette (never its colours), the values of grey, or of RGB the numbers of VOC's palette colours.
// 16-bit greys are values up to 255, or 257 times those, as programs write what had 8 bits. What is
// transparent is 0, as a figure painted on nothing has its ground, unless opaque pixels are 0 too.
// A colour outside the palette is an error.
func DecodeIndexed(data []byte, lim raster.Limits) (*Indexed, error) {
	m, _, err := decodeIndexed(data, lim, lookUp(vocNumber), "is not in VOC's palette")
	return m, err
}

// lookUp gives the numbers that a table has for colors.
func lookUp(numbers map[[3]uint8]uint8) func([3]uint8) (uint8, bool) {
	return func(c [3]uint8) (uint8, bool) { v, ok := numbers[c]; return v, ok }
}

// DecodeObjects is DecodeIndexed for masks of single objects. Where a color is not VOC's, as other
// tools paint objects, black is 0, VOC's void is VOCVoid, and every other color has a number of its
// own from 1; own tells that the numbers are such, which no annotation file knows.
func DecodeObjects(data []byte, lim raster.Limits) (m *Indexed, own bool, err error) {
	if m, err = DecodeIndexed(data, lim); err == nil {
		return m, false, nil
	}
	numbers := map[[3]uint8]uint8{{}: 0, vocColor(VOCVoid): VOCVoid}
	m, _, err = decodeIndexed(data, lim, func(c [3]uint8) (uint8, bool) {
		v, ok := numbers[c]
		if next := len(numbers) - 1; !ok && next < VOCVoid {
			v, ok = uint8(next), true
			numbers[c] = v
		}
		return v, ok
	}, "is the 255th of an object")
	return m, true, err
}

// DecodeGray is DecodeIndexed for masks of few values: RGB must be grey, whose level is the
// value. A palette of greys in which a lower number is brighter is an error: its numbers are the
// negative of what is seen.
func DecodeGray(data []byte, lim raster.Limits) (*Indexed, error) {
	m, _, err := decodeGray(data, lim)
	return m, err
}

// DecodeShades is DecodeGray for masks of 0, 128 and 255: where the numbers of a palette are
// others, its greys count, and what is transparent in it is 0.
func DecodeShades(data []byte, lim raster.Limits) (*Indexed, error) {
	m, p, err := decodeGray(data, lim)
	if err != nil {
		return nil, err
	}
	var shade [256]uint8
	known := true
	for _, v := range m.used() {
		if _, ok := valueTables[ValuesVoid128][v]; !ok {
			known = false
		}
		if int(v) >= len(p) {
			return m, nil
		}
		c := color.NRGBAModel.Convert(p[v]).(color.NRGBA)
		if c.R != c.G || c.G != c.B {
			return m, nil
		}
		if c.A > 0 {
			shade[v] = c.R
		}
	}
	for i, v := range m.Pix {
		if !known {
			m.Pix[i] = shade[v]
		}
	}
	return m, nil
}

// decodeGray is DecodeGray with the palette, nil for none.
func decodeGray(data []byte, lim raster.Limits) (*Indexed, color.Palette, error) {
	m, img, err := decodeIndexed(data, lim, func(c [3]uint8) (uint8, bool) { return c[0], c[0] == c[1] && c[1] == c[2] }, "is not a grey")
	if err != nil {
		return nil, nil, err
	}
	p, ok := img.(*image.Paletted)
	if !ok {
		return m, nil, nil
	}
	if err := m.checkGreys(p.Palette); err != nil {
		return nil, nil, fmt.Errorf("mask: %w", err)
	}
	return m, p.Palette, nil
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

// decodeIndexed takes the numbers of a mask; number gives those of colors, and whether they have
// one. The picture is that of the file.
func decodeIndexed(data []byte, lim raster.Limits, number func([3]uint8) (uint8, bool), fault string) (*Indexed, image.Image, error) {
	img, err := decodeMaskImage(data, lim)
	if err != nil {
		return nil, nil, fmt.Errorf("mask: %w", err)
	}
	m, err := indexed(img, number, fault)
	return m, img, err
}

func indexed(img image.Image, number func([3]uint8) (uint8, bool), fault string) (*Indexed, error) {
	b := img.Bounds()
	m := &Indexed{Width: b.Dx(), Height: b.Dy()}
	switch img := img.(type) {
	case *image.Paletted:
		m.Pix = img.Pix // a fresh picture's stride is its width
	case *image.Gray:
		m.Pix = img.Pix
	case *image.Gray16:
		return m, m.takeGray16(img.Pix)
	case *image.RGBA:
		return fromColors(img.Pix, m, number, fault)
	case *image.NRGBA:
		return fromColors(img.Pix, m, number, fault)
	default:
		return nil, errors.New("mask: got 16-bit colors, want a palette, greys or 8-bit RGB: save it as an 8-bit greyscale PNG")
	}
	return m, nil
}

// takeGray16 takes 16-bit greys, two bytes each.
func (m *Indexed) takeGray16(pix []uint8) error {
	m.Pix = make([]uint8, m.Width*m.Height)
	over, scaled := -1, true // a value over 255
	for i := range m.Pix {
		high, low := pix[2*i], pix[2*i+1]
		if high > 0 {
			over = i
		}
		scaled = scaled && high == low
		m.Pix[i] = low
	}
	if over < 0 || scaled {
		return nil
	}
	return fmt.Errorf("mask: value at (%d, %d): got %d of 16 bits, want at most 255, or all values 257 times those of 8 bits: save it "+
		"as an 8-bit greyscale PNG", over%m.Width, over/m.Width, int(pix[2*over])<<8|int(pix[2*over+1]))
}

// fromColors looks up the number of every RGBA pixel.
func fromColors(rgba []uint8, m *Indexed, number func([3]uint8) (uint8, bool), fault string) (*Indexed, error) {
	m.Pix = make([]uint8, m.Width*m.Height)
	clearAt, groundAt := -1, -1 // a transparent pixel, and an opaque 0
	at := func(i int) string { return fmt.Sprintf("mask: pixel (%d, %d)", i%m.Width, i/m.Width) }
	for i := range m.Pix {
		p := rgba[4*i : 4*i+4 : 4*i+4]
		if p[3] == 0 {
			clearAt = i
			continue
		}
		if p[3] != 255 {
			return nil, fmt.Errorf("%s: got alpha %d, want 0 for ground or 255: save it without soft edges, as a greyscale PNG", at(i), p[3])
		}
		v, ok := number([3]uint8{p[0], p[1], p[2]})
		if !ok {
			return nil, fmt.Errorf("%s: color (%d,%d,%d) %s%s", at(i), p[0], p[1], p[2], fault, photo(rgba))
		}
		if m.Pix[i] = v; v == 0 {
			groundAt = i
		}
	}
	if clearAt >= 0 && groundAt >= 0 {
		return nil, fmt.Errorf("%s is transparent, and (%d, %d) opaque with the value 0: only one of them can be ground; save it as a "+
			"greyscale PNG", at(clearAt), groundAt%m.Width, groundAt/m.Width)
	}
	return m, nil
}

// photo ends the message about a color of a picture that has as many as no mask: a photo, or a
// mask laid over one.
func photo(rgba []uint8) string {
	const most = 256
	colors := map[[3]uint8]bool{}
	for i := 0; i < len(rgba) && len(colors) <= most; i += 4 {
		colors[[3]uint8(rgba[i:i+3])] = true
	}
	if len(colors) <= most {
		return ""
	}
	return fmt.Sprintf("; it has over %d colors, as a photo or an overlay has: give its mask", most)
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

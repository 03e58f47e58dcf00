package raster

import (
	"image"
	"image/color"
)

// FromImage copies any picture to 8-bit RGB: high bytes of 16-bit samples, colours as stored
// where there is alpha. Values equal those of image/color's conversions.
func FromImage(img image.Image) *RGB {
	b := img.Bounds()
	m := NewRGB(b.Dx(), b.Dy())
	w := m.Width
	switch img := img.(type) {
	case *image.YCbCr:
		fromYCbCr(m, img)
	case *image.NYCbCrA:
		fromYCbCr(m, &img.YCbCr)
	case *image.Gray:
		for y := range m.Height {
			row := img.Pix[y*img.Stride:][:w]
			out := m.Pix[3*y*w:][:3*w]
			for x, v := range row {
				out[3*x], out[3*x+1], out[3*x+2] = v, v, v
			}
		}
	case *image.Gray16:
		for y := range m.Height {
			row := img.Pix[y*img.Stride:]
			for x := range w {
				v := row[2*x]
				m.Set(x, y, v, v, v)
			}
		}
	case *image.RGBA: // from an opaque source: premultiplication changes nothing
		fromRGBA(m, img)
	case *image.NRGBA:
		for y := range m.Height {
			copyRGB(m.Pix[3*y*w:][:3*w], img.Pix[y*img.Stride:], 4, 1)
		}
	case *image.RGBA64:
		if !img.Opaque() {
			fromAny(m, img)
			break
		}
		for y := range m.Height {
			copyRGB(m.Pix[3*y*w:][:3*w], img.Pix[y*img.Stride:], 8, 2)
		}
	case *image.NRGBA64:
		for y := range m.Height {
			copyRGB(m.Pix[3*y*w:][:3*w], img.Pix[y*img.Stride:], 8, 2)
		}
	case *image.CMYK:
		for y := range m.Height {
			row := img.Pix[y*img.Stride:]
			for x := range w {
				r, g, b := color.CMYKToRGB(row[4*x], row[4*x+1], row[4*x+2], row[4*x+3])
				m.Set(x, y, r, g, b)
			}
		}
	case *image.Paletted:
		fromPaletted(m, img)
	default:
		fromAny(m, img)
	}
	return m
}

// copyRGB takes the first three samples of every pixel; pixel and sample are byte distances.
func copyRGB(out, in []uint8, pixel, sample int) {
	for o, i := 0, 0; o < len(out); o, i = o+3, i+pixel {
		out[o], out[o+1], out[o+2] = in[i], in[i+sample], in[i+2*sample]
	}
}

func fromRGBA(m *RGB, img *image.RGBA) {
	if !img.Opaque() {
		fromAny(m, img)
		return
	}
	for y := range m.Height {
		copyRGB(m.Pix[3*y*m.Width:][:3*m.Width], img.Pix[y*img.Stride:], 4, 1)
	}
}

func fromPaletted(m *RGB, img *image.Paletted) {
	var table [256][3]uint8
	for i, c := range img.Palette {
		n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
		if rgba, ok := c.(color.NRGBA); ok {
			table[i] = [3]uint8{rgba.R, rgba.G, rgba.B}
			continue
		}
		table[i] = [3]uint8{uint8(n.R >> 8), uint8(n.G >> 8), uint8(n.B >> 8)}
	}
	for y := range m.Height {
		row := img.Pix[y*img.Stride:][:m.Width]
		for x, v := range row {
			c := &table[v]
			m.Set(x, y, c[0], c[1], c[2])
		}
	}
}

// fromAny undoes premultiplication, as far as 16 bits allow, to get the stored colour.
func fromAny(m *RGB, img image.Image) {
	b := img.Bounds()
	for y := range m.Height {
		for x := range m.Width {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
			m.Set(x, y, uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8))
		}
	}
}

// fromYCbCr applies JFIF's full-range BT.601 inverse in the fixed point of color.YCbCrToRGB.
// Chroma samples are repeated, as image/jpeg does, not interpolated.
func fromYCbCr(m *RGB, img *image.YCbCr) {
	for y := range m.Height {
		yRow := img.Y[img.YOffset(img.Rect.Min.X, img.Rect.Min.Y+y):][:m.Width]
		out := m.Pix[3*y*m.Width:][:3*m.Width]
		c := img.COffset(img.Rect.Min.X, img.Rect.Min.Y+y)
		if img.Rect.Min.X != 0 {
			for x := range yRow {
				i := img.COffset(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				out[3*x], out[3*x+1], out[3*x+2] = color.YCbCrToRGB(yRow[x], img.Cb[i], img.Cr[i])
			}
			continue
		}
		cb, cr := img.Cb[c:], img.Cr[c:]
		switch img.SubsampleRatio {
		case image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio440:
			ycc(out, yRow, cb, cr, 0)
		case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
			ycc(out, yRow, cb, cr, 1)
		default:
			ycc(out, yRow, cb, cr, 2)
		}
	}
}

// ycc converts one row whose chroma is subsampled by 1<<shift.
func ycc(out, luma, cb, cr []uint8, shift uint) {
	var rv, gu, gv, bu int32
	last := -1
	for x, yy := range luma {
		if c := x >> shift; c != last {
			last = c
			u, v := int32(cb[c])-128, int32(cr[c])-128
			rv, gu, gv, bu = 91881*v, 22554*u, 46802*v, 116130*u
		}
		y := int32(yy) * 0x10101
		o := out[3*x : 3*x+3 : 3*x+3]
		o[0] = clamp16(y + rv)
		o[1] = clamp16(y - gu - gv)
		o[2] = clamp16(y + bu)
	}
}

// clamp16 is v>>16 held to 0..255.
func clamp16(v int32) uint8 {
	if uint32(v)&0xff000000 == 0 {
		return uint8(v >> 16)
	}
	return uint8(^(v >> 31))
}

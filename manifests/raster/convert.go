package raster

import (
	"image"
	"image/color"
)

// FromImage copies any picture to 8-bit RGB: high bytes of 16-bit samples, colors as stored where
// there is alpha. Values equal those of image/color's conversions.
func FromImage(img image.Image) *RGB {
	b := img.Bounds()
	m := NewRGB(b.Dx(), b.Dy())
	w := m.Width
	switch img := img.(type) {
	case *image.Gray:
		for y := range m.Height {
			row := img.Pix[y*img.Stride:][:w]
			out := m.Pix[3*y*w:][:3*w]
			for x, v := range row {
				out[3*x], out[3*x+1], out[3*x+2] = v, v, v
			}
		}
		return m
	case *image.RGBA:
		if img.Opaque() { // premultiplication changes nothing
			copyRGB(m, img.Pix, img.Stride)
			return m
		}
	case *image.NRGBA:
		copyRGB(m, img.Pix, img.Stride)
		return m
	case *image.Paletted:
		fromPaletted(m, img)
		return m
	}
	// Undo premultiplication, as far as 16 bits allow, to get the stored color.
	for y := range m.Height {
		for x := range w {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
			m.Set(x, y, uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8))
		}
	}
	return m
}

// copyRGB takes the first three of every four samples.
func copyRGB(m *RGB, in []uint8, stride int) {
	for y := range m.Height {
		out := m.Pix[3*y*m.Width:][:3*m.Width]
		for o, i := 0, y*stride; o < len(out); o, i = o+3, i+4 {
			out[o], out[o+1], out[o+2] = in[i], in[i+1], in[i+2]
		}
	}
}

func fromPaletted(m *RGB, img *image.Paletted) {
	var table [256][3]uint8
	for i, c := range img.Palette {
		if rgba, ok := c.(color.NRGBA); ok {
			table[i] = [3]uint8{rgba.R, rgba.G, rgba.B}
			continue
		}
		n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
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

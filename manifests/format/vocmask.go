package format

import (
	"hdseg/manifests/raster"
	"image/color"
)

// VOCVoid is the index of VOC's object borders and unlabeled regions.
const VOCVoid = 255

// VOCPalette returns VOC's 256 colours: bit k of a number's three lowest bits, then the next three,
// and so on, goes to red, green and blue from the highest bit down (the development kit's
// VOClabelcolormap).
func VOCPalette() color.Palette {
	p := make(color.Palette, 256)
	for i := range p {
		c := vocColor(i)
		p[i] = color.NRGBA{c[0], c[1], c[2], 255}
	}
	return p
}

func vocColor(i int) (c [3]uint8) {
	for bit := 7; i > 0; bit-- {
		for k := range c {
			c[k] |= uint8(i>>k&1) << bit
		}
		i >>= 3
	}
	return c
}

var vocNumber = func() map[[3]uint8]uint8 {
	m := map[[3]uint8]uint8{}
	for i := range 256 {
		m[vocColor(i)] = uint8(i)
	}
	return m
}()

// Figure returns the mask whose figure is the pixels of one number, VOCVoid is void, and everything
// else is ground.
func (m *Indexed) Figure(class uint8) *raster.Mask {
	var table [256]uint8
	table[class] = raster.Figure
	table[VOCVoid] = raster.Void
	return m.mapped(&table)
}

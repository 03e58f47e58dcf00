package demo

import (
	"image"
	"image/color"
)

// A picture is a finished drawing with its truth. Pixel (x, y) has index y*w+x.
type picture struct {
	w, h   int
	img    *image.RGBA
	owner  []uint8   // index into things of what each pixel shows
	cover  []float64 // the share of each pixel that shows the target class
	things []thing
	target uint8
}

// picture ends a canvas. A pixel shows the target class exactly where the class covers
// more than half of it.
func (c *canvas) picture() *picture {
	img := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	for i, p := range c.pix {
		for k := range 3 {
			img.Pix[4*i+k] = uint8(float64(255*min(max(p[k], 0), 1)) + 0.5)
		}
		img.Pix[4*i+3] = 255
	}
	return &picture{w: c.w, h: c.h, img: img, owner: c.owner, cover: c.cover, things: c.things, target: c.target}
}

// share returns the share of pixels that show the target class, 0..1.
func (p *picture) share() float64 {
	n := 0
	for i := range p.cover {
		if p.cover[i] > 0.5 {
			n++
		}
	}
	return float64(n) / float64(len(p.cover))
}

// classes returns the VOC class index of every pixel.
func (p *picture) classes() []uint8 {
	out := make([]uint8, len(p.owner))
	for i, o := range p.owner {
		cls := p.things[o].class
		if p.cover[i] > 0.5 {
			cls = p.target
		} else if cls == p.target {
			cls = 0
		}
		out[i] = cls
	}
	return out
}

// An object is a figure that the picture shows, with its tight box.
type object struct {
	thing
	box image.Rectangle // half-open
}

// objects returns the figures of which at least 40 pixels show.
func (p *picture) objects() []object {
	boxes := make([]image.Rectangle, len(p.things))
	sizes := make([]int, len(p.things))
	classes := p.classes()
	for i, o := range p.owner {
		if o == 0 || classes[i] != p.things[o].class {
			continue
		}
		x, y := i%p.w, i/p.w
		boxes[o] = boxes[o].Union(image.Rect(x, y, x+1, y+1))
		sizes[o]++
	}
	var out []object
	for o, box := range boxes {
		if sizes[o] >= 40 {
			out = append(out, object{p.things[o], box})
		}
	}
	return out
}

// mask returns the target class as a gray picture, 255 where it shows.
func (p *picture) mask() *image.Gray { return p.gray(0) }

// truth is mask with 128 where the class covers a pixel in part only.
func (p *picture) truth() *image.Gray { return p.gray(128) }

func (p *picture) gray(partial uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for i, c := range p.cover {
		if c > 0.5 {
			m.Pix[i] = 255
		}
		if partial > 0 && c > 0.02 && c < 0.98 {
			m.Pix[i] = partial
		}
	}
	return m
}

// vocClass holds the indices of the VOC classes that are drawn.
var vocClass = map[string]uint8{"background": 0, "cow": 10, "dog": 12, "horse": 13, "person": 15}

const vocVoid = 255

// vocPalette returns VOC's colours: bit b of the class index's triple t = 0..7 (bits
// 3t..3t+2) goes to bit 7-t of red, green and blue (b = 0, 1, 2), as in VOCcode's
// VOClabelcolormap.
func vocPalette() color.Palette {
	pal := make(color.Palette, 256)
	for i := range pal {
		var c [3]uint8
		for t := range 8 {
			for b := range 3 {
				c[b] |= uint8(i>>(3*t+b)&1) << (7 - t)
			}
		}
		pal[i] = color.RGBA{c[0], c[1], c[2], 255}
	}
	return pal
}

// vocMask returns the classes as a palette picture in which the two pixels on each side
// of every outline are void, about the border that VOC draws.
func (p *picture) vocMask() *image.Paletted {
	classes := p.classes()
	m := image.NewPaletted(image.Rect(0, 0, p.w, p.h), vocPalette())
	copy(m.Pix, classes)
	for y := range p.h {
		for x := range p.w {
			if p.outline(classes, x, y) {
				for v := max(y-1, 0); v <= min(y+1, p.h-1); v++ {
					for u := max(x-1, 0); u <= min(x+1, p.w-1); u++ {
						m.Pix[v*p.w+u] = vocVoid
					}
				}
			}
		}
	}
	return m
}

// outline tells whether a 4-neighbour of (x, y) has another class.
func (p *picture) outline(classes []uint8, x, y int) bool {
	i := y*p.w + x
	return x > 0 && classes[i-1] != classes[i] || x+1 < p.w && classes[i+1] != classes[i] ||
		y > 0 && classes[i-p.w] != classes[i] || y+1 < p.h && classes[i+p.w] != classes[i]
}

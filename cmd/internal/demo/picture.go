package demo

import (
	"image"

	"hdseg/manifests/format"
)

// A picture is a finished drawing with its truth.
type picture struct {
	*canvas
	img *image.RGBA
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
	return &picture{c, img}
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

// vocMask returns the classes as a palette picture in which the two pixels on each side
// of every outline are void, about the border that VOC draws.
func (p *picture) vocMask() *image.Paletted {
	classes := p.classes()
	m := image.NewPaletted(image.Rect(0, 0, p.w, p.h), format.VOCPalette())
	copy(m.Pix, classes)
	for y := range p.h {
		for x := range p.w {
			if p.outline(classes, x, y) {
				for v := max(y-1, 0); v <= min(y+1, p.h-1); v++ {
					for u := max(x-1, 0); u <= min(x+1, p.w-1); u++ {
						m.Pix[v*p.w+u] = format.VOCVoid
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

package pool

import (
	"fmt"
	"image"
	"math"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A Pool is a set of source windows with their descriptors and masks. AddWindow and Append are not for concurrent use;
// everything else only reads.
type Pool struct {
	o       Options
	size    int // values of a descriptor
	windows []Window
	desc    []float32 // [i*size:], of window i
	norm    []float32 // squared lengths of the descriptors
	masks   []uint8   // [i*MaskSize²:], share of figure, 0..255
}

// A Window is one source.
type Window struct {
	ID       string // of the record
	Box      manifests.Box
	Mirrored bool
}

// descSize returns how many values describe a window: its look, the log of its aspect ratio, and which of its sides (left, top, right,
// bottom) lie on the picture's border.
func (o Options) descSize() int {
	return map[string]int{DescriptorHOG: hogSize, DescriptorGIST: gistSize, DescriptorBoth: hogSize + gistSize}[o.Descriptor] + 5
}

// New returns an empty pool. It panics on options that Validate refuses.
func New(o Options) *Pool {
	if err := o.Validate(); err != nil {
		panic("pool: " + err.Error())
	}
	return &Pool{o: o, size: o.descSize()}
}

// Options returns what New was given.
func (p *Pool) Options() Options { return p.o }

// Len returns the number of windows, mirrored ones included.
func (p *Pool) Len() int { return len(p.windows) }

// AddWindow makes one window, a non-empty part of the picture, a source: with its mirror image two, with Options.Mirror.
func (p *Pool) AddWindow(id string, im *raster.RGB, m *raster.Mask, r image.Rectangle) {
	patch, mask := colorPatch(im, r, p.o.Margin, patchSize), maskPatch(m, r, p.o.MaskSize)
	cut := Touches(im, r)
	w := Window{ID: id, Box: manifests.Box{XMin: r.Min.X, YMin: r.Min.Y, XMax: r.Max.X, YMax: r.Max.Y}}
	p.append(w, p.describe(patch, r, cut), mask)
	if p.o.Mirror {
		w.Mirrored = true
		cut[0], cut[2] = cut[2], cut[0]
		p.append(w, p.describe(mirrored(patch, patchSize), r, cut), mirrored(mask, p.o.MaskSize))
	}
}

func (p *Pool) append(w Window, d []float32, mask []uint8) {
	p.windows = append(p.windows, w)
	p.desc = append(p.desc, d...)
	p.norm = append(p.norm, dot(d, d))
	p.masks = append(p.masks, mask...)
}

// descriptor returns that of window i.
func (p *Pool) descriptor(i int) []float32 { return p.desc[i*p.size:][:p.size] }

// Describe returns the descriptor of a window of a picture: its look, of length 1 at most, the scaled log
// aspect ratio and what the window touches. GIST costs many times what HOG does; see BENCHMARKS.md.
func (p *Pool) Describe(im *raster.RGB, r image.Rectangle) []float32 {
	return p.describe(colorPatch(im, r, p.o.Margin, patchSize), r, Touches(im, r))
}

func (p *Pool) describe(patch []float32, r image.Rectangle, cut [4]bool) []float32 {
	aspect := math.Log(float64(r.Dx()) / float64(r.Dy()))
	d := append(p.o.look(patch), float32(math.Sqrt(p.o.AspectWeight)*aspect))
	for _, c := range cut {
		var v float32
		if c {
			v = float32(math.Sqrt(p.o.TouchWeight))
		}
		d = append(d, v)
	}
	return d
}

// look returns the chosen descriptor of an RGB patch.
func (o Options) look(patch []float32) []float32 {
	switch o.Descriptor {
	case DescriptorHOG:
		return hog(patch)
	case DescriptorGIST:
		return gist(patch)
	}
	both := append(hog(patch), gist(patch)...)
	for i := range both {
		both[i] *= math.Sqrt2 / 2
	}
	return both
}

// Touches tells which sides of a window, left, top, right and bottom, lie within two pixels of the picture's border: an
// object is probably cut off there.
func Touches(im *raster.RGB, r image.Rectangle) [4]bool {
	const near = 2
	return [4]bool{r.Min.X <= near, r.Min.Y <= near, r.Max.X >= im.Width-near, r.Max.Y >= im.Height-near}
}

// Append adds all windows of another pool, which must have the same options.
func (p *Pool) Append(q *Pool) {
	if p.o != q.o {
		panic(fmt.Sprintf("pool: options %+v, want %+v", q.o, p.o))
	}
	p.windows = append(p.windows, q.windows...)
	p.desc = append(p.desc, q.desc...)
	p.norm = append(p.norm, q.norm...)
	p.masks = append(p.masks, q.masks...)
}

// Package pool holds source windows, the objects of pictures whose masks are known, and answers
// with a soft mask: how the figure in a new window probably lies, judged by the windows that look
// most alike.
//
// This is the transfer step of Kuettel and Ferrari, "Figure-ground segmentation by transferring
// window masks", CVPR 2012, with kernel ridge regression in place of nearest neighbours.
package pool

import (
	"fmt"
	"image"
	"math"

	"hdseg/manifests"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// descSize is how many values describe a window: its look, the log of its aspect ratio, and which
// of its sides (left, top, right, bottom) lie on the picture's border.
const descSize = hogSize + 5

// A Pool is a set of source windows with their descriptors and masks. AddWindow and Append are not
// for concurrent use; everything else only reads.
type Pool struct {
	o       Options
	windows []Window
	desc    []float32 // [i*descSize:], of window i
	norm    []float32 // squared lengths of the descriptors
	masks   []uint8   // [i*MaskSide²:], share of figure, 0..255
}

// A Window is one source.
type Window struct {
	ID       string // of the record
	Box      manifests.Box
	Mirrored bool
}

// A Prior is a soft mask in the frame of a window and who made it.
type Prior struct {
	Soft   []float32 // [y*MaskSide+x], probability of figure, 0..1
	Voters []Voter   // records by falling weight, then by id
}

// A Voter is a record with the sum of the weights of its voting windows; the voters' weights sum
// to 1.
type Voter struct {
	ID     string
	Weight float64
}

// New returns an empty pool. It panics on options that Validate refuses.
func New(o Options) *Pool {
	if err := o.Validate(); err != nil {
		panic("pool: " + err.Error())
	}
	return &Pool{o: o}
}

// Len returns the number of windows, mirrored ones included.
func (p *Pool) Len() int { return len(p.windows) }

// AddWindow makes two sources of one window, which is a part of the picture and not empty: the
// window and its mirror image.
func (p *Pool) AddWindow(id string, im *raster.RGB, m *raster.Mask, r image.Rectangle) {
	patch, mask := colorPatch(im, r, margin, patchSize), maskPatch(m, r, MaskSide)
	cut := Touches(im, r)
	w := Window{ID: id, Box: manifests.Box{XMin: r.Min.X, YMin: r.Min.Y, XMax: r.Max.X, YMax: r.Max.Y}}
	p.append(w, describe(patch, r, cut), mask)
	w.Mirrored = true
	cut[0], cut[2] = cut[2], cut[0]
	p.append(w, describe(mirrored(patch, patchSize), r, cut), mirrored(mask, MaskSide))
}

func (p *Pool) append(w Window, d []float32, mask []uint8) {
	p.windows = append(p.windows, w)
	p.desc = append(p.desc, d...)
	p.norm = append(p.norm, dot(d, d))
	p.masks = append(p.masks, mask...)
}

func (p *Pool) descriptor(i int) []float32 { return p.desc[i*descSize:][:descSize] }

// Describe returns the descriptor of a window of a picture.
func Describe(im *raster.RGB, r image.Rectangle) []float32 {
	return describe(colorPatch(im, r, margin, patchSize), r, Touches(im, r))
}

func describe(patch []float32, r image.Rectangle, cut [4]bool) []float32 {
	aspect := arith.Log(float64(r.Dx()) / float64(r.Dy()))
	d := append(hog(patch), float32(math.Sqrt(aspectWeight)*aspect))
	for _, c := range cut {
		var v float32
		if c {
			v = float32(math.Sqrt(touchWeight))
		}
		d = append(d, v)
	}
	return d
}

// Touches tells which sides of a window, left, top, right and bottom, lie within two pixels of the
// picture's border: an object is probably cut off there.
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

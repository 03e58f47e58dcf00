package feature

import (
	"math"

	"hdseg/manifests/arith"
)

// A field holds some rows of gradient orientations, cols wide, and sums them up. Implementations
// give the same bits.
type field interface {
	// row computes field row y from three rows of gray pixels, of cols+2 pixels each.
	row(y int, up, on, down []float32)
	// keep moves rows from.. to 0.. for the next band.
	keep(from int)
	// describe sets hist to the sums of the window whose upper left pixel is (x, y): entry (4*row +
	// column)*8 + orientation.
	describe(hist *[128]float32, x, y int, w *window)
}

// A sparseField is the field in plain Go.
type sparseField struct {
	pix  []orient
	cols int
}

func newSparseField(cols, rows int) field { return &sparseField{make([]orient, cols*rows), cols} }

func (f *sparseField) row(y int, up, on, down []float32) {
	orientRowGeneric(f.pix[y*f.cols:(y+1)*f.cols], up, on, down)
}

func (f *sparseField) keep(from int) { copy(f.pix, f.pix[from*f.cols:]) }

func (f *sparseField) describe(hist *[128]float32, x, y int, w *window) {
	clear(hist[:])
	row := 0
	for k, run := range w.run {
		for range run {
			var sums [6][8]float32 // of bins -1..4
			pix := f.pix[(y+row)*f.cols+x:]
			col := 0
			for s, n := range w.run {
				a, b := &sums[s], &sums[s+1]
				for range n {
					o, lo, hi := &pix[col], w.lo[col], w.hi[col]
					i, j := o.at&7, (o.at+1)&7
					a[i] += float32(lo * o.lo)
					a[j] += float32(lo * o.hi)
					b[i] += float32(hi * o.lo)
					b[j] += float32(hi * o.hi)
					col++
				}
			}
			if k > 0 {
				addScaled(hist[(k-1)*32:k*32], &sums, w.lo[row])
			}
			if k < 4 {
				addScaled(hist[k*32:(k+1)*32], &sums, w.hi[row])
			}
			row++
		}
	}
}

// addScaled adds f times bins 0..3.
func addScaled(to []float32, sums *[6][8]float32, f float32) {
	for i := range to {
		to[i] += float32(f * sums[i>>3+1][i&7])
	}
}

// A window spreads the pixels of one axis of a descriptor over its 4 bins: linear interpolation
// between bin centers times the Gaussian, whose sigma is half of the descriptor (Lowe 2004, section
// 6.1). Offset d = -reach..reach from the middle is at u = d/bin; the bins' centers are at u =
// -1.5, -0.5, 0.5, 1.5.
//
// Segment k = 0..4 of the axis lies between the centers of bins k-1 and k: its run[k] pixels give
// lo to bin k-1 and hi to bin k (bins -1 and 4 do not exist).
type window struct {
	reach  int
	lo, hi []float32 // index d+reach
	run    [5]int
}

func newWindow(bin int) *window {
	reach := (5*bin+1)/2 - 1 // the last offset with |u| < 2.5
	w := &window{reach: reach, lo: make([]float32, 2*reach+1), hi: make([]float32, 2*reach+1)}
	for i := range w.lo {
		u := float64(i-reach) / float64(bin)
		below := math.Floor(u + 1.5)
		f := u + 1.5 - below
		g := arith.Exp(-u * u / 8)
		w.lo[i], w.hi[i] = float32((1-f)*g), float32(f*g)
		w.run[int(below)+1]++
	}
	return w
}

// side returns the number of pixels across.
func (w *window) side() int { return 2*w.reach + 1 }

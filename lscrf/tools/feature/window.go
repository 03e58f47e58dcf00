package feature

import "math"

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
		g := math.Exp(-u * u / 8)
		w.lo[i], w.hi[i] = float32((1-f)*g), float32(f*g)
		w.run[int(below)+1]++
	}
	return w
}

// side returns the number of pixels across.
func (w *window) side() int { return 2*w.reach + 1 }

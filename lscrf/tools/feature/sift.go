package feature

import (
	"cmp"
	"math"
	"slices"
)

// sift describes the square around each of the given pixels of a gray picture: out[i*stride :
// i*stride+128] gets the upright SIFT descriptor of the i-th, entry (4*row + column)*8 +
// orientation, with orientation o about the angle o*45 degrees from x (right) towards y (down)
// (Lowe, Distinctive image features from scale-invariant keypoints, IJCV 60(2), 2004, section 6).
// Beyond its border the picture is its nearest pixel. Cost: about 2 ms for 350 windows with bins of
// 12 px in 500 x 333 pixels.
func sift(out []float32, stride int, gray []float32, w, h int, at []point, o Options) {
	if o.SIFTSigma > 0 {
		gray = blur(gray, w, h, o.SIFTSigma)
	}
	win := newWindow(o.SIFTBin)
	r := win.reach
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(at[i].y-at[j].y, i-j) })
	// The field is a band of rows that moves down the picture: field row i is picture row top+i,
	// and its column x picture column x-r.
	cols := w + 2*r
	rows := win.side() + bandRows
	f := newField(cols, rows)
	pad := newPadder(gray, w, h, r+1)
	top, ready := 0, 0
	var hist [128]float32
	for n, i := range order {
		p := at[i]
		first := p.y - r
		if n == 0 || first+win.side() > top+ready {
			if n == 0 || first >= top+ready {
				top, ready = first, 0
			} else {
				f.keep(first - top)
				ready -= first - top
				top = first
			}
			for ; ready < rows && top+ready < h+r; ready++ {
				y := top + ready
				f.row(ready, pad.row(y-1), pad.row(y), pad.row(y+1))
			}
		}
		f.describe(&hist, p.x, first-top, win)
		root(out[i*stride:i*stride+128], &hist, o.SIFTRange)
	}
}

// bandRows is how many rows of window positions a field holds at a time.
const bandRows = 64

// A point is a pixel.
type point struct{ x, y int }

// root turns orientation histograms into rootSIFT. The usual steps come first: L2 norm 1, nothing
// above 0.2 (Lowe 2004). Then, for v with L1 norm |v|, range B is 16*sqrt(v/|v|) (Arandjelovic and
// Zisserman, Three things everyone should know to improve object retrieval, CVPR 2012, scaled to
// the paper's range), and range A the square root of the byte that SIFT files store, 512*v/|v|2
// rounded and at most 255. A window without any gradient gives zeros.
func root(out []float32, hist *[128]float32, rng string) {
	most := float32(0.2 * math.Sqrt(square(hist[:])))
	sum := 0.0
	for i, v := range hist {
		hist[i] = min(v, most)
		sum += float64(hist[i])
	}
	if sum == 0 {
		clear(out)
		return
	}
	if rng == RangeA {
		f := 512 / math.Sqrt(square(hist[:]))
		for i, v := range hist {
			out[i] = float32(math.Sqrt(math.Min(255, math.RoundToEven(f*float64(v)))))
		}
		return
	}
	f := float32(256 / sum)
	for i, v := range hist {
		out[i] = float32(math.Sqrt(float64(f * v)))
	}
}

// A padder gives rows of a picture that is continued beyond its border by its nearest pixel.
type padder struct {
	gray  []float32
	w, h  int
	pad   int          // pixels added on each side
	rows  [4][]float32 // the last rows asked for, row y in rows[y&3]
	holds [4]int       // which ones they are, plus 1
}

func newPadder(gray []float32, w, h, pad int) *padder {
	p := &padder{gray: gray, w: w, h: h, pad: pad}
	for i := range p.rows {
		p.rows[i] = make([]float32, w+2*pad+8) // kernels may read past the end
	}
	return p
}

func (p *padder) row(y int) []float32 {
	y = min(max(y, 0), p.h-1)
	row := p.rows[y&3]
	if p.holds[y&3] == y+1 {
		return row
	}
	p.holds[y&3] = y + 1
	in := p.gray[y*p.w : (y+1)*p.w]
	copy(row[p.pad:], in)
	for i := range p.pad {
		row[i] = in[0]
		row[p.pad+p.w+i] = in[p.w-1]
	}
	return row
}

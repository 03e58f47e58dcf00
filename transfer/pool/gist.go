package pool

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The other descriptor of a window's look: GIST (Oliva and Torralba, "Modeling the shape of the scene", IJCV 2001) of the grey patch: how strongly
// each of a bank of oriented filters answers in each of gistCells x gistCells cells, after differences of contrast within the patch were
// evened out. Filters are Gaussians of log frequency and of angle in the Fourier domain (Field, JOSA A 1987), an octave and 180°/8
// apart, that meet their neighbours at half their height. The sizes, but for the number of filters and cells, are ours.
const (
	gistScales       = 4
	gistOrientations = 8
	gistCells        = 4
	gistSize         = gistScales * gistOrientations * gistCells * gistCells

	gistTop     = 0.25 // cycles per pixel that the finest filters answer most
	gistPad     = 8    // pixels of reflection around the patch
	gistSide    = patchSize + 2*gistPad
	gistCoarse  = 4. / patchSize     // cycles per pixel: of structures this wide half is evened out
	gistNoise   = 10                 // grey levels added to the local contrast: noise of one or two is not blown up
	gistFloor   = 0.1                // added to the descriptor's squared length, for the same
	gistTrace   = 1e-3               // answers below this share are none
	halfHeight  = 1.1774100225154747 // √(2 ln 2): a Gaussian has half its height at so many standard deviations
	cellPatchPx = patchSize / gistCells
)

// A gistBank holds in the Fourier domain, [kx*gistSide+ky], the Gaussian that evens out contrast and the filters.
type gistBank struct {
	low     []float64
	filters [gistScales * gistOrientations][]float64
}

// theGistBank is made once and only read.
var theGistBank = sync.OnceValue(func() *gistBank {
	b := &gistBank{low: make([]float64, gistSide*gistSide)}
	for i := range b.filters {
		b.filters[i] = make([]float64, gistSide*gistSide)
	}
	const width, angle = math.Ln2 / 2 / halfHeight, math.Pi / gistOrientations / 2 / halfHeight
	for i := range b.low {
		fx, fy := frequency(i/gistSide), frequency(i%gistSide)
		r := math.Hypot(fx, fy)
		b.low[i] = math.Exp(-math.Ln2 * r * r / (gistCoarse * gistCoarse))
		if r == 0 || fx == -0.5 || fy == -0.5 { // the mean, and what has no sign
			continue
		}
		for k := range b.filters {
			scale, turn := math.Log(r/gistTop*math.Exp2(float64(k/gistOrientations)))/width, math.Pi*float64(k%gistOrientations)/gistOrientations
			off := math.Remainder(math.Atan2(fy, fx)-turn, 2*math.Pi) / angle
			if v := math.Exp(-(scale*scale + off*off) / 2); v >= gistTrace {
				b.filters[k][i] = v
			}
		}
	}
	return b
})

// frequency returns the cycles per pixel of a Fourier coefficient, -0.5 to below 0.5.
func frequency(k int) float64 {
	if k >= gistSide/2 {
		k -= gistSide
	}
	return float64(k) / gistSide
}

// gist returns the descriptor of an RGB patch (0..255, interleaved), of length 1 at most: the answers of gistAnswers as shares of their
// length. Cost: about 30 two-dimensional Fourier transforms.
func gist(patch []float32) []float32 {
	out := gistAnswers(patch)
	scale(out, gistFloor)
	return out
}

// gistAnswers returns the mean strength in cell (cx, cy) of the answer of filter k, which has scale k/gistOrientations, finest first, and the direction
// of k%gistOrientations times 180°/gistOrientations, of an RGB patch, at [(k*gistCells+cy)*gistCells+cx]. A wave of local standard deviation 1 answers
// its own filter with √½.
func gistAnswers(patch []float32) []float32 {
	fft, bank := fourier.NewCmplxFFT(gistSide), theGistBank()
	even := evened(fft, bank, reflected(patch))
	spectrum := transform(fft.Coefficients, even)
	out := make([]float32, gistSize)
	work := make([]complex128, len(spectrum))
	for k, filter := range bank.filters {
		for i, v := range filter {
			work[i] = spectrum[i] * complex(v, 0)
		}
		answer := transform(fft.Sequence, work)
		cells := out[k*gistCells*gistCells:][:gistCells*gistCells]
		for y := range patchSize {
			row := answer[(y+gistPad)*gistSide+gistPad:][:patchSize]
			for x, v := range row {
				cells[y/cellPatchPx*gistCells+x/cellPatchPx] += float32(math.Hypot(real(v), imag(v)) / (gistSide * gistSide * cellPatchPx * cellPatchPx))
			}
		}
	}
	return out
}

// reflected returns the grey levels (Rec. 601) of an RGB patch, with gistPad pixels of its mirror image around, [y*gistSide+x].
func reflected(patch []float32) []complex128 {
	fold := func(i int) int {
		if i -= gistPad; i < 0 {
			return -1 - i
		}
		return min(i, 2*patchSize-1-i)
	}
	out := make([]complex128, gistSide*gistSide)
	for i := range out {
		p := patch[3*(fold(i/gistSide)*patchSize+fold(i%gistSide)):]
		out[i] = complex(0.299*float64(p[0])+0.587*float64(p[1])+0.114*float64(p[2]), 0)
	}
	return out
}

// evened takes the local mean from grey levels and divides them by the local standard deviation.
func evened(fft *fourier.CmplxFFT, bank *gistBank, grey []complex128) []complex128 {
	blur := func(v []complex128) []complex128 {
		s := transform(fft.Coefficients, v)
		for i, g := range bank.low {
			s[i] *= complex(g/(gistSide*gistSide), 0)
		}
		return transform(fft.Sequence, s)
	}
	square := make([]complex128, len(grey))
	for i, m := range blur(grey) {
		grey[i] = complex(real(grey[i])-real(m), 0)
		square[i] = grey[i] * grey[i]
	}
	for i, v := range blur(square) {
		grey[i] /= complex(gistNoise+math.Sqrt(math.Max(real(v), 0)), 0)
	}
	return grey
}

// transform applies a one-dimensional transform along both sides of a square: what lies at [y*side+x] comes out at [kx*side+ky], and back. Rows of
// zeros, which stay so, cost nothing. It is not scaled.
func transform(along func(dst, src []complex128) []complex128, v []complex128) []complex128 {
	out := make([]complex128, len(v))
	row := make([]complex128, gistSide)
	for y := range gistSide {
		zero := true
		for _, c := range v[y*gistSide:][:gistSide] {
			zero = zero && c == 0
		}
		if zero {
			continue
		}
		along(row, v[y*gistSide:][:gistSide])
		for x, c := range row {
			out[x*gistSide+y] = c
		}
	}
	for x := range gistSide {
		r := out[x*gistSide:][:gistSide]
		along(r, r)
	}
	return out
}

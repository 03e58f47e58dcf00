package raster

import (
	"fmt"
	"math"

	"github.com/disintegration/imaging"
)

// Shown returns the picture at another size for people to look at: sharper than Resize, but its
// last bits depend on the processor, so that no data set may have them.
func Shown(m *RGB, width, height int) *RGB {
	checkSize(width, height)
	return FromImage(imaging.Resize(m.Image(), width, height, imaging.Lanczos))
}

// Resize returns the picture at another size, filtered with a triangle whose support grows when
// shrinking, so that nothing aliases.
func Resize(m *RGB, width, height int) *RGB {
	checkSize(width, height)
	if width == m.Width && height == m.Height {
		return &RGB{Pix: append([]uint8(nil), m.Pix...), Width: width, Height: height}
	}
	out := &RGB{Pix: make([]uint8, 3*width*height), Width: width, Height: height}
	plane := make([]float32, m.Width*m.Height)
	for c := range 3 {
		for i := range plane {
			plane[i] = float32(m.Pix[3*i+c])
		}
		for i, v := range ResizeField(plane, m.Width, m.Height, width, height) {
			out.Pix[3*i+c] = uint8(v + 0.5)
		}
	}
	return out
}

// Shrink returns the picture at a size of at most so many pixels: the picture itself if it has no
// more.
func Shrink(m *RGB, pixels int) *RGB {
	n := m.Width * m.Height
	if n <= pixels {
		return m
	}
	f := math.Sqrt(float64(pixels) / float64(n))
	return Resize(m, max(1, int(f*float64(m.Width))), max(1, int(f*float64(m.Height))))
}

// ResizeNearest returns the mask at another size: every pixel takes the label at its centre, so no
// label appears that was not there.
func ResizeNearest(m *Mask, width, height int) *Mask {
	out := NewMask(width, height)
	xs := make([]int, width)
	for x := range xs {
		xs[x] = (2*x + 1) * m.Width / (2 * width)
	}
	for y := range height {
		row := m.Pix[(2*y+1)*m.Height/(2*height)*m.Width:][:m.Width]
		for x, sx := range xs {
			out.Pix[y*width+x] = row[sx]
		}
	}
	return out
}

// ResizeField returns a real-valued picture, src[y*srcWidth+x], at another size, filtered like
// Resize. A constant stays that constant up to rounding; results lie within the range of src.
func ResizeField(src []float32, srcWidth, srcHeight, width, height int) []float32 {
	if len(src) != srcWidth*srcHeight {
		panic(fmt.Sprintf("raster: len(src) = %d, want %d x %d", len(src), srcWidth, srcHeight))
	}
	checkSize(width, height)
	cols, rows := triangle(srcWidth, width), triangle(srcHeight, height)
	tmp := make([]float32, srcHeight*width)
	for y := range srcHeight {
		in := src[y*srcWidth:][:srcWidth]
		out := tmp[y*width:][:width]
		for x := range out {
			var s float32
			t := &cols[x]
			for k, w := range t.weights {
				s += float32(w * in[t.first+k])
			}
			out[x] = s
		}
	}
	dst := make([]float32, width*height)
	for y := range height {
		out := dst[y*width:][:width]
		t := &rows[y]
		for k, w := range t.weights {
			in := tmp[(t.first+k)*width:][:width]
			for x, v := range in {
				out[x] += float32(w * v)
			}
		}
	}
	return dst
}

// taps are the source samples first, first+1, ... that one target sample mixes; weights sum to 1.
type taps struct {
	first   int
	weights []float32
}

// triangle returns the taps of every target sample when n samples become size ones; the ends repeat
// nothing: what falls outside is left out and the rest scaled up.
func triangle(n, size int) []taps {
	scale := float64(n) / float64(size)
	radius := max(scale, 1)
	out := make([]taps, size)
	for i := range out {
		center := float64((float64(i)+0.5)*scale) - 0.5
		lo := max(int(math.Ceil(center-radius)), 0)
		hi := min(int(math.Floor(center+radius)), n-1)
		w := make([]float64, 0, hi-lo+1)
		sum := 0.0
		for j := lo; j <= hi; j++ {
			v := max(0, 1-math.Abs(float64(j)-center)/radius)
			w = append(w, v)
			sum += v
		}
		t := taps{first: lo, weights: make([]float32, len(w))}
		for k, v := range w {
			t.weights[k] = float32(v / sum)
		}
		out[i] = t
	}
	return out
}

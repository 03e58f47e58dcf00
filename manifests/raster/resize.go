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
	cols := triangle(m.Width, width)
	tmp := make([]float32, m.Height*3*width)
	for y := range m.Height {
		in := m.Pix[3*y*m.Width:][:3*m.Width]
		out := tmp[y*3*width:][:3*width]
		for x, t := range cols {
			var r, g, b float32
			for k, w := range t.weights {
				p := (*[3]uint8)(in[3*(t.first+k):])
				r += float32(w * float32(p[0]))
				g += float32(w * float32(p[1]))
				b += float32(w * float32(p[2]))
			}
			out[3*x], out[3*x+1], out[3*x+2] = r, g, b
		}
	}
	out := &RGB{Pix: make([]uint8, 3*width*height), Width: width, Height: height}
	mixRows(tmp, 3*width, triangle(m.Height, height), func(y int, row []float32) {
		for i, v := range row {
			out.Pix[y*len(row)+i] = uint8(v + 0.5)
		}
	})
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
	cols := triangle(srcWidth, width)
	tmp := make([]float32, srcHeight*width)
	for y := range srcHeight {
		in := src[y*srcWidth:][:srcWidth]
		out := tmp[y*width:][:width]
		for x, t := range cols {
			var s float32
			for k, v := range in[t.first:][:len(t.weights)] {
				s += float32(t.weights[k] * v)
			}
			out[x] = s
		}
	}
	dst := make([]float32, width*height)
	mixRows(tmp, width, triangle(srcHeight, height), func(y int, row []float32) { copy(dst[y*width:], row) })
	return dst
}

// mixRows calls use with every target row, mixed from source rows of n values.
func mixRows(src []float32, n int, rows []taps, use func(y int, row []float32)) {
	out := make([]float32, n)
	for y, t := range rows {
		clear(out)
		for k := 0; k < len(t.weights); k += 2 { // two a pass
			a, v := src[(t.first+k)*n:][:n], t.weights[k]
			if k+1 == len(t.weights) {
				for x := range out {
					out[x] += float32(v * a[x])
				}
				break
			}
			b, w := src[(t.first+k+1)*n:][:n], t.weights[k+1]
			for x := range out {
				out[x] += float32(v * a[x])
				out[x] += float32(w * b[x])
			}
		}
		use(y, out)
	}
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

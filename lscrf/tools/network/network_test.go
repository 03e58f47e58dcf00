package network

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/raster"
)

// scene draws a disc on a slope of colors.
func scene(width, height int) *raster.RGB {
	im := raster.NewRGB(width, height)
	for y := range height {
		for x := range width {
			im.Set(x, y, uint8(x*255/width), uint8(y*255/height), uint8((x*y)%256))
			if dx, dy := 4*x-2*width, 3*y-height; dx*dx+dy*dy < width*height {
				im.Set(x, y, 120, 80, 40)
			}
		}
	}
	return im
}

func digest(a *feature.Array) string {
	h := sha256.New()
	for _, v := range a.Values {
		_ = binary.Write(h, binary.LittleEndian, v) // a hash takes all
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// Every kernel of every processor gives these values.
func TestArray(t *testing.T) {
	defer func(k kernelSet) { kernels = k }(kernels)
	im := scene(64, 48)
	for _, kernels = range kernelSets() {
		a := Array(im)
		if a.Width != 16 || a.Height != 12 || a.Channels != Channels || len(a.Values) != 16*12*Channels { // of 256 x 192 pixels
			t.Fatalf("%s: got %d x %d x %d", kernels.name, a.Height, a.Width, a.Channels)
		}
		if got := digest(a); got != "74ba8d244ba0d746" {
			t.Errorf("%s: got the digest %s", kernels.name, got)
		}
	}
}

// The smallest and the longest pictures have arrays.
func TestShapes(t *testing.T) {
	for _, c := range [][4]int{{1, 1, 2, 2}, {3, 500, 2, 46}, {2000, 10, 46, 2}} {
		a := Array(scene(c[0], c[1]))
		if a.Width != c[2] || a.Height != c[3] {
			t.Errorf("%d x %d pixels: got %d x %d cells, want %d x %d", c[0], c[1], a.Width, a.Height, c[2], c[3])
		}
		for _, v := range a.Values {
			if math.Abs(float64(v)) > 128 {
				t.Fatalf("got the value %g", v)
			}
		}
	}
}

// All kernels of this machine give the bits of the generic ones, at their limits and for few cells too.
func TestKernelsAgree(t *testing.T) {
	if len(kernelSets()) == 1 {
		t.Skip("only the generic kernels run on this machine")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	values := func(n int) []int16 {
		s := make([]int16, n)
		for i := range s {
			if s[i] = int16(rng.IntN(1 << 16)); rng.IntN(20) == 0 {
				s[i] = math.MinInt16
			}
		}
		return s
	}
	for trial := range 300 {
		n, pairs := 1+rng.IntN(30), 1+rng.IntN(40)
		from, to := 2*pairs+rng.IntN(9), lanes+rng.IntN(9)
		r := rounding{rng.IntN(20), int16(-rng.IntN(1 << 15)), int16(rng.IntN(1 << 15))}
		bias := make([]int32, 4*lanes)
		for i := range bias {
			bias[i] = int32(rng.Uint32())
		}
		src, w := values(n*from), values(2*pairs*lanes)
		want := make([]int16, n*to)
		pointwiseGeneric(want, to, src, from, n, pairs, w, bias, &r)
		taps := make([]int, 2*pairs)
		for i := range taps {
			taps[i] = rng.IntN(50)
		}
		channels := lanes * (1 + rng.IntN(4))
		wide, step := values(50+2*channels*n), channels*(1+rng.IntN(2))
		deep, filter := make([]int16, n*channels), values(channels*len(taps))
		depthwiseGeneric(deep, channels, wide, step, n, taps, filter, bias, &r)
		for _, set := range kernelSets()[1:] {
			got := make([]int16, n*to)
			if set.pointwise(got, to, src, from, n, pairs, w, bias, &r); !slices.Equal(got, want) {
				t.Fatalf("%s, trial %d: pointwise got %v, want %v", set.name, trial, got, want)
			}
			got = make([]int16, n*channels)
			if set.depthwise(got, channels, wide, step, n, taps, filter, bias, &r); !slices.Equal(got, deep) {
				t.Fatalf("%s, trial %d: depthwise got %v, want %v", set.name, trial, got, deep)
			}
			more := w[lanes*pairs:]
			a, b := slices.Clone(w[:lanes*pairs]), slices.Clone(w[:lanes*pairs])
			addGeneric(a, more)
			if set.add(b, more); !slices.Equal(a, b) {
				t.Fatalf("%s, trial %d: add got %v, want %v", set.name, trial, b, a)
			}
		}
	}
}

// A layer of one output is a weighted sum, rounded to the nearest.
func TestLayerByHand(t *testing.T) {
	var file []byte
	for _, v := range []float32{0.5, 2.0 / 127} { // bias, scale
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(v))
	}
	file = append(file, 127, 0x81, 64) // 2, -2, 1.0079
	r := reader{file}
	l := r.layer(3, 1, innerBits, outerBits)
	src := []int16{1 << innerBits, 3 << (innerBits - 1), 5 << innerBits, 0} // 1, 1.5, 5
	dst := make([]int16, lanes)
	l.cells(dst, src, 4, 1)
	if want := int16(math.Round((0.5 + 2 - 3 + 5*128.0/127) * (1 << outerBits))); dst[0] != want || dst[1] != 0 {
		t.Errorf("got %v, want %d and nothing else", dst, want)
	}
}

func BenchmarkArray(b *testing.B) {
	im := scene(500, 375)
	Array(im)
	for b.Loop() {
		Array(im)
	}
}

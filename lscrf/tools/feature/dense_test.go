package feature

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"hdseg/lscrf/tools/dense/arraytest"
	"hdseg/lscrf/tools/superpixel"
)

func TestArrayValues(t *testing.T) {
	half, err := ParseArray(arraytest.NPY("<f2", "False", "1, 3, 2", []uint16{0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, -2, 0.333251953125, 0x1p-24, 65504, math.Copysign(0, -1)} {
		if got := float64(half.Values[i]); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("half %d: got %v, want %v", i, got, want)
		}
	}
	if half.Height != 1 || half.Width != 3 || half.Channels != 2 {
		t.Errorf("got %d x %d x %d, want 1 x 3 x 2", half.Height, half.Width, half.Channels)
	}
	single, err := ParseArray(arraytest.NPY("<f4", "False", "2, 1, 1", []float32{0.25, -7}))
	if err != nil || single.Values[0] != 0.25 || single.Values[1] != -7 {
		t.Errorf("got %+v, %v", single, err)
	}
}

// What is no such array is refused with what is wrong with it.
func TestArrayRefused(t *testing.T) {
	good := arraytest.NPY("<f4", "False", "1, 2, 1", []float32{1, 2})
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("PK\x03\x04 a zip of arrays"), "is no NumPy file"},
		{good[:20], "is cut short"},
		{good[:len(good)-1], "got 7 bytes of values, want 8"},
		{append(bytes.Clone(good), 0), "got 9 bytes of values, want 8"},
		{arraytest.NPY("<f8", "False", "1, 2, 1", []float64{1, 2}), "want float16 or float32"},
		{arraytest.NPY("<f4", "True", "1, 2, 1", []float32{1, 2}), "in C order"},
		{arraytest.NPY("<f4", "False", "1, 2", []float32{1, 2}), "height x width x channels"},
		{arraytest.NPY("<f4", "False", "0, 2, 1", []float32{}), "got an array of 0 x 2 x 1"},
		{arraytest.NPY("<f4", "False", "1000000, 1000000, 1000", []float32{}), "want 1 to"},
		{arraytest.NPY("<f2", "False", "99999999999999999999, 2, 1", []uint16{}), "want 1 to"},
		{arraytest.NPY("<f4", "False", "1, 1, 5000", make([]float32, 5000)), "got 5000 channels, want at most 4096"},
		{arraytest.NPY("<f4", "False", "300, 300, 1", make([]float32, 90000)), "got 300 x 300 cells"},
		{arraytest.NPY("<f4", "False", "1, 2, 1", []float32{1, float32(math.NaN())}), "value 1 is NaN"},
		{arraytest.NPY("<f2", "False", "1, 1, 1", []uint16{0x7c00}), "value 0 is +Inf"},
	} {
		if _, err := ParseArray(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func FuzzArray(f *testing.F) {
	f.Add(arraytest.NPY("<f2", "False", "1, 3, 2", make([]uint16, 6)))
	f.Add(arraytest.NPY("<f4", "False", "2, 1, 1", []float32{0.25, -7}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ParseArray(data)
		if err == nil && len(a.Values) != a.Height*a.Width*a.Channels {
			t.Errorf("got %d values of %d x %d x %d", len(a.Values), a.Height, a.Width, a.Channels)
		}
	})
}

// Means over superpixels of values that grow along the picture are the values at their centers, between the first and the last cell's.
func TestPoolOfRamp(t *testing.T) {
	const w, h = 32, 16
	sp := &superpixel.Map{Width: w, Height: h, N: 2, Labels: make([]int32, w*h)}
	for i := range sp.Labels {
		if x := i % w; x >= 8 && x < 16 {
			sp.Labels[i] = 1
		}
	}
	a := &Array{Height: 4, Width: 8, Channels: 3}
	for y := range a.Height {
		for x := range a.Width {
			a.Values = append(a.Values, float32(x)+0.5, float32(y)+0.5, 7)
		}
	}
	got := a.Pool(sp, Whole)[3:]
	for c, want := range []float64{8 * 12.0 / 32, 4 * 0.5, 7} { // pixels 8..15 of 32 have their middle at 12
		if math.Abs(float64(got[c])-want) > 1e-5 {
			t.Errorf("channel %d: got %g, want %g", c, got[c], want)
		}
	}
	// The superpixels cover the right half of the picture alone.
	if got, want := a.Pool(sp, Frame{0.5, 0, 1, 1})[3], 8*(0.5+12.0/64); math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("in a frame: got %g, want %g", got, want)
	}
	x := a.Beside([]float32{1, 2, 3, 4}, sp)
	if len(x) != 2*5 || x[0] != 1 || x[1] != 2 || x[5] != 3 || x[6] != 4 || x[9] != 7 {
		t.Errorf("beside: got %v", x)
	}
}

// A pixel has what a superpixel of that pixel alone would have.
func TestResize(t *testing.T) {
	const w, h = 11, 7
	sp := &superpixel.Map{Width: w, Height: h, N: w * h, Labels: make([]int32, w*h)}
	for i := range sp.Labels {
		sp.Labels[i] = int32(i)
	}
	a := &Array{Height: 3, Width: 4, Channels: 2}
	for i := range 24 {
		a.Values = append(a.Values, float32(i*i%17))
	}
	want := a.Pool(sp, Whole)
	got := a.Resize(h, w)
	if got.Height != h || got.Width != w || got.Channels != 2 || len(got.Values) != len(want) {
		t.Fatalf("got %d x %d x %d and %d values", got.Height, got.Width, got.Channels, len(got.Values))
	}
	for i, v := range got.Values {
		if math.Abs(float64(v-want[i])) > 1e-5 {
			t.Errorf("value %d: got %g, want %g", i, v, want[i])
		}
	}
}

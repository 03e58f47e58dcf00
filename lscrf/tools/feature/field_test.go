package feature

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/superpixel"
)

// The fast field gives the bits of the plain one: random pictures, flat ones, windows of all sizes.
func TestFieldsAgree(t *testing.T) {
	if reflect.ValueOf(newField).Pointer() == reflect.ValueOf(newSparseField).Pointer() {
		t.Skip("only the plain field runs on this machine")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	nonzero := 0
	for range 60 {
		win := newWindow(2 + rng.IntN(14))
		cols, rows := win.side()+rng.IntN(20), win.side()+rng.IntN(5)
		fields := []field{newSparseField(cols, rows), newField(cols, rows)}
		gray := make([][]float32, rows+2)
		step := []float32{1, 0.25, 100}[rng.IntN(3)]
		for y := range gray {
			gray[y] = make([]float32, cols+10)
			for x := range gray[y] {
				if rng.IntN(3) > 0 {
					gray[y][x] = step * float32(rng.IntN(3))
				} else {
					gray[y][x] = 255 * rng.Float32()
				}
			}
		}
		for y := range rows {
			for _, f := range fields {
				f.row(y, gray[y], gray[y+1], gray[y+2])
			}
		}
		for x := 0; x+win.side() <= cols; x += 1 + rng.IntN(5) {
			for y := 0; y+win.side() <= rows; y++ {
				var want, got [128]float32
				fields[0].describe(&want, x, y, win)
				fields[1].describe(&got, x, y, win)
				if want != got {
					t.Fatalf("reach %d at (%d, %d):\n got %v\nwant %v", win.reach, x, y, got, want)
				}
				if want != [128]float32{} {
					nonzero++
				}
			}
		}
	}
	if nonzero == 0 {
		t.Fatal("nothing was compared")
	}
}

func TestAddersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 40 {
		a, b := noise(rng, n), noise(rng, n)
		want, got := make([]float32, n), make([]float32, n)
		for i := range want {
			want[i] = rng.Float32()
			got[i] = want[i]
		}
		addPairGeneric(want, a, b, 0.3)
		addPair(got, a, b, 0.3)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("n = %d: got %v, want %v", n, got, want)
		}
		addTimesGeneric(want, a, 0.7)
		AddTimes(got, a, 0.7)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("scaled, n = %d: got %v, want %v", n, got, want)
		}
	}
}

// A blurred point is the Gaussian, and a flat picture stays flat up to its border.
func TestBlur(t *testing.T) {
	const w, h = 21, 15
	in := make([]float32, w*h)
	in[7*w+10] = 1
	out := blur(in, w, h, 1)
	// exp(-1/2)/sum and exp(-2/2)/sum, where sum = 1 + 2*(0.60653 + 0.13534 + 0.01111 + 0.00034) = 2.50663 is the weight of a line.
	for _, c := range []struct {
		x, y int
		want float32
	}{{10, 7, 0.159154}, {11, 7, 0.0965318}, {10, 6, 0.0965318}, {9, 8, 0.0585498}, {10, 12, 0}} {
		if got := out[c.y*w+c.x]; got < c.want-2e-5 || got > c.want+2e-5 {
			t.Errorf("(%d, %d): got %g, want %g", c.x, c.y, got, c.want)
		}
	}
	for i := range in {
		in[i] = 200
	}
	for i, v := range blur(in, w, h, 2.5) {
		if v < 199.99 || v > 200.01 {
			t.Fatalf("pixel %d of a flat picture: got %g, want 200", i, v)
		}
	}
}

// Whole feature rows do not depend on the kernels.
func TestFeaturesAgree(t *testing.T) {
	img := peer.Scene(90, 70, 5)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	for _, set := range []string{Draft, HDSeg} {
		o := Defaults()
		o.Set, o.Vocabulary = set, vocabulary(1)
		want := Extract(img, sp, o)
		f, a, s := newField, addPair, scoreBlock
		newField, addPair, scoreBlock = newSparseField, addPairGeneric, scoreGeneric
		got := Extract(img, sp, o)
		newField, addPair, scoreBlock = f, a, s
		if !slices.Equal(got, want) {
			t.Errorf("%s: the plain kernels give other features", set)
		}
	}
}

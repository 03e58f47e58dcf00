package regress

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// number draws floats of very different sizes, exact ties and integers among them.
func number(rng *rand.Rand) float32 {
	switch rng.IntN(4) {
	case 0:
		return float32(rng.IntN(512) - 256)
	case 1:
		return float32(rng.IntN(1<<24)-1<<23) / 256
	}
	return float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(30)-20)))
}

func numbers(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = number(rng)
	}
	return s
}

// All kernels of this machine give the bits of the generic ones.
func TestKernelsAgree(t *testing.T) {
	if len(kernelSets()) == 1 {
		t.Skip("only the generic kernels run on this machine")
	}
	rng := pcg(1)
	for _, set := range kernelSets()[1:] {
		for n := range 300 {
			stride := 48 * (1 + rng.IntN(4))
			k := 1 + rng.IntN(40)
			a, b, w := numbers(rng, k*stride), numbers(rng, k*stride), make([]float32, k)
			for i := range w {
				w[i] = unit / 16 * float32(rng.IntN(5)) / float32(1+rng.IntN(2))
			}
			i, j := 24*rng.IntN(stride/24), 16*rng.IntN(stride/16)
			want, got := make([]int64, tileLen), make([]int64, tileLen)
			for q := range want {
				want[q] = rng.Int64N(1<<40) - 1<<39
			}
			copy(got, want)
			addTileGeneric(k, a[i:], b[j:], w, stride, want)
			set.addTile(k, a[i:], b[j:], w, stride, got)
			if q := slices.Compare(got, want); q != 0 {
				t.Fatalf("%s: tile of trial %d differs:\n%v\n%v", set.name, n, got, want)
			}
			f := make([]float64, 8*rng.IntN(20))
			for q := range f {
				f[q] = rng.NormFloat64()
			}
			h := slices.Clone(f)
			weights := make([]float64, 30*len(f))
			for q := range weights {
				weights[q] = rng.NormFloat64()
			}
			terms := rng.IntN(30)
			applyGeneric(f, a[:terms], weights)
			set.apply(h, a[:terms], weights)
			if !slices.Equal(f, h) {
				t.Fatalf("%s: %d weighted sums differ", set.name, len(f))
			}
		}
	}
}

// Whole statistics have the same bits for every kernel.
func TestStatsAgreeAcrossKernels(t *testing.T) {
	defer func(k kernelSet) { kernels = k }(kernels)
	ps := pictures(8, 6, 50, 3)
	for _, kind := range []Kind{Nodes, Edges} {
		kernels = genericKernels
		want := statsOf(t, kind, ps, 50, 3)
		want.settle()
		for _, kernels = range kernelSets() {
			if got := statsOf(t, kind, ps, 50, 3); !same(t, got, want) {
				t.Errorf("%v: %s differs from generic", kind, kernels.name)
			}
		}
	}
}

// A product is rounded before it is added: (1+2⁻¹²)² = 1+2⁻¹¹+2⁻²⁴ becomes 1+2⁻¹¹, so with
// -(1+2⁻¹¹) before it the sum is 0. A fused multiply-add leaves 2⁻²⁴, which is 64 units.
func TestProductsAreRounded(t *testing.T) {
	a, b, c := make([]float32, 2*panel), make([]float32, 2*panel), make([]int64, tileLen)
	a[0], b[0] = -1, 1+0x1p-11
	a[panel], b[panel] = 1+0x1p-12, 1+0x1p-12
	for _, set := range kernelSets() {
		set.addTile(2, a, b, []float32{unit, unit}, panel, c)
		if c[0] != 0 {
			t.Errorf("%s: got %d, want 0", set.name, c[0])
		}
	}
}

func TestFloatByHand(t *testing.T) {
	type wide struct {
		hi int64
		lo uint64
	}
	m := newMatrix(newLayout(1, true))
	for v, want := range map[wide]float64{
		{0, 0}: 0, {0, 3}: 3, {-1, math.MaxUint64 - 2}: -3, {1, 0}: 0x1p64, {-1, 0}: -0x1p64, {3, 0}: 0x1.8p65, {-(1 << 36), 0}: -0x1p100} {
		m.hi[0], m.lo[0] = v.hi, v.lo
		if got := m.float(0, 0); got != want/unit {
			t.Errorf("%v is %v, want %v", v, got, want/unit)
		}
	}
}

package jpeg

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// The kernels in machine code give the bytes of their Go twins: any coefficients, those of damaged files too, and every color.
func TestKernels(t *testing.T) {
	if !hasAVX2 {
		t.Skip("SKIPPED: this machine has no AVX2")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const stride = 11
	for round := range 20000 {
		var a [64]int32
		columns := uint(0)
		for range 1 + rng.IntN(64) {
			i := rng.IntN(64)
			a[i] = int32(rng.Uint32()) >> rng.IntN(32)
			if i >= 8 && a[i] != 0 {
				columns |= 1 << (i & 7)
			}
		}
		b := a
		x, y := make([]uint8, 7*stride+8), make([]uint8, 7*stride+8)
		inverseAVX2(&a, &x[0], stride)
		inverseGeneric(&b, columns, y, stride)
		if !bytes.Equal(x, y) {
			t.Fatalf("round %d: %v: got %v, want %v", round, a, x, y)
		}
	}
	const n = 256
	luma, cb, cr := make([]uint8, n), make([]uint8, n), make([]uint8, n)
	x, y := make([]uint8, 3*n+1), make([]uint8, 3*n+1)
	for l := range 256 {
		for u := range 256 {
			for v := range n {
				luma[v], cb[v], cr[v] = uint8(l), uint8(u), uint8(v)
			}
			yccToRGBAVX2(&x[0], &luma[0], &cb[0], &cr[0], n)
			yccToRGBGeneric(y, luma, cb, cr)
			if !bytes.Equal(x, y) {
				t.Fatalf("luma %d, cb %d: the rows differ", l, u)
			}
		}
	}
}

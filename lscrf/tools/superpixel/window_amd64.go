package superpixel

import "golang.org/x/sys/cpu"

// assign is the widest kernel that the processor and the system have.
var assign = func() func(best []float32, labels []int32, l, a, b []float32, stride int, across, down []float32, mean *center, id int32) {
	if cpu.X86.HasAVX2 {
		return assignWide
	}
	return assignGeneric
}()

func assignWide(best []float32, labels []int32, l, a, b []float32, stride int, across, down []float32, mean *center, id int32) {
	if len(across) < 8 || len(down) == 0 {
		assignGeneric(best, labels, l, a, b, stride, across, down, mean, id)
		return
	}
	last := (len(down)-1)*stride + len(across) - 1
	_, _, _, _, _ = best[last], labels[last], l[last], a[last], b[last]
	assignAVX2(&best[0], &labels[0], &l[0], &a[0], &b[0], stride, &across[0], len(across), &down[0], len(down), &mean.l, id)
}

// assignAVX2 is assignGeneric with AVX2; cols is at least 8 and rows at least 1.
//
//go:noescape
func assignAVX2(best *float32, labels *int32, l, a, b *float32, stride int, across *float32, cols int,
	down *float32, rows int, mean *float32, id int32)

package jpeg

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/manifests/raster/jpeg/internal/gen -out asm_amd64.s -stubs asm_amd64.go

var hasAVX2 = cpu.X86.HasAVX2

// inverse is the fastest of its kind on this machine.
func inverse(b *[64]int32, columns uint, out []uint8, stride int) {
	if !hasAVX2 {
		inverseGeneric(b, columns, out, stride)
		return
	}
	_ = out[7*stride+7]
	inverseAVX2(b, &out[0], stride)
}

// yccToRGB is the fastest of its kind on this machine.
func yccToRGB(out, luma, cb, cr, _ []uint8) {
	n := 0
	if hasAVX2 {
		if n = len(luma) &^ 15; n > 0 {
			_, _, _ = out[3*n-1], cb[n-1], cr[n-1]
			yccToRGBAVX2(&out[0], &luma[0], &cb[0], &cr[0], n)
		}
	}
	yccToRGBGeneric(out[3*n:], luma[n:], cb[n:], cr[n:])
}

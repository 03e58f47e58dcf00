//go:build !amd64

package jpeg

func inverse(b *[64]int32, columns uint, out []uint8, stride int) {
	inverseGeneric(b, columns, out, stride)
}

func yccToRGB(out, luma, cb, cr, _ []uint8) { yccToRGBGeneric(out, luma, cb, cr) }

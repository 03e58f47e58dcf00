package jpeg

// An upsampler delivers the rows of a component at the picture's size. Factors of two use a
// triangle filter, as libjpeg does by default (jdsample.c, "fancy upsampling"): every sample is 3/4
// the nearer and 1/4 the farther one, in each direction, with a rounding that alternates so that no
// half is lost. Other factors repeat samples.
type upsampler struct {
	c              *component
	hMax, vMax     int // of all components: factors need not be whole numbers
	fancyH, fancyV bool
	sums           []int32 // 3*near + far of one row
	out            []uint8
}

func newUpsampler(c *component, hMax, vMax, width int) *upsampler {
	whole := hMax%c.h == 0 && vMax%c.v == 0
	// The filter reaches over three columns or more.
	fancyH := whole && hMax == 2*c.h && vMax <= 2*c.v && c.width > 2
	return &upsampler{
		c: c, hMax: hMax, vMax: vMax, fancyH: fancyH, fancyV: whole && vMax == 2*c.v && (fancyH || hMax == c.h),
		sums: make([]int32, c.width), out: make([]uint8, max(width, 2*c.width)),
	}
}

// samples returns a row of the component, the last one repeated below, the first above.
func (u *upsampler) samples(y int) []uint8 {
	y = max(0, min(y, u.c.height-1))
	return u.c.plane[y*8*u.c.strideX:][:u.c.width]
}

// row returns row y of the picture, valid until the next call.
func (u *upsampler) row(y int) []uint8 {
	cur := u.samples(y * u.c.v / u.vMax)
	switch {
	case u.fancyH && u.fancyV:
		u.sum(cur, y)
		fancyBoth(u.out, u.sums)
		return u.out
	case u.fancyH:
		fancyRow(u.out, cur)
		return u.out
	case u.fancyV:
		u.sum(cur, y)
		bias := int32(1 + y&1)
		for x, v := range u.sums {
			u.out[x] = uint8((v + bias) >> 2)
		}
		return u.out
	case u.c.h == u.hMax:
		return cur
	}
	for x := range u.out {
		u.out[x] = cur[min(x*u.c.h/u.hMax, len(cur)-1)]
	}
	return u.out
}

// sum weights a row against the neighbour that is nearer to picture row y.
func (u *upsampler) sum(cur []uint8, y int) {
	far := u.samples(y/2 - 1 + y&1*2)
	far = far[:len(cur)]
	sums := u.sums[:len(cur)]
	for x, v := range cur {
		sums[x] = 3*int32(v) + int32(far[x])
	}
}

// fancyRow doubles a row of three or more samples.
func fancyRow(out, in []uint8) {
	n := len(in)
	out = out[:2*n]
	out[0] = in[0]
	out[1] = uint8((3*int32(in[0]) + int32(in[1]) + 2) >> 2)
	for x := 1; x < n-1; x++ {
		v := 3 * int32(in[x])
		out[2*x] = uint8((v + int32(in[x-1]) + 1) >> 2)
		out[2*x+1] = uint8((v + int32(in[x+1]) + 2) >> 2)
	}
	out[2*n-2] = uint8((3*int32(in[n-1]) + int32(in[n-2]) + 1) >> 2)
	out[2*n-1] = in[n-1]
}

// fancyBoth doubles a row of column sums, which carry a factor of four.
func fancyBoth(out []uint8, in []int32) {
	n := len(in)
	out = out[:2*n]
	out[0] = uint8((4*in[0] + 8) >> 4)
	out[1] = uint8((3*in[0] + in[1] + 7) >> 4)
	for x := 1; x < n-1; x++ {
		v := 3 * in[x]
		out[2*x] = uint8((v + in[x-1] + 8) >> 4)
		out[2*x+1] = uint8((v + in[x+1] + 7) >> 4)
	}
	out[2*n-2] = uint8((3*in[n-1] + in[n-2] + 8) >> 4)
	out[2*n-1] = uint8((4*in[n-1] + 7) >> 4)
}

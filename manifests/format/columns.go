package format

import (
	"math/bits"

	"hdseg/manifests/raster"
)

// A columnMask is a set of pixels as COCO numbers them: pixel (x, y) is bit x*height + y. To fill
// and to join them costs a step for every 64 pixels.
type columnMask struct {
	height, width int
	bits          []uint64
}

func newColumnMask(height, width int) *columnMask {
	return &columnMask{height, width, make([]uint64, height*width/64+1)}
}

// flip changes one bit; the one past the last pixel is there and means nothing.
func (m *columnMask) flip(i int) { m.bits[i/64] ^= 1 << (i % 64) }

// fill turns the places at which ground and figure change into the pixels between them: bit i
// becomes the parity of the bits up to i.
func (m *columnMask) fill() {
	var carry uint64 // 0, or all bits where the words before hold an odd number
	for i, v := range m.bits {
		for shift := 1; shift < 64; shift *= 2 {
			v ^= v << shift
		}
		v ^= carry
		m.bits[i] = v
		carry = -(v >> 63)
	}
}

// add joins another set of the same size.
func (m *columnMask) add(o *columnMask) {
	for i, v := range o.bits {
		m.bits[i] |= v
	}
}

// addRuns joins the figure of run lengths of the same size.
func (m *columnMask) addRuns(r RLE) {
	one := newColumnMask(m.height, m.width)
	at := 0
	for _, n := range r.Counts {
		at += n
		one.flip(at)
	}
	one.fill()
	m.add(one)
}

// paint gives the pixels of m a value.
func (m *columnMask) paint(mask *raster.Mask, value uint8) {
	for w, v := range m.bits {
		for ; v != 0; v &= v - 1 {
			i := 64*w + bits.TrailingZeros64(v)
			if i >= m.height*m.width {
				return
			}
			mask.Pix[i%m.height*m.width+i/m.height] = value
		}
	}
}

package format

import (
	"fmt"

	"hdseg/manifests/raster"
)

// An RLE is a binary mask as COCO's run lengths: down the columns, the columns from left to right.
// Counts begins with a run of ground, 0 pixels long if the first pixel is figure, and adds up to
// Height*Width; even entries are ground, odd ones figure.
//
// Reference: cocodataset/cocoapi, common/maskApi.c, whose results for sound masks are reproduced
// exactly.
type RLE struct {
	Height, Width int
	Counts        []int
}

// maxRLEPixels bounds the size that a file may claim.
const maxRLEPixels = 1 << 28

// RLEOf encodes the pixels of m that have the given value.
func RLEOf(m *raster.Mask, value uint8) RLE {
	r := RLE{m.Height, m.Width, []int{0}}
	figure := false
	for x := range m.Width {
		for y := range m.Height {
			if (m.Pix[y*m.Width+x] == value) != figure {
				figure = !figure
				r.Counts = append(r.Counts, 0)
			}
			r.Counts[len(r.Counts)-1]++
		}
	}
	return r
}

// Check tells whether the counts describe a mask of that size. The other methods need this to hold.
func (r RLE) Check() error {
	if r.Height < 1 || r.Width < 1 || r.Height > maxRLEPixels/r.Width {
		return fmt.Errorf("rle: got %d x %d pixels, want at least 1 x 1 and at most %d", r.Width, r.Height, maxRLEPixels)
	}
	left := r.Height * r.Width
	for i, n := range r.Counts {
		if n < 0 || n > left {
			return fmt.Errorf("rle: run %d: got %d pixels, want 0..%d", i, n, left)
		}
		left -= n
	}
	if left != 0 {
		return fmt.Errorf("rle: the runs add up to %d pixels, want %d", r.Height*r.Width-left, r.Height*r.Width)
	}
	return nil
}

// Paint gives the figure's pixels a value in a mask of the same size.
func (r RLE) Paint(m *raster.Mask, value uint8) {
	c := newColumnMask(r.Height, r.Width)
	c.addRuns(r)
	c.paint(m, value)
}

// Area is the number of figure pixels.
func (r RLE) Area() int {
	area := 0
	for i := 1; i < len(r.Counts); i += 2 {
		area += r.Counts[i]
	}
	return area
}

// Bounds is the smallest box around the figure as COCO writes boxes, 0, 0, 0, 0 for an empty one.
func (r RLE) Bounds() (x, y, width, height int) {
	xMin, yMin, xMax, yMax := r.Width, r.Height, 0, 0 // half-open
	at := 0
	for i, n := range r.Counts {
		if i%2 == 1 && n > 0 {
			first, last := at, at+n-1
			xMin, xMax = min(xMin, first/r.Height), max(xMax, last/r.Height+1)
			// over the foot of one column and the head of the next
			if first/r.Height != last/r.Height {
				yMin, yMax = 0, r.Height
			} else {
				yMin, yMax = min(yMin, first%r.Height), max(yMax, last%r.Height+1)
			}
		}
		at += n
	}
	if xMin >= xMax {
		return 0, 0, 0, 0
	}
	return xMin, yMin, xMax - xMin, yMax - yMin
}

// String is COCO's compressed form: from the fourth count on the difference to the count two
// before, in groups of five bits from the lowest on, each a character from '0' on with bit 5 set if
// another follows; bit 4 of the last group is the sign.
func (r RLE) String() string {
	var b []byte
	for i, v := range r.Counts {
		if i > 2 {
			v -= r.Counts[i-2]
		}
		for more := true; more; {
			c := byte(v & 31)
			v >>= 5
			more = v != 0 || c&16 != 0
			if c&16 != 0 {
				more = v != -1
			}
			if more {
				c |= 32
			}
			b = append(b, c+'0')
		}
	}
	return string(b)
}

// ParseRLE reads the compressed form and checks it.
func ParseRLE(s string, height, width int) (RLE, error) {
	r := RLE{Height: height, Width: width}
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return RLE{}, err
	}
	const groups = 7 // 35 bits: more than any count has
	v, n := 0, 0
	for i := range len(s) {
		c := int(s[i]) - '0'
		if c < 0 || c > 63 {
			return RLE{}, fmt.Errorf("rle: character %d: got %q, want '0'..'o'", i, s[i])
		}
		if n == groups {
			return RLE{}, fmt.Errorf("rle: character %d: the number is too long", i)
		}
		v |= (c & 31) << (5 * n)
		n++
		if c&32 != 0 {
			continue
		}
		if c&16 != 0 {
			v |= -1 << (5 * n)
		}
		if k := len(r.Counts); k > 2 {
			v += r.Counts[k-2]
		}
		if v < 0 || v > height*width {
			return RLE{}, fmt.Errorf("rle: run %d: got %d pixels, want 0..%d", len(r.Counts), v, height*width)
		}
		r.Counts = append(r.Counts, v)
		v, n = 0, 0
	}
	if n > 0 {
		return RLE{}, fmt.Errorf("rle: the text ends inside a number")
	}
	return r, r.Check()
}

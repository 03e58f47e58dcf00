package regress

import "math/bits"

// Accumulators are integers in units of 2⁻³⁰ (9.3e-10). A unit is far below the float32 rounding of
// one image's sum for features between about 1e-3 and 1e3.
const (
	unitBits = 30
	unit     = 1 << unitBits
)

// A tile of a matrix is 24 x 16, which is what one call of the kernel adds to: four passes of 12
// registers of 8 float32.
const (
	tileRows = 24
	tileCols = 16
	tileLen  = tileRows * tileCols
	panel    = 48 // least common multiple: rows of features are padded to it
)

// A layout says where the elements of an n x n matrix lie. Symmetric ones keep the tiles that meet
// the upper triangle, and of those only elements i <= j count.
type layout struct {
	n, width int // width is n rounded up to a multiple of panel
	sym      bool
	tiles    []tilePos
	first    []int32 // [i/24 * width/16 + j/16]: the tile's first element, -1 if there is none
}

// A tilePos is the first row and column of a tile.
type tilePos struct{ i, j int32 }

func newLayout(n int, sym bool) *layout {
	l := &layout{n: n, width: (n + panel - 1) / panel * panel, sym: sym}
	l.first = make([]int32, l.width/tileRows*l.width/tileCols)
	for i := 0; i < l.width; i += tileRows {
		for j := 0; j < l.width; j += tileCols {
			at := &l.first[i/tileRows*(l.width/tileCols)+j/tileCols]
			if i >= n || j >= n || sym && j+tileCols <= i {
				*at = -1
				continue
			}
			*at = int32(len(l.tiles) * tileLen)
			l.tiles = append(l.tiles, tilePos{int32(i), int32(j)})
		}
	}
	return l
}

// index returns the position of element (i, j), i <= j if symmetric.
func (l *layout) index(i, j int) int {
	return int(l.first[i/tileRows*(l.width/tileCols)+j/tileCols]) + i%tileRows*tileCols + j%tileCols
}

// A matrix holds exact sums: the value of an element is acc plus hi*2⁶⁴ + lo, in units. The
// kernel adds to acc; spill empties acc into the wide integers before it could overflow.
type matrix struct {
	*layout
	acc []int64
	hi  []int64
	lo  []uint64
}

func newMatrix(l *layout) *matrix {
	n := len(l.tiles) * tileLen
	return &matrix{l, make([]int64, n), make([]int64, n), make([]uint64, n)}
}

func (m *matrix) spill() {
	for i, v := range m.acc {
		if v != 0 {
			var carry uint64
			m.lo[i], carry = bits.Add64(m.lo[i], uint64(v), 0)
			m.hi[i] += v>>63 + int64(carry)
			m.acc[i] = 0
		}
	}
}

// add adds the settled o.
func (m *matrix) add(o *matrix) {
	for i := range m.lo {
		var carry uint64
		m.lo[i], carry = bits.Add64(m.lo[i], o.lo[i], 0)
		m.hi[i] += o.hi[i] + int64(carry)
	}
}

// subtract takes the settled o away.
func (m *matrix) subtract(o *matrix) {
	for i := range m.lo {
		var borrow uint64
		m.lo[i], borrow = bits.Sub64(m.lo[i], o.lo[i], 0)
		m.hi[i] -= o.hi[i] + int64(borrow)
	}
}

// float returns the value of a settled element of the symmetric or full matrix, but for one
// rounding of each half.
func (m *matrix) float(i, j int) float64 {
	if m.sym && i > j {
		i, j = j, i
	}
	k := m.index(i, j)
	hi, lo := m.hi[k], m.lo[k]
	if hi < 0 {
		negative, borrow := bits.Sub64(0, lo, 0)
		return -(float64(float64(uint64(-hi)-borrow)*(1<<64)) + float64(negative)) / unit
	}
	return (float64(float64(hi)*(1<<64)) + float64(lo)) / unit
}

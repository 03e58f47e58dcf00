package regress

import (
	"math"
	"unsafe"
)

// maxTerms is the number of rows that are summed in float32 before the sum goes to the integers: a
// fixed cut within each image, so that it does not depend on the other images.
const maxTerms = 256

// stageRows is the number of rows after which the waiting products are computed. Together they
// should fit the second level cache.
const stageRows = 1024

// A stage collects rows of features, padded and aligned, and the products that are to be
// computed from them. Several images wait together so that a tile's accumulators are fetched
// once for all of them.
type stage struct {
	rows    []float32 // width per row, the first at a cache line
	n       int       // rows in use
	weights []float32
	jobs    [][]product // per matrix slot
	pending bool

	// scratch of AddImage
	order, pos   []int32
	out, in      neighbors
	list, inList []int32
}

// A product is the sum over i < k of weights[w+i] * a_i b_iᵀ, where a_i and b_i are rows of the
// stage.
type product struct{ a, b, w, k int32 }

// alloc reserves k rows, whose content is undefined, and returns the number of the first.
func (g *stage) alloc(k, width int) int {
	at := g.n
	g.n += k
	if need := g.n * width; need > len(g.rows) {
		grown := aligned(max(need, 2*len(g.rows), stageRows*width*5/4))
		copy(grown, g.rows[:at*width])
		g.rows = grown
	}
	return at
}

// aligned returns n float32 that begin at a 64-byte line.
func aligned(n int) []float32 {
	s := make([]float32, n+15)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))&63) / 4
	return s[skip : skip+n : skip+n]
}

// push queues a product for a matrix slot, cut into pieces of maxTerms rows.
func (s *Stats) push(slot, a, b, w, k int) {
	g := &s.stage
	if g.jobs == nil {
		g.jobs = make([][]product, len(s.mats))
	}
	for at := 0; at < k; at += maxTerms {
		g.jobs[slot] = append(g.jobs[slot], product{int32(a + at), int32(b + at), int32(w + at), int32(min(maxTerms, k-at))})
		g.pending = true
	}
}

// work computes the waiting products.
func (s *Stats) work() {
	g := &s.stage
	if g.pending {
		width := s.sym.width
		for slot, jobs := range g.jobs {
			if len(jobs) == 0 {
				continue
			}
			m := s.matrix(slot)
			for _, j := range jobs {
				s.flops += 2 * float64(j.k) * float64(len(m.tiles)*tileLen)
			}
			for t, p := range m.tiles {
				c := m.acc[t*tileLen : (t+1)*tileLen]
				for _, j := range jobs {
					kernels.addTile(int(j.k), g.rows[int(j.a)*width+int(p.i):], g.rows[int(j.b)*width+int(p.j):], g.weights[j.w:], width, c)
				}
			}
			g.jobs[slot] = jobs[:0]
		}
		g.pending = false
	}
	g.n, g.weights = 0, g.weights[:0]
}

// reserve makes room in the accumulators for contributions of at most the given absolute value.
// It reports false if not even empty ones have it.
func (s *Stats) reserve(value float64) bool {
	b := value * unit
	if !(b < math.MaxInt64/4) {
		return false
	}
	if s.bound+b > math.MaxInt64/2 {
		s.settle()
	}
	s.bound += b
	return true
}

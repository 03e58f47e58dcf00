package regress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func pcg(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A picture is one image of the tests: a grid graph with diagonals, features that depend on the labels, labels in
// patches as in real images, some of them Skip.
type picture struct {
	x      []float32
	edges  [][2]int32
	y      []uint8
	weight []float32 // per edge
}

// randomPicture draws w x h nodes. Features have different means and scales, as real ones.
func randomPicture(rng *rand.Rand, w, h, dim, labels int, skip float64) picture {
	var p picture
	n := w * h
	p.y = make([]uint8, n)
	cx, cy := rng.IntN(w), rng.IntN(h)
	for i := range p.y {
		d := math.Hypot(float64(i%w-cx), float64(i/w-cy))
		p.y[i] = uint8(int(d/2.5+rng.Float64()) % labels)
		if rng.Float64() < skip {
			p.y[i] = Skip
		}
	}
	p.x = make([]float32, n*dim)
	for i := range n {
		l := float64(p.y[i])
		if p.y[i] == Skip {
			l = 0
		}
		for c := range dim {
			scale := math.Exp(float64(c%5) - 2)
			p.x[i*dim+c] = float32(scale * (float64(c%3) + rng.NormFloat64() + 0.4*l*math.Cos(float64(c))))
		}
	}
	for i := range n {
		x, y := i%w, i/w
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}} {
			if x+d[0] < w && y+d[1] < h {
				p.edges = append(p.edges, [2]int32{int32(i), int32(i + d[1]*w + d[0])})
			}
		}
	}
	for range p.edges {
		p.weight = append(p.weight, float32(rng.IntN(4))/2)
	}
	return p
}

// pictures draws a small set of different sizes.
func pictures(seed uint64, n, dim, labels int) []picture {
	rng := pcg(seed)
	var ps []picture
	for range n {
		ps = append(ps, randomPicture(rng, 3+rng.IntN(9), 2+rng.IntN(12), dim, labels, 0.05))
	}
	return ps
}

// rowsOf lists the rows of a kind in float64, built one by one: what Stats never does.
func rowsOf(kind Kind, ps []picture, dim, labels int, weighted bool, visit func(phi []float64, output int, weight float64)) {
	for _, p := range ps {
		if kind == Nodes {
			for s, j := range p.y {
				if j == Skip {
					continue
				}
				phi := make([]float64, 0, dim+1)
				for _, v := range p.x[s*dim : (s+1)*dim] {
					phi = append(phi, float64(v))
				}
				visit(append(phi, 1), int(j), 1)
			}
			continue
		}
		for e, st := range p.edges {
			w := 1.0
			if weighted {
				w = float64(p.weight[e])
			}
			j, k := p.y[st[0]], p.y[st[1]]
			if j == Skip || k == Skip || w == 0 {
				continue
			}
			phi := make([]float64, 0, 2*dim+1)
			for _, s := range st {
				for _, v := range p.x[int(s)*dim : (int(s)+1)*dim] {
					phi = append(phi, float64(v))
				}
			}
			visit(append(phi, 1), int(j)*labels+int(k), w)
		}
	}
}

func statsOf(t testing.TB, kind Kind, ps []picture, dim, labels int, weighted bool) *Stats {
	s := newStats(kind, dim, labels)
	for _, p := range ps {
		var w []float32
		if weighted {
			w = p.weight
		}
		if err := s.AddImage(p.x, p.edges, p.y, w); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Equal tells whether all sums and counts are the same, bit for bit.
func (s *Stats) Equal(o *Stats) bool {
	if !s.Compatible(o) || s.images != o.images || !slices.Equal(s.rows, o.rows) {
		return false
	}
	s.settle()
	o.settle()
	for i := range s.mats {
		if !s.mats[i].equal(o.mats[i]) {
			return false
		}
	}
	return true
}

// equal compares the elements that count; nil is zero.
func (m *matrix) equal(o *matrix) bool {
	if m == nil {
		m, o = o, m
	}
	if m == nil {
		return true
	}
	for i := range m.n {
		j := 0
		if m.sym {
			j = i
		}
		for ; j < m.n; j++ {
			var v wide
			if o != nil {
				v = o.at(i, j)
			}
			if m.at(i, j) != v {
				return false
			}
		}
	}
	return true
}

// AddRow adds one row with target 1 for one output and 0 for the others. phi ends with the constant 1.
func (g *Gram) AddRow(phi []float64, output int, weight float64) {
	if len(phi) != g.Width || phi[g.Width-1] != 1 {
		panic(fmt.Sprintf("regress: a row of %d columns, want %d that end with 1", len(phi), g.Width))
	}
	for i, a := range phi {
		row := g.XX[i*g.Width : (i+1)*g.Width]
		for j, b := range phi {
			row[j] += weight * a * b
		}
		g.XY[i*g.Outputs+output] += weight * a
	}
	g.YY[output] += weight
}

// softmax turns rows of n scores into probabilities in place and returns them.
func softmax(scores []float32, n int) []float32 {
	row := make([]float64, n)
	for i := 0; i < len(scores); i += n {
		for j := range row {
			row[j] = float64(scores[i+j])
		}
		logisticLoss(row, 0)
		for j, v := range row {
			scores[i+j] = float32(v)
		}
	}
	return scores
}

// clamp limits values to ClampLow..ClampHigh in place and returns them; NaN becomes ClampLow.
func clamp(f []float32) []float32 {
	for i, v := range f {
		if !(v >= ClampLow) {
			f[i] = ClampLow
		} else if v > ClampHigh {
			f[i] = ClampHigh
		}
	}
	return f
}

// finite tells whether all numbers of the model are.
func (m *Linear) finite() bool {
	for _, s := range [][]float64{m.W, m.B} {
		for _, v := range s {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// statsOfData returns the statistics of all rows of a kind.
func statsOfData(t testing.TB, d *Data, kind Kind) *Stats {
	t.Helper()
	s := newStats(kind, d.Dim, d.Labels)
	for _, m := range d.Images {
		w := m.EdgeWeight
		if kind == Nodes {
			w = m.NodeWeight
		}
		if err := s.AddImage(m.X, m.Edges, m.Y, w); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

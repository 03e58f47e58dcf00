package regress

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func pcg(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A picture is one image of the tests: a grid graph with diagonals, features that depend on the
// labels, labels in patches as in real images, some of them Skip.
type picture struct {
	x     []float32
	edges [][2]int32
	y     []uint8
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
func rowsOf(kind Kind, ps []picture, dim, labels int, visit func(phi []float64, output int)) {
	for _, p := range ps {
		add := func(output int, nodes ...int32) {
			var phi []float64
			for _, s := range nodes {
				for _, v := range p.x[int(s)*dim : (int(s)+1)*dim] {
					phi = append(phi, float64(v))
				}
			}
			visit(append(phi, 1), output)
		}
		if kind == Nodes {
			for s, j := range p.y {
				if j != Skip {
					add(int(j), int32(s))
				}
			}
			continue
		}
		for _, e := range p.edges {
			if j, k := p.y[e[0]], p.y[e[1]]; j != Skip && k != Skip {
				add(int(j)*labels+int(k), e[0], e[1])
			}
		}
	}
}

// addRow adds one row with target 1 for one output and 0 for the others.
func (g *gram) addRow(phi []float64, output int, weight float64) {
	for i, a := range phi {
		for j, b := range phi {
			g.xx[i*g.width+j] += weight * a * b
		}
		g.xy[i*g.outputs+output] += weight * a
	}
}

// ones are weights that change nothing.
func ones(s *Stats) []float64 { return slices.Repeat([]float64{1}, len(s.rows)) }

// same tells whether all sums and counts are equal, bit for bit.
func same(t testing.TB, a, b *Stats) bool { return bytes.Equal(encode(t, a), encode(t, b)) }

// softmax turns rows of n scores into probabilities.
func softmax(scores []float32, n int) (out []float64) {
	for i := 0; i < len(scores); i += n {
		sum := 0.0
		for _, v := range scores[i : i+n] {
			sum += math.Exp(float64(v))
		}
		for _, v := range scores[i : i+n] {
			out = append(out, math.Exp(float64(v))/sum)
		}
	}
	return out
}

func statsOf(t testing.TB, kind Kind, ps []picture, dim, labels int) *Stats {
	t.Helper()
	s := newStats(kind, dim, labels)
	for _, p := range ps {
		if err := s.AddImage(p.x, p.edges, p.y); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

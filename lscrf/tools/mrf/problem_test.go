package mrf

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestValidate(t *testing.T) {
	good := func() *Problem {
		return &Problem{Labels: 2, Unary: make([]float64, 6), Edges: [][2]int32{{0, 1}, {1, 2}}, Pair: make([]float64, 8)}
	}
	if err := good().Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name  string
		spoil func(p *Problem)
		want  string
	}{
		{"no labels", func(p *Problem) { p.Labels = 0 }, "mrf: labels: out of range: got 0, want 1 to 256"},
		{"257 labels", func(p *Problem) { p.Labels = 257 }, "mrf: labels: out of range: got 257, want 1 to 256"},
		{"unary length", func(p *Problem) { p.Unary = p.Unary[:5]; p.Edges, p.Pair = nil, nil }, "mrf: unary: wrong length: got 5, want a multiple of 2 labels"},
		{"pair length", func(p *Problem) { p.Pair = p.Pair[:7] }, "mrf: pair: wrong length: got 7, want 8 for 2 edges"},
		{"NaN", func(p *Problem) { p.Unary[3] = math.NaN() }, "mrf: unary: node 1, label 1: bad cost: got NaN, want at most 1e+15 in size"},
		{"infinite", func(p *Problem) { p.Pair[6] = math.Inf(1) }, "mrf: pair: edge 1, labels 1,0: bad cost: got +Inf, want at most 1e+15 in size"},
		{"huge", func(p *Problem) { p.Pair[0] = -2e15 }, "mrf: pair: edge 0, labels 0,0: bad cost: got -2e+15, want at most 1e+15 in size"},
		{"loop", func(p *Problem) { p.Edges[1] = [2]int32{1, 1} }, "mrf: edges: edge 1: bad ends: got 1,1, want 0 <= i < j < 3"},
		{"order", func(p *Problem) { p.Edges[1] = [2]int32{2, 1} }, "mrf: edges: edge 1: bad ends: got 2,1, want 0 <= i < j < 3"},
		{"negative", func(p *Problem) { p.Edges[0] = [2]int32{-1, 1} }, "mrf: edges: edge 0: bad ends: got -1,1, want 0 <= i < j < 3"},
		{"range", func(p *Problem) { p.Edges[0] = [2]int32{0, 3} }, "mrf: edges: edge 0: bad ends: got 0,3, want 0 <= i < j < 3"},
		{"duplicate", func(p *Problem) { p.Edges[1] = [2]int32{0, 1} }, "mrf: edges: edge 1: repeats the pair 0,1"},
		{"two faults", func(p *Problem) { p.Unary[0] = math.NaN(); p.Pair = nil }, "mrf: pair: wrong length: got 0, want 8 for 2 edges\nmrf: unary: node 0, label 0: bad cost: got NaN, want at most 1e+15 in size"},
	} {
		p := good()
		c.spoil(p)
		if err := p.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// Whatever the bytes say, Validate does not panic, and what it accepts can be solved.
func FuzzValidate(f *testing.F) {
	f.Add(2, uint8(3), []byte{0, 1, 1, 2}, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(3, uint8(2), []byte{0, 1}, make([]byte, 200))
	f.Add(2, uint8(2), []byte{0, 1}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}) // NaN
	f.Add(-1, uint8(9), []byte{9, 9}, []byte{})
	f.Fuzz(func(t *testing.T, labels int, n uint8, ends, costs []byte) {
		p := &Problem{Labels: labels}
		cost := func() float64 {
			var b [8]byte
			k := copy(b[:], costs)
			costs = costs[k:]
			return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
		}
		size := max(0, min(labels, 4))
		for range int(n%12) * size {
			p.Unary = append(p.Unary, cost())
		}
		for ; len(ends) >= 2 && len(p.Edges) < 30; ends = ends[2:] {
			p.Edges = append(p.Edges, [2]int32{int32(int8(ends[0])), int32(int8(ends[1]))})
			for range size * size {
				p.Pair = append(p.Pair, cost())
			}
		}
		if p.Validate() != nil {
			return
		}
		r := solve(p)
		if len(r.Labels) != p.N() || r.Energy != p.Energy(r.Labels) || r.Bound > r.Energy || math.IsNaN(r.Bound) {
			t.Errorf("%+v for a valid problem", r)
		}
	})
}

func TestEnergyRefuses(t *testing.T) {
	for name, y := range map[string][]uint8{"short": {0, 0}, "long": {0, 0, 0, 0}, "label": {0, 2, 0}} {
		if !panics(func() { chain.Energy(y) }) {
			t.Errorf("%s: no panic", name)
		}
	}
}

// Problems that have nothing to decide.
func TestTrivial(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Problem
		want float64
		y    string
	}{
		"no nodes":  {&Problem{Labels: 3}, 0, ""},
		"no edges":  {&Problem{Labels: 2, Unary: []float64{1, -1, 0, 0}}, -1, "\x01\x00"},
		"one label": {&Problem{Labels: 1, Unary: []float64{1, 2}, Edges: [][2]int32{{0, 1}}, Pair: []float64{4}}, 7, "\x00\x00"},
	} {
		for _, m := range []Method{Auto, Brute, Tree, MaxFlow, Roof, TRWS, Expansion, Descent} {
			o := defaults()
			o.Method = m
			r := run(c.p, o)
			if r.Status != Optimal || r.Energy != c.want || r.Bound != c.want || string(r.Labels) != c.y {
				t.Errorf("%s, %s: %+v, want %v %q", name, m, r, c.want, c.y)
			}
		}
	}
}

func TestStatusNames(t *testing.T) {
	for s, want := range map[Status]string{Inapplicable: "inapplicable", Optimal: "optimal", Converged: "converged", IterationLimit: "iteration limit", 9: "status 9"} {
		if s.String() != want {
			t.Errorf("got %s, want %s", s, want)
		}
	}
	if !panics(func() { BruteForce(&Problem{Labels: 2, Unary: make([]float64, 50)}) }) {
		t.Error("2^25 labelings were tried")
	}
}

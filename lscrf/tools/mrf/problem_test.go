package mrf

import (
	"testing"

	"hdseg/lscrf/internal/peer"
)

func TestEnergyRefuses(t *testing.T) {
	peer.Panics(t, map[string]func(){
		"short": func() { chain.Energy([]uint8{0, 0}) },
		"long":  func() { chain.Energy([]uint8{0, 0, 0, 0}) },
		"label": func() { chain.Energy([]uint8{0, 2, 0}) },
	})
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
			r := run(c.p, with(m))
			if r.Status != Optimal || r.Energy != c.want || r.Bound != c.want || string(r.Labels) != c.y {
				t.Errorf("%s, %s: %+v, want %v %q", name, m, r, c.want, c.y)
			}
		}
	}
}

package mrf

import (
	"testing"

	"pgregory.net/rapid"
)

// A drawn network: terminal capacities per node and links between nodes.
type network struct {
	source, sink []int64
	links        []flowLink
}

func drawNetwork(t *rapid.T) network {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	capacity := rapid.Int64Range(0, 12)
	var g network
	for range n {
		g.source = append(g.source, capacity.Draw(t, "source"))
		g.sink = append(g.sink, capacity.Draw(t, "sink"))
	}
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
		if i != j { // parallel links are allowed
			g.links = append(g.links, flowLink{capacity.Draw(t, "cap"), capacity.Draw(t, "back"), int32(i), int32(j)})
		}
	}
	return g
}

func (g network) build(f *Flow) {
	f.Reset(len(g.source))
	for i := range g.source {
		f.AddTerminal(i, g.source[i], g.sink[i])
	}
	for _, l := range g.links {
		f.Link(l.i, l.j, l.cap, l.back)
	}
}

// cut returns the capacity of the cut with the given nodes at the source.
func (g network) cut(inSource func(i int) bool) int64 {
	c := int64(0)
	for i := range g.source {
		if inSource(i) {
			c += g.sink[i]
		} else {
			c += g.source[i]
		}
	}
	for _, l := range g.links {
		switch i, j := inSource(int(l.i)), inSource(int(l.j)); {
		case i && !j:
			c += l.cap
		case j && !i:
			c += l.back
		}
	}
	return c
}

// The flow is the least cut over all subsets, InSource is such a cut, and the smallest one.
func TestFlowIsLeastCut(t *testing.T) {
	var f Flow // shared, so that reuse is tested too
	rapid.Check(t, func(t *rapid.T) {
		g := drawNetwork(t)
		g.build(&f)
		got := f.Solve()
		n := len(g.source)
		least, common := int64(1)<<62, 0
		for set := range 1 << n {
			c := g.cut(func(i int) bool { return set>>i&1 == 1 })
			if c < least {
				least, common = c, set
			} else if c == least {
				common &= set // least cuts are closed under intersection
			}
		}
		if got != least {
			t.Fatalf("flow %d, least cut %d", got, least)
		}
		if c := g.cut(f.InSource); c != least {
			t.Fatalf("InSource cuts %d, want %d", c, least)
		}
		for i := range n {
			if f.InSource(i) != (common>>i&1 == 1) {
				t.Fatalf("InSource(%d) = %v, the smallest least cut has %b", i, f.InSource(i), common)
			}
		}
	})
}

// The textbook network of Cormen, Leiserson, Rivest and Stein, figure 26.1: s→v1 16,
// s→v2 13, v1→v3 12, v2→v1 4, v3→v2 9, v2→v4 14, v4→v3 7, v3→t 20, v4→t 4. The least cut
// {s, v1, v2, v4} has capacity 12 + 7 + 4 = 23.
func TestFlowTextbook(t *testing.T) {
	var f Flow
	f.Reset(4)
	f.AddTerminal(0, 16, 0)
	f.AddTerminal(1, 13, 0)
	f.AddTerminal(2, 0, 20)
	f.AddTerminal(3, 0, 4)
	f.Link(0, 2, 12, 0)
	f.Link(1, 0, 4, 0)
	f.Link(2, 1, 9, 0)
	f.Link(1, 3, 14, 0)
	f.Link(3, 2, 7, 0)
	if got := f.Solve(); got != 23 {
		t.Errorf("flow %d, want 23", got)
	}
	for i, want := range []bool{true, true, false, true} {
		if f.InSource(i) != want {
			t.Errorf("InSource(%d) = %v, want %v", i, !want, want)
		}
	}
}

// A long chain and a large grid neither overflow a stack nor take long.
func TestFlowLarge(t *testing.T) {
	const n = 200_000
	var f Flow
	f.Reset(n)
	f.AddTerminal(0, 100, 0)
	f.AddTerminal(n-1, 0, 100)
	for i := range n - 1 {
		f.Link(int32(i), int32(i+1), 50, 0)
	}
	if got := f.Solve(); got != 50 {
		t.Errorf("chain: flow %d, want 50", got)
	}
	if !f.InSource(0) || f.InSource(1) {
		t.Error("chain: the smallest cut is behind node 0")
	}

	r := seeded(7)
	g := network{source: make([]int64, n), sink: make([]int64, n)}
	for i := range n {
		g.source[i], g.sink[i] = r.Int64N(1000), r.Int64N(1000)
	}
	for _, e := range grid(400, 500) {
		g.links = append(g.links, flowLink{r.Int64N(400), r.Int64N(400), e[0], e[1]})
	}
	g.build(&f)
	if flow, cut := f.Solve(), g.cut(f.InSource); flow != cut {
		t.Errorf("grid: flow %d, its cut %d", flow, cut)
	}
}

// Two nodes, the source gives the first 3 and the second gives the sink 2, 4 between them: the flow
// is 2 and 1 is left for both. When the second may give the sink 2 more, nothing is left.
func TestFlowAgainByHand(t *testing.T) {
	var f Flow
	f.Reset(2)
	f.Supply(0, 3)
	f.Supply(1, -2)
	f.Link(0, 1, 4, 4)
	if got := f.Solve(); got != 2 || !f.InSource(0) || !f.InSource(1) {
		t.Errorf("got flow %d, sides %v and %v, want 2 and both at the source", got, f.InSource(0), f.InSource(1))
	}
	f.Supply(1, -2)
	if f.Solve(); f.InSource(0) || f.InSource(1) {
		t.Error("after the change: a node is at the source, want none")
	}
}

// A flow that goes on after changes cuts as a fresh one does.
func TestFlowAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawNetwork(t)
		var f Flow
		g.build(&f)
		for range 3 {
			f.Solve()
			for i := range g.source {
				d := rapid.Int64Range(-12, 12).Draw(t, "change")
				f.Supply(int32(i), d)
				g.source[i] += max(d, 0)
				g.sink[i] += max(-d, 0)
			}
		}
		f.Solve()
		var fresh Flow
		g.build(&fresh)
		fresh.Solve()
		for i := range g.source {
			if f.InSource(i) != fresh.InSource(i) {
				t.Fatalf("InSource(%d) = %v, a fresh flow has %v", i, f.InSource(i), fresh.InSource(i))
			}
		}
	})
}

// total·scale < 2⁶⁰, and twice the scale would not do.
func TestScale(t *testing.T) {
	for _, c := range []struct{ total, want float64 }{
		{0, 1},
		{1, 1 << 52},      // limited to 2⁵²
		{256, 1 << 51},    // 256 < 2⁹, 2⁶⁰⁻⁹
		{255, 1 << 52},    // 255 < 2⁸
		{1e18, 1},         // 10¹⁸ is between 2⁵⁹ and 2⁶⁰
		{1e20, 1.0 / 128}, // 10²⁰ is between 2⁶⁶ and 2⁶⁷
	} {
		if got := scaleFor(c.total, 60); got != c.want {
			t.Errorf("scaleFor(%g, 60) = %g, want %g", c.total, got, c.want)
		}
	}
}

// AddTerminal adds capacities from the source to node i and from i to the sink. Calls for
// one node add up.
func (f *Flow) AddTerminal(i int, source, sink int64) {
	n := &f.nodes[i]
	// What passes straight through i is flow; only the difference is searched for.
	if n.spare > 0 {
		source += n.spare
	} else {
		sink -= n.spare
	}
	f.total += min(source, sink)
	n.spare = source - sink
}

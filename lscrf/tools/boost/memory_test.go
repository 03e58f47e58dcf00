package boost

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// What Fit holds while it trains is what its doc says, for rows and pairs, one output and several.
func TestFitMemory(t *testing.T) {
	const nodes, edges, dim, borders, depth = 20_000, 150_000, 20, 30, 3
	x, _ := noisy(21, nodes, dim)
	bins := binned(x, dim, borders)
	r := rand.New(rand.NewPCG(3, 3))
	list := make([][2]int32, edges)
	for e := range list {
		list[e] = [2]int32{int32(r.IntN(nodes)), int32(r.IntN(nodes))}
	}
	inUse := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, c := range []struct {
		design        Design
		outputs, want int // bytes per row or pair
		loss          Loss
	}{
		{Rows(bins), 1, 21 + 8 + 16, Squared},
		{Rows(bins), 3, 21 + 3*8 + 4*16 + 3*4, Logistic},
		{Pairs(bins, list), 1, 37 + 8 + 24, Squared},
		{Pairs(bins, list), 2, 37 + 2*8 + 4*24, Squared},
		{Pairs(bins, list), 4, 37 + 4*8 + 4*24, Squared},
		{Pairs(bins, list), 64, 37 + 64*8 + 4*24, Squared},
	} {
		n := c.design.Len()
		d := Data{Design: c.design, Outputs: c.outputs, Targets: make([]float32, n*c.outputs)}
		for i := range d.Targets {
			d.Targets[i] = float32(r.IntN(2))
		}
		opt := Defaults()
		opt.Trees, opt.Depth, opt.Leaves, opt.Loss = 2, depth, Shared, c.loss
		hist := 8 * wordsFor(c.outputs) * 40 * 32 * c.design.sides() << (depth - 1)
		want := c.want*n + 32*nodes + hist
		before, during := inUse(), 0
		_, err := Fit(d, opt, 1, func(p Progress) bool {
			if p.Tree == 2 {
				during = inUse()
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := during - before; got < want*97/100 || got > want*103/100 {
			t.Errorf("pairs %v, %d outputs: %.1f MB in use, want %.1f within 3%%: %d bytes per row instead of %d",
				c.design.pairs, c.outputs, float64(got)/1e6, float64(want)/1e6, (got-32*nodes-hist)/n, c.want)
		}
		runtime.KeepAlive(d)
	}
}

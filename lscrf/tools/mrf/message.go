package mrf

import "math"

// Kernels are the inner loops of message passing. Slices of labels have L entries.
type kernels struct {
	// collect sets r to the reduced costs of a node, unary plus the messages of its edges
	// (that of edge e is msg[e*L:][:L]), less their least entry, which it returns, and share
	// to r*part.
	collect func(r, share, unary, msg []float64, edges []half, part float64) float64
	// columns turns the message m that the first end of an edge has from it into its message
	// to the second: m[x] ← min_k (share[k] - m[k] + table[k*L+x]), less the least entry,
	// which it returns. from is scratch.
	columns func(m, from, share, table []float64) float64
	// rows is the same from the second end to the first: the table is read as table[x*L+k].
	rows func(m, from, share, table []float64) float64
}

// plain are the kernels in Go; all others give the same bits.
var plain = kernels{collect, sendColumns, sendRows}

func collect(r, share, unary, msg []float64, edges []half, part float64) float64 {
	L := len(r)
	copy(r, unary)
	for _, h := range edges {
		add(r, msg[int(h.edge)*L:int(h.edge)*L+L])
	}
	least := settle(r)
	share = share[:L]
	for x, v := range r {
		share[x] = v * part
	}
	return least
}

func sendColumns(m, from, share, table []float64) float64 {
	L := len(m)
	from, share = from[:L], share[:L]
	for k, v := range m {
		from[k] = share[k] - v
	}
	for x, c := range table[:L] {
		m[x] = from[0] + c
	}
	for k := 1; k < L; k++ {
		f := from[k]
		row := table[k*L : k*L+L]
		row = row[:len(m)]
		for x, v := range m {
			m[x] = min(v, f+row[x])
		}
	}
	return settle(m)
}

func sendRows(m, from, share, table []float64) float64 {
	L := len(m)
	from, share = from[:L], share[:L]
	for k, v := range m {
		from[k] = share[k] - v
	}
	for x := range m {
		row := table[x*L : x*L+L]
		row = row[:len(from)]
		best := math.Inf(1)
		for k, f := range from {
			best = min(best, f+row[k])
		}
		m[x] = best
	}
	return settle(m)
}

// settle subtracts the least entry of m from all, and returns it.
func settle(m []float64) float64 {
	least := m[0]
	for _, v := range m {
		least = min(least, v)
	}
	for x := range m {
		m[x] -= least
	}
	return least
}

// add adds b to a.
func add(a, b []float64) {
	b = b[:len(a)]
	for x := range a {
		a[x] += b[x]
	}
}

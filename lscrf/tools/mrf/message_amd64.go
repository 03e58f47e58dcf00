package mrf

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/mrf/internal/gen -out message_amd64.s -stubs message_stubs_amd64.go -pkg mrf

// fast and fast8 are the kernels for at least 4 labels, and for 8, on processors with AVX2.
var (
	fast = kernels{
		collect: func(r, share, unary, msg []float64, edges []half, part float64) float64 {
			if len(edges) == 0 {
				return collect(r, share, unary, msg, edges, part)
			}
			checkNode(len(r), share, unary, msg, edges)
			return collectAVX2(&r[0], &share[0], &unary[0], &msg[0], &edges[0].edge, len(edges), part, len(r))
		},
		columns: func(m, from, share, table []float64) float64 {
			checkMessage(len(m), m, from, share, table)
			return sendColumnsAVX2(&m[0], &from[0], &share[0], &table[0], len(m))
		},
		rows: func(m, from, share, table []float64) float64 {
			checkMessage(len(m), m, from, share, table)
			return sendRowsAVX2(&m[0], &from[0], &share[0], &table[0], len(m))
		},
	}
	fast8 = kernels{
		collect: func(r, share, unary, msg []float64, edges []half, part float64) float64 {
			if len(edges) == 0 {
				return collect(r, share, unary, msg, edges, part)
			}
			checkNode(8, share, unary, msg, edges)
			return collect8AVX2(&r[0], &share[0], &unary[0], &msg[0], &edges[0].edge, len(edges), part, 8)
		},
		columns: func(m, from, share, table []float64) float64 {
			checkMessage(8, m, from, share, table)
			return sendColumns8AVX2(&m[0], &from[0], &share[0], &table[0], 8)
		},
		rows: func(m, from, share, table []float64) float64 {
			checkMessage(8, m, from, share, table)
			return sendRows8AVX2(&m[0], &from[0], &share[0], &table[0], 8)
		},
	}
)

// kernelsFor returns the fastest kernels for L labels on this machine.
func kernelsFor(L int) *kernels {
	switch {
	case !cpu.X86.HasAVX2 || L < 4:
		return &plain
	case L == 8:
		return &fast8
	}
	return &fast
}

// checkMessage makes the bounds checks that assembly does not.
func checkMessage(L int, m, from, share, table []float64) {
	_, _, _, _ = m[L-1], from[L-1], share[L-1], table[L*L-1]
}

// checkNode makes the bounds checks that assembly does not.
func checkNode(L int, share, unary, msg []float64, edges []half) {
	_, _ = share[L-1], unary[L-1]
	for _, h := range edges {
		_ = msg[int(h.edge)*L+L-1]
	}
}

package mrf_test

import (
	"fmt"

	"hdseg/lscrf/tools/mrf"
)

// Two nodes prefer different labels, and the edge between them charges 5 for that.
func ExampleSolver_Solve() {
	p := &mrf.Problem{
		Labels: 2,
		Unary:  []float64{0, 4, 3, 0},
		Edges:  [][2]int32{{0, 1}},
		Pair:   []float64{0, 5, 5, 0},
	}
	r := new(mrf.Solver).Solve(p)
	fmt.Println(r.Labels, r.Energy, r.Status)
	// Output: [0 0] 3 optimal
}

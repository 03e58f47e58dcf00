package regress

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// The smallest case by hand: nodes a, b, c with x = 2, 3, 5 and labels 0, 0, 1; edges ab, bc.
func TestEdgeStatsByHand(t *testing.T) {
	s := NewEdgeStats(1, 2)
	if err := s.AddImage([]float32{2, 3, 5}, [][2]int32{{0, 1}, {1, 2}}, []uint8{0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	// Rows (2,3,1) of pair 00 with weight 1 and (3,5,1) of 01 with weight 1/2.
	g := s.gram([]float64{1, 0.5, 1, 1})
	if want := []float64{4 + 4.5, 6 + 7.5, 2 + 1.5, 6 + 7.5, 9 + 12.5, 3 + 2.5, 2 + 1.5, 3 + 2.5, 1.5}; !slices.Equal(g.xx, want) {
		t.Errorf("xx = %v, want %v", g.xx, want)
	}
	// Per column: pairs 00, 01, 10, 11.
	if want := []float64{2, 1.5, 0, 0, 3, 2.5, 0, 0, 1, 0.5, 0, 0}; !slices.Equal(g.xy, want) {
		t.Errorf("xy = %v, want %v", g.xy, want)
	}
	if want := []int64{1, 1, 0, 0}; !slices.Equal(s.Rows(), want) {
		t.Errorf("rows %v, want %v", s.Rows(), want)
	}
}

// All kinds against rows that are built one by one.
func TestStatsEqualBuiltRows(t *testing.T) {
	ran := 0
	for _, kind := range []Kind{Nodes, Edges} {
		for _, labels := range []int{1, 2, 3} {
			for _, dim := range []int{1, 4, 15, 47, 48, 60} {
				ps := pictures(uint64(dim), 4, dim, labels)
				s := statsOf(t, kind, ps, dim, labels)
				want := newGram(s.width(), len(s.rows))
				rows := make([]int64, len(s.rows))
				rowsOf(kind, ps, dim, labels, func(phi []float64, p int) {
					want.addRow(phi, p, 1)
					rows[p]++
				})
				sameGram(t, fmt.Sprintf("%v dim %d labels %d", kind, dim, labels), s.gram(ones(s)), want, 3e-7)
				if !slices.Equal(rows, s.Rows()) {
					t.Errorf("%v: rows %v, want %v", kind, s.Rows(), rows)
				}
				ran++
			}
		}
	}
	if ran != 36 {
		t.Fatalf("ran %d cases, want 36", ran)
	}
}

// sameGram compares relative to the diagonal, which bounds every element.
func sameGram(t *testing.T, name string, got, want *gram, tol float64) {
	t.Helper()
	for i := range want.width {
		for j := range want.width {
			scale := math.Sqrt(want.xx[i*want.width+i] * want.xx[j*want.width+j])
			if d := math.Abs(got.xx[i*want.width+j] - want.xx[i*want.width+j]); d > tol*scale {
				t.Fatalf("%s: xx[%d,%d] = %v, want %v", name, i, j, got.xx[i*want.width+j], want.xx[i*want.width+j])
			}
		}
		for p := range want.outputs {
			scale := math.Sqrt(want.xx[i*want.width+i] * want.xy[(want.width-1)*want.outputs+p])
			if d := math.Abs(got.xy[i*want.outputs+p] - want.xy[i*want.outputs+p]); d > tol*scale {
				t.Fatalf("%s: xy[%d,%d] = %v, want %v", name, i, p, got.xy[i*want.outputs+p], want.xy[i*want.outputs+p])
			}
		}
	}
}

// Sums are exact: any grouping and order of images gives the same bits, by way of files too.
func TestGroupingDoesNotMatter(t *testing.T) {
	const dim, labels = 20, 3
	for _, kind := range []Kind{Nodes, Edges} {
		ps := pictures(3, 40, dim, labels)
		whole := statsOf(t, kind, ps, dim, labels)
		rng := pcg(5)
		for range 5 {
			parts := make([]*Stats, 1+rng.IntN(6))
			for i := range parts {
				parts[i] = newStats(kind, dim, labels)
			}
			for _, i := range rng.Perm(len(ps)) {
				s := parts[rng.IntN(len(parts))]
				if err := s.AddImage(ps[i].x, ps[i].edges, ps[i].y); err != nil {
					t.Fatal(err)
				}
				if rng.IntN(4) == 0 {
					s.settle() // when work is done must not matter either
				}
			}
			sum := newStats(kind, dim, labels)
			for _, i := range rng.Perm(len(parts)) {
				var part Stats
				if err := part.UnmarshalBinary(encode(t, parts[i])); err != nil {
					t.Fatal(err)
				}
				sum.Merge(&part)
			}
			if !same(t, sum, whole) {
				t.Fatalf("%v: %d parts differ from the whole", kind, len(parts))
			}
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	ps := pictures(9, 6, 7, 2)
	s := statsOf(t, Edges, ps, 7, 2)
	c := s.Clone()
	c.Merge(s)
	if same(t, c, s) || !same(t, s, statsOf(t, Edges, ps, 7, 2)) {
		t.Error("changing a clone changed the original, or nothing")
	}
}

// Accumulators spill to 128 bits before they overflow: large features, many times.
func TestLargeFeaturesDoNotOverflow(t *testing.T) {
	s := NewNodeStats(2, 2)
	x, y := make([]float32, 2*300), make([]uint8, 300)
	for i := range y {
		x[2*i], x[2*i+1], y[i] = 2048, -1536, uint8(i%2)
	}
	const images = 300
	for range images {
		if err := s.AddImage(x, nil, y); err != nil {
			t.Fatal(err)
		}
	}
	g := s.gram(ones(s))
	// 300 images x 300 nodes: Σx₀² = 90000 * 2²² = 3.8e11 = 4.1e20 units, beyond 2⁶³ = 9.2e18. All
	// terms have few bits, so the float32 sums are exact.
	const n, u, v = 90000.0, 2048.0, -1536.0
	for i, want := range []float64{n * u * u, n * u * v, n * u, n * u * v, n * v * v, n * v, n * u, n * v, n} {
		if g.xx[i] != want {
			t.Errorf("xx[%d] = %v, want %v", i, g.xx[i], want)
		}
	}
	x[7] = 1e9
	if err := s.AddImage(x, nil, y); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("feature of 1e9: error %v", err)
	}
}

func TestBadImages(t *testing.T) {
	s := NewEdgeStats(2, 2)
	nan := float32(math.NaN())
	err := s.AddImage([]float32{1, 2, 3, nan}, [][2]int32{{0, 1}}, []uint8{0, 1})
	if err == nil || err.Error() != "feature 1 of node 1 is NaN, want a finite number" {
		t.Errorf("NaN: error %v", err)
	}
	if !same(t, s, NewEdgeStats(2, 2)) {
		t.Error("a refused image left something behind")
	}
	peer.Panics(t, map[string]func(){
		"x":     func() { s.AddImage(make([]float32, 3), nil, make([]uint8, 2)) },
		"label": func() { s.AddImage(make([]float32, 2), nil, []uint8{2}) },
		"edge":  func() { s.AddImage(make([]float32, 4), [][2]int32{{0, 2}}, []uint8{0, 1}) },
		"loop":  func() { s.AddImage(make([]float32, 4), [][2]int32{{1, 1}}, []uint8{0, 1}) },
		"merge": func() { s.Merge(NewNodeStats(2, 2)) },
	})
}

// Images without labeled nodes, without edges, with one node, with only Skip.
func TestEmptyImages(t *testing.T) {
	for _, kind := range []Kind{Nodes, Edges} {
		s := newStats(kind, 3, 2)
		for _, y := range [][]uint8{{}, {Skip}, {Skip, Skip, Skip}} {
			if err := s.AddImage(make([]float32, 3*len(y)), nil, y); err != nil {
				t.Fatal(err)
			}
		}
		if g := s.gram(ones(s)); g.total() != 0 || s.images != 3 {
			t.Errorf("%v: total %v, %d images, want 0 and 3", kind, g.total(), s.images)
		}
		m, r := Solve(s, nil, Defaults())
		if len(r.Rare) != len(s.rows) || m.B[0] != 1e-3 {
			t.Errorf("%v: a model of nothing: rare %v, intercepts %v", kind, r.Rare, m.B)
		}
	}
}

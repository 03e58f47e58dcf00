package regress

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The smallest case by hand: nodes a, b, c with x = 2, 3, 5 and labels 0, 0, 1; edges ab, bc, ca.
func TestEdgeStatsByHand(t *testing.T) {
	s := NewEdgeStats(1, 2)
	if err := s.AddImage([]float32{2, 3, 5}, [][2]int32{{0, 1}, {1, 2}, {2, 0}}, []uint8{0, 0, 1}, nil); err != nil {
		t.Fatal(err)
	}
	// Rows (2,3,1) of pair 00; (3,5,1) of 01; (5,2,1) of 10.
	g := s.Gram(nil)
	want := []float64{
		4 + 9 + 25, 6 + 15 + 10, 2 + 3 + 5,
		6 + 15 + 10, 9 + 25 + 4, 3 + 5 + 2,
		2 + 3 + 5, 3 + 5 + 2, 3}
	for i, v := range want {
		if g.XX[i] != v {
			t.Fatalf("XX = %v, want %v", g.XX, want)
		}
	}
	wantXY := []float64{ // per column: pairs 00, 01, 10, 11
		2, 3, 5, 0,
		3, 5, 2, 0,
		1, 1, 1, 0}
	for i, v := range wantXY {
		if g.XY[i] != v {
			t.Fatalf("XY = %v, want %v", g.XY, wantXY)
		}
	}
	if fmt.Sprint(s.Rows(), s.Weights(), g.YY) != "[1 1 1 0] [1 1 1 0] [1 1 1 0]" {
		t.Errorf("rows %v, weights %v, YY %v", s.Rows(), s.Weights(), g.YY)
	}

	f := NewEdgeStats(1, 2)
	if err := f.AddImage([]float32{2, 3, 5}, [][2]int32{{0, 1}, {1, 2}}, []uint8{0, 0, 1}, []float32{1, 0.5}); err != nil {
		t.Fatal(err)
	}
	// Rows (2,3,1) of 00 with weight 1 and (3,5,1) of 01 with weight 1/2.
	g = f.Gram(nil)
	want = []float64{4 + 4.5, 6 + 7.5, 2 + 1.5, 6 + 7.5, 9 + 12.5, 3 + 2.5, 2 + 1.5, 3 + 2.5, 1.5}
	for i, v := range want {
		if g.XX[i] != v {
			t.Fatalf("weighted XX = %v, want %v", g.XX, want)
		}
	}
}

// All kinds against rows that are built one by one.
func TestStatsEqualBuiltRows(t *testing.T) {
	ran := 0
	for _, kind := range []Kind{Nodes, Edges} {
		for _, labels := range []int{1, 2, 3} {
			for _, dim := range []int{1, 4, 15, 47, 48, 60} {
				for _, weighted := range []bool{false, true} {
					if kind == Nodes && weighted {
						continue
					}
					ps := pictures(uint64(dim), 4, dim, labels)
					s := statsOf(t, kind, ps, dim, labels, weighted)
					want := NewGram(s.Width(), len(s.rows))
					rows := make([]int64, len(s.rows))
					rowsOf(kind, ps, dim, labels, weighted, func(phi []float64, p int, w float64) {
						want.AddRow(phi, p, w)
						rows[p]++
					})
					sameGram(t, fmt.Sprintf("%v dim %d labels %d", kind, dim, labels), s.Gram(nil), want, 3e-7)
					if fmt.Sprint(rows) != fmt.Sprint(s.Rows()) {
						t.Errorf("%v: rows %v, want %v", kind, s.Rows(), rows)
					}
					ran++
				}
			}
		}
	}
	if ran != 54 {
		t.Fatalf("ran %d cases, want 54", ran)
	}
}

// sameGram compares relative to the diagonal, which bounds every element.
func sameGram(t *testing.T, name string, got, want *Gram, tol float64) {
	t.Helper()
	for i := range want.Width {
		for j := range want.Width {
			scale := math.Sqrt(want.XX[i*want.Width+i] * want.XX[j*want.Width+j])
			if d := math.Abs(got.XX[i*want.Width+j] - want.XX[i*want.Width+j]); d > tol*scale {
				t.Fatalf("%s: XX[%d,%d] = %v, want %v", name, i, j, got.XX[i*want.Width+j], want.XX[i*want.Width+j])
			}
		}
		for p := range want.Outputs {
			scale := math.Sqrt(want.XX[i*want.Width+i] * want.YY[p])
			if d := math.Abs(got.XY[i*want.Outputs+p] - want.XY[i*want.Outputs+p]); d > tol*scale {
				t.Fatalf("%s: XY[%d,%d] = %v, want %v", name, i, p, got.XY[i*want.Outputs+p], want.XY[i*want.Outputs+p])
			}
		}
	}
	for p, y := range want.YY {
		if math.Abs(got.YY[p]-y) > tol*y {
			t.Fatalf("%s: YY[%d] = %v, want %v", name, p, got.YY[p], y)
		}
	}
}

// Sums are exact: any grouping and order of images gives the same bits.
func TestGroupingDoesNotMatter(t *testing.T) {
	const dim, labels = 20, 3
	for _, kind := range []Kind{Nodes, Edges} {
		ps := pictures(3, 40, dim, labels)
		whole := statsOf(t, kind, ps, dim, labels, false)
		rng := pcg(5)
		for range 5 {
			parts := make([]*Stats, 1+rng.IntN(6))
			for i := range parts {
				parts[i] = newStats(kind, dim, labels)
			}
			for _, i := range rng.Perm(len(ps)) {
				s := parts[rng.IntN(len(parts))]
				if err := s.AddImage(ps[i].x, ps[i].edges, ps[i].y, nil); err != nil {
					t.Fatal(err)
				}
				if rng.IntN(4) == 0 {
					s.settle() // when work is done must not matter either
				}
			}
			sum := newStats(kind, dim, labels)
			for _, i := range rng.Perm(len(parts)) {
				sum.Merge(parts[i])
			}
			if !sum.Equal(whole) {
				t.Fatalf("%v: %d parts differ from the whole", kind, len(parts))
			}
			if statsOf(t, kind, ps[13:], dim, labels, false).Equal(whole) {
				t.Fatal("Equal finds no difference")
			}
		}
	}
}

// A clone shares nothing that changes with its original.
func TestClone(t *testing.T) {
	ps := pictures(9, 6, 7, 2)
	s := statsOf(t, Edges, ps, 7, 2, false)
	c := s.Clone()
	c.Merge(s)
	if !s.Equal(statsOf(t, Edges, ps, 7, 2, false)) {
		t.Error("changing a clone changed the original")
	}
	sameGram(t, "twice", c.Gram(nil), s.Gram([]float64{2, 2, 2, 2}), 1e-12)
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
		if err := s.AddImage(x, nil, y, nil); err != nil {
			t.Fatal(err)
		}
	}
	g := s.Gram(nil)
	// 300 images x 300 nodes: Σx₀² = 90000 * 2²² = 3.8e11 = 4.1e20 units, beyond 2⁶³ = 9.2e18. All terms
	// have few bits, so the float32 sums are exact.
	const n, u, v = 90000.0, 2048.0, -1536.0
	for i, want := range []float64{n * u * u, n * u * v, n * u, n * u * v, n * v * v, n * v, n * u, n * v, n} {
		if g.XX[i] != want {
			t.Errorf("XX[%d] = %v, want %v", i, g.XX[i], want)
		}
	}
	x[7] = 1e9
	if err := s.AddImage(x, nil, y, nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("feature of 1e9: error %v", err)
	}
}

func TestBadImages(t *testing.T) {
	s := newStats(Edges, 2, 2)
	nan := float32(math.NaN())
	err := s.AddImage([]float32{1, 2, 3, nan}, [][2]int32{{0, 1}}, []uint8{0, 1}, nil)
	if err == nil || err.Error() != "feature 1 of node 1 is NaN, want a finite number" {
		t.Errorf("NaN: error %v", err)
	}
	if !s.Equal(newStats(Edges, 2, 2)) {
		t.Error("a refused image left something behind")
	}
	for name, f := range map[string]func(){
		"x":      func() { s.AddImage(make([]float32, 3), nil, make([]uint8, 2), nil) },
		"label":  func() { s.AddImage(make([]float32, 2), nil, []uint8{2}, nil) },
		"edge":   func() { s.AddImage(make([]float32, 4), [][2]int32{{0, 2}}, []uint8{0, 1}, nil) },
		"loop":   func() { s.AddImage(make([]float32, 4), [][2]int32{{1, 1}}, []uint8{0, 1}, nil) },
		"weight": func() { s.AddImage(make([]float32, 4), [][2]int32{{0, 1}}, []uint8{0, 1}, []float32{-1}) },
		"merge":  func() { s.Merge(NewNodeStats(2, 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// Images without labeled nodes, without edges, with one node, with only Skip.
func TestEmptyImages(t *testing.T) {
	for _, kind := range []Kind{Nodes, Edges} {
		s := newStats(kind, 3, 2)
		for _, y := range [][]uint8{{}, {Skip}, {Skip, Skip, Skip}} {
			if err := s.AddImage(make([]float32, 3*len(y)), nil, y, nil); err != nil {
				t.Fatal(err)
			}
		}
		if g := s.Gram(nil); g.Total() != 0 || s.images != 3 {
			t.Errorf("%v: total %v, %d images, want 0 and 3", kind, g.Total(), s.images)
		}
		m, r := Solve(s, nil, Defaults())
		if len(r.Rare) != len(s.rows) || m.B[0] != 1e-3 {
			t.Errorf("%v: a model of nothing: rare %v, intercepts %v", kind, r.Rare, m.B)
		}
	}
}

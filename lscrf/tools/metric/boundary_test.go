package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw turns rows of '.' ground, '#' figure and '?' void into a map.
func draw(rows ...string) (m []uint8, width, height int) {
	for _, r := range rows {
		for _, c := range r {
			m = append(m, map[rune]uint8{'.': 0, '#': 1, '?': Void}[c])
		}
	}
	return m, len(rows[0]), len(rows)
}

func TestBoundaryByHand(t *testing.T) {
	truth, w, h := draw(
		".......",
		".###...",
		".###...",
		".###...",
		".......")
	shift, _, _ := draw(
		".......",
		"..###..",
		"..###..",
		"..###..",
		".......")
	// Each contour is the eight outer pixels of a 3 x 3 square. Of truth's, x=1 (three pixels) has
	// no contour pixel of the shifted square at x=2..4, y=1..3 on it; (2,1) and (2,3), (3,1) and
	// (3,3) have one on them, and (3,2) has none, for the shifted square's centre is (3,2). So 4 of
	// 8, and by symmetry 4 of 8.
	got := BoundaryF(truth, shift, w, h, 1, 0)
	is(t, "recall at 0 px", got.Recall, 0.5)
	is(t, "precision at 0 px", got.Precision, 0.5)
	is(t, "F at 0 px", got.F, 0.5)
	is(t, "F at 1 px", BoundaryF(truth, shift, w, h, 1, 1).F, 1)
	is(t, "F of itself", BoundaryF(truth, truth, w, h, 1, 0).F, 1)

	// A bar of two contour pixels against a square whose nearest contour pixels are 1 and 3 away.
	bar, _, _ := draw(
		".......",
		"....##.",
		".......",
		".......",
		".......")
	got = BoundaryF(truth, bar, w, h, 1, 1)
	is(t, "precision", got.Precision, 1.0/2)           // (4,1) is 1 from (3,1), (5,1) is 2
	is(t, "recall", got.Recall, 1.0/8)                 // only (3,1)
	is(t, "F", got.F, 2*(1.0/2)*(1.0/8)/(1.0/2+1.0/8)) // 0.2
	is(t, "F is not negative at 0", BoundaryF(truth, bar, w, h, 1, 0).F, 0)
}

func TestBoundaryUndefined(t *testing.T) {
	full, w, h := draw("###", "###")
	empty, _, _ := draw("...", "...")
	part, _, _ := draw("#..", "#..")
	// The frame is no contour: a full map has none.
	undefined(t, "two maps without contour", BoundaryF(full, empty, w, h, 1, 1).F)
	got := BoundaryF(full, part, w, h, 1, 1)
	undefined(t, "recall without a true contour", got.Recall)
	is(t, "F of a contour that is not there", got.F, 0)
	is(t, "F of a missed contour", BoundaryF(part, empty, w, h, 1, 1).F, 0)
}

func TestBoundaryVoid(t *testing.T) {
	// A band of three void pixels: x=2 is nearer to the figure, x=4 to the ground, and x=3 ties,
	// which is ground. So the true contour is x=2.
	truth, w, h := draw("##???...", "##???...")
	at2, _, _ := draw("###.....", "###.....")
	at4, _, _ := draw("#####...", "#####...")
	is(t, "contour in the middle of the band", BoundaryF(truth, at2, w, h, 1, 1).F, 1)
	is(t, "contour two off", BoundaryF(truth, at4, w, h, 1, 1).F, 0)
	is(t, "contour two off, at 2 px", BoundaryF(truth, at4, w, h, 1, 2).F, 1)
	// A wide void: its inside is nobody's contour, so a prediction that ends there is not scored.
	wide, w, h := draw("#???????????.")
	mid, _, _ := draw("######.......")
	undefined(t, "contours deep in void", BoundaryF(wide, mid, w, h, 1, 1).F)
	// All void: nothing to score.
	all, w, h := draw("???", "???")
	some, _, _ := draw("#..", "...")
	undefined(t, "all void", BoundaryF(all, some, w, h, 1, 1).F)
}

// slowBoundary follows the definitions pixel by pixel.
func slowBoundary(truth, predicted []uint8, width, height int, label uint8, tolerance float64) Boundary {
	n := width * height
	distance := func(i, j int) float64 { return math.Hypot(float64(i%width-j%width), float64(i/width-j/width)) }
	nearest := func(i int, is func(j int) bool) float64 {
		d := math.Inf(1)
		for j := range n {
			if is(j) {
				d = min(d, distance(i, j))
			}
		}
		return d
	}
	filled, skip := make([]bool, n), make([]bool, n)
	for i, v := range truth {
		filled[i] = v == label
		if v == Void {
			own := nearest(i, func(j int) bool { return truth[j] == label })
			other := nearest(i, func(j int) bool { return truth[j] != label && truth[j] != Void })
			filled[i], skip[i] = own < other, min(own, other) > tolerance
		}
	}
	contour := func(in func(i int) bool) []bool {
		out := make([]bool, n)
		for i := range out {
			for j := range n {
				if distance(i, j) == 1 && in(i) && !in(j) && !skip[i] {
					out[i] = true
				}
			}
		}
		return out
	}
	a := contour(func(i int) bool { return filled[i] })
	b := contour(func(i int) bool { return predicted[i] == label })
	met := func(a, b []bool) Value {
		var hit, total int64
		for i := range a {
			if a[i] {
				total++
				if nearest(i, func(j int) bool { return b[j] }) <= tolerance {
					hit++
				}
			}
		}
		return Ratio(hit, total)
	}
	out := Boundary{Recall: met(a, b), Precision: met(b, a)}
	if p, r := out.Precision, out.Recall; p.OK && r.OK && p.V+r.V > 0 {
		out.F = Of(2 * p.V * r.V / (p.V + r.V))
	} else if p.OK || r.OK {
		out.F = Of(0)
	}
	return out
}

// Sizes on both sides of a word's 64 pixels, labels in patches, much or little void.
func TestBoundaryAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	scored := 0
	for range 150 {
		w, h := 1+rng.IntN(9), 1+rng.IntN(9)
		if rng.IntN(2) == 0 {
			w = 60 + rng.IntN(12)
		}
		if rng.IntN(6) == 0 {
			w, h = 1+rng.IntN(3), 60+rng.IntN(80)
		}
		paint := func(void bool) []uint8 {
			m := make([]uint8, w*h)
			for range 1 + rng.IntN(6) {
				label := uint8(rng.IntN(3))
				if void && rng.IntN(2) == 0 {
					label = Void
				}
				x0, y0 := rng.IntN(w), rng.IntN(h)
				x1, y1 := x0+1+rng.IntN(w-x0), y0+1+rng.IntN(h-y0)
				for y := y0; y < y1; y++ {
					for x := x0; x < x1; x++ {
						m[y*w+x] = label
					}
				}
			}
			return m
		}
		truth, predicted := paint(rng.IntN(3) > 0), paint(rng.IntN(4) == 0)
		for _, tolerance := range []float64{0, 1, 1.5, 3, 1000} {
			got, want := BoundaryF(truth, predicted, w, h, 1, tolerance), slowBoundary(truth, predicted, w, h, 1, tolerance)
			if got != want {
				t.Fatalf("%dx%d, %g px: %v, want %v\n%v\n%v", w, h, tolerance, got, want, truth, predicted)
			}
			if want.F.OK && want.F.V > 0 {
				scored++
			}
		}
	}
	if scored < 100 {
		t.Errorf("only %d scores are above 0", scored)
	}
}

func BenchmarkBoundaryF(b *testing.B) {
	const w, h = 500, 375
	truth, pred := make([]uint8, w*h), make([]uint8, w*h)
	disc := func(m []uint8, cx, cy, r int) {
		for i := range m {
			if dx, dy := i%w-cx, i/w-cy; dx*dx+dy*dy < r*r {
				m[i] = 1
			}
		}
	}
	disc(truth, 240, 190, 120)
	disc(pred, 250, 185, 118)
	band := slices.Clone(truth) // as VOC has it, about 5 px wide
	for i := range band {
		if d := math.Hypot(float64(i%w-240), float64(i/w-190)); math.Abs(d-120) < 2.5 {
			band[i] = Void
		}
	}
	wide := slices.Clone(band)
	for i := range wide[:w*h/4] {
		wide[i] = Void
	}
	for _, c := range []struct {
		name  string
		truth []uint8
	}{{"plain", truth}, {"band", band}, {"wide", wide}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				BoundaryF(c.truth, pred, w, h, 1, Diagonal(w, h, BoundaryTolerance))
			}
			b.ReportMetric(float64(b.N*w*h)/b.Elapsed().Seconds()/1e6, "Mpx/s")
		})
	}
}

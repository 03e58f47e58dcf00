package metric

import (
	"math/rand/v2"
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
	// no contour pixel of the shifted square at x=2..4, y=1..3 on it; (2,1) and (2,3), (3,1) and (3,3) have one on
	// them, and (3,2) has none, for the shifted square's centre is (3,2). So 4 of 8, and by symmetry 4 of 8.
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
	// A band of three void pixels: x=2 is nearer to the figure, x=4 to the ground, and x=3 ties, which
	// is ground. So the true contour is x=2.
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

func TestSquaredDistanceAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		w, h := 1+rng.IntN(17), 1+rng.IntN(13)
		set := make([]bool, w*h)
		p := rng.Float64() * rng.Float64() * 0.5
		for i := range set {
			set[i] = rng.Float64() < p
		}
		got := squaredDistance(set, w, h)
		for i := range set {
			want := far
			for j, s := range set {
				if s {
					dx, dy := int64(i%w-j%w), int64(i/w-j/w)
					want = min(want, dx*dx+dy*dy)
				}
			}
			if got[i] != want {
				t.Fatalf("%dx%d pixel %d: %d, want %d\n%v", w, h, i, got[i], want, set)
			}
		}
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
	b.ReportAllocs()
	for b.Loop() {
		BoundaryF(truth, pred, w, h, 1, Diagonal(w, h, BoundaryTolerance))
	}
	b.ReportMetric(float64(b.N*w*h)/b.Elapsed().Seconds()/1e6, "Mpx/s")
}

package pool

import (
	"math"
	"math/rand/v2"
	"testing"
)

// With hardly any λ a window that is in the pool gets its own mask back.
func TestRidgeRecalls(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(6, 6)), 12)
	r, err := p.fit(1e-4)
	if err != nil {
		t.Fatal(err)
	}
	pr := r.Vote(p.descriptor(6), nil)
	if pr.Voters[0].ID != "r03" {
		t.Errorf("strongest voter %v, want r03", pr.Voters[0])
	}
	for i, v := range pr.Soft {
		if want := float32(p.masks[6*64*64+i]) / 255; math.Abs(float64(v-want)) > 0.05 {
			t.Fatalf("cell %d: got %g, want %g", i, v, want)
		}
	}
	var sum float64
	for _, v := range pr.Voters {
		sum += v.Weight
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("voters' weights sum to %g, want 1", sum)
	}
}

// One source of mask T, and a query at the same place: K = 1, w = 1/(1+λ), and the mean mask is T itself, so the answer
// is T whatever λ. With two sources a and b, the query at a: w solves (K + λI) w = (1, k), with k = exp(-g·d²/d²) = exp(-g):
// wₐ = (1+λ-k²)/((1+λ)²-k²), w_b = kλ/((1+λ)²-k²).
func TestRidgeWeights(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(7, 7)), 2)
	one, two := New(p.o), New(p.o)
	one.append(p.windows[0], p.descriptor(0), p.masks[:4096])
	two.append(p.windows[0], p.descriptor(0), p.masks[:4096])
	two.append(p.windows[2], p.descriptor(2), p.masks[2*4096:3*4096])
	r, err := one.Fit()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Vote(p.descriptor(0), nil).Soft {
		if want := float32(p.masks[i]) / 255; math.Abs(float64(v-want)) > 1e-5 {
			t.Fatalf("one source, cell %d: got %g, want %g", i, v, want)
		}
	}
	if r, err = two.Fit(); err != nil {
		t.Fatal(err)
	}
	l, k := 1+lambda, math.Exp(-kernelWidth)
	wa, wb := (l-k*k)/(l*l-k*k), k*lambda/(l*l-k*k)
	for i, v := range r.Vote(p.descriptor(0), nil).Soft {
		a, b := float64(p.masks[i])/255, float64(p.masks[2*4096+i])/255
		mean := (a + b) / 2
		want := min(max(mean+wa*(a-mean)+wb*(b-mean), 0), 1)
		if math.Abs(float64(v)-want) > 1e-5 {
			t.Fatalf("two sources, cell %d: got %g, want %g", i, v, want)
		}
	}
}

// Excluding sources gives the weights of the system without them.
func TestRidgeExcludes(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(8, 8)), 9)
	r, err := p.Fit()
	if err != nil {
		t.Fatal(err)
	}
	rest := New(p.o)
	for i, w := range p.windows {
		if w.ID != "r02" && w.ID != "r07" {
			rest.append(w, p.descriptor(i), p.masks[i*4096:][:4096])
		}
	}
	q, err := rest.Fit()
	if err != nil {
		t.Fatal(err)
	}
	q.meanD, q.mean = r.meanD, r.mean // what the exclusion leaves as it was
	n := len(q.source)
	d := make([]float64, n*n)
	for i := range n {
		for j := range i {
			for c := range descSize {
				e := float64(rest.desc[i*descSize+c] - rest.desc[j*descSize+c])
				d[i*n+j] += e * e
			}
		}
	}
	if err := q.invert(d, lambda); err != nil {
		t.Fatal(err)
	}
	query := p.descriptor(4)
	got := r.Vote(query, func(id string) bool { return id == "r02" || id == "r07" })
	want := q.Vote(query, nil)
	for i := range got.Soft {
		if math.Abs(float64(got.Soft[i]-want.Soft[i])) > 1e-4 {
			t.Fatalf("cell %d: got %g, want %g", i, got.Soft[i], want.Soft[i])
		}
	}
	if none := r.Vote(query, func(string) bool { return true }); none.Soft[0] != 0.5 || len(none.Voters) != 0 {
		t.Errorf("all excluded: got %g and %v, want 0.5 and nobody", none.Soft[0], none.Voters)
	}
	empty, err := New(p.o).Fit()
	if err != nil {
		t.Fatal(err)
	}
	if none := empty.Vote(query, nil); none.Soft[0] != 0.5 {
		t.Errorf("empty pool: got %g, want 0.5", none.Soft[0])
	}
}

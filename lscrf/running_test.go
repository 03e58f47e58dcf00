package lscrf

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// TestRunning adds and removes graphs in any order: after each step the model has the bytes of one that was trained on what is in.
func TestRunning(t *testing.T) {
	src := lattice(8, 2, false, 1)
	o := quick()
	o.Balance = regress.BalancePaper
	about := trainer(src, o, 2, 1).About
	about.Dim = 3
	r := NewRunning(about, o)
	s := spec(Linear, Pairwise)
	s.Balance = o.Balance
	in, steps := map[int]bool{}, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		i := rng.IntN(len(src))
		y := src[i].Labels[manifests.Manual]
		act := r.Add
		if in[i] {
			act = r.Remove
		}
		if err := act(src[i], y); err != nil {
			t.Fatal(err)
		}
		in[i] = !in[i]
		var now Memory
		for j, g := range src {
			if in[j] {
				now = append(now, g)
			}
		}
		if r.Images() != len(now) {
			t.Fatalf("got %d images, want %d", r.Images(), len(now))
		}
		if len(now) == 0 {
			continue
		}
		steps++
		if !bytes.Equal(file(t, r.Model()), file(t, train(t, trainer(now, o, 2, 1), s))) {
			t.Fatalf("step %d, %d images: another model than that of training on them", steps, len(now))
		}
	}
	if steps < 20 {
		t.Errorf("compared %d models, want 20 or more", steps)
	}
	g := *src[0]
	g.Features = append([]float32{1e30}, g.Features[1:]...)
	before := r.Images()
	if err := r.Add(&g, g.Labels[manifests.Manual]); err == nil || r.Images() != before {
		t.Errorf("a feature that is too large: got %v", err)
	}
}

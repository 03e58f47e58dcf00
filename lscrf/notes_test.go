package lscrf

import (
	"context"
	"slices"
	"testing"
)

// Rare labels and pairs are named for trees as for linear functions.
func TestNotesNameWhatIsRare(t *testing.T) {
	src := lattice(12, 3, false, 1)
	for _, g := range src {
		for s, y := range g.Labels["manual"] {
			if y == 2 {
				g.Labels["manual"][s] = 0
			}
		}
	}
	want := []string{
		"too few rows of superpixels to learn third: each is predicted by a constant",
		"too few rows of edges to learn ground-third, figure-third, third-ground, third-figure, third-third: each is predicted by a constant",
	}
	for _, kind := range []string{Linear, Trees} {
		got, err := trainer(src, quick(), 3, 1).Train(context.Background(), spec(kind, Pairwise), func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		if notes := got.Notes(); !slices.Equal(notes, want) {
			t.Errorf("%s: got %q, want %q", kind, notes, want)
		}
		for i, v := range got.Model.Node.nodes(src[0].Features, src[0].N) {
			if i%3 == 2 && v != 1e-3 {
				t.Fatalf("%s: a rare label is predicted as %v, want 1e-3", kind, v)
			}
		}
	}
	all, err := trainer(lattice(12, 3, false, 1), quick(), 3, 1).Train(context.Background(), spec(Trees, Pairwise), func(int, int) {})
	if err != nil || len(all.Notes()) > 0 {
		t.Errorf("labels that all are there: got %q, %v", all.Notes(), err)
	}
}

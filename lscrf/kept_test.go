package lscrf

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"
)

// memory keeps models in memory.
type memory map[string][]byte

func (m memory) Load(key string) []byte        { return m[key] }
func (m memory) Save(key string, model []byte) { m[key] = bytes.Clone(model) }

// A finished model is found again with its bytes, its time and its choice, but serves neither other
// images nor other settings; of an interrupted training nothing is kept.
func TestFinishedModelsAreKept(t *testing.T) {
	src, o := lattice(12, 2, false, 1), quick()
	o.TreeFeatures.Folds, o.ChooseFolds = 2, 2
	for _, kind := range Kinds() {
		s := spec(kind, Pairwise)
		keep := memory{}
		trained := func(src Source, o TrainOptions) (got *Trained, steps int) {
			t.Helper()
			tr := trainer(src, o, 2, 1)
			tr.Kept = keep
			tr.Loss = func(Part, float64) { steps++ }
			got, err := tr.Train(context.Background(), s, func(int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			return got, steps
		}
		ctx, cancel := context.WithCancel(context.Background())
		tr := trainer(src, o, 2, 1)
		tr.Kept, tr.Loss = keep, func(Part, float64) { cancel() }
		if _, err := tr.Train(ctx, s, func(int, int) {}); !errors.Is(err, context.Canceled) || len(keep) > 0 {
			t.Fatalf("%s: interrupted it kept %d models, and said %v", kind, len(keep), err)
		}
		first, _ := trained(src, o)
		first.Seconds += time.Hour.Seconds()
		for key := range keep {
			if err := tr.save(key, first); err != nil {
				t.Fatal(err)
			}
			break
		}
		n := len(keep)
		again, steps := trained(src, o)
		if steps > 0 || len(keep) != n || !bytes.Equal(file(t, again.Model), file(t, first.Model)) {
			t.Errorf("%s: a finished model was trained again in %d steps, or has other bytes", kind, steps)
		}
		other := o
		other.Lambda = 0.5
		other.Trees.Rate = 0.5
		if _, steps := trained(src, other); steps == 0 || len(keep) == n {
			t.Errorf("%s: a model of other settings was taken", kind)
		}
		if _, steps := trained(lattice(12, 2, false, 2), o); steps == 0 {
			t.Errorf("%s: a model of other images was taken", kind)
		}
		for key := range keep {
			keep[key] = keep[key][:len(keep[key])/2]
		}
		if _, steps := trained(src, o); steps == 0 {
			t.Errorf("%s: a damaged model was taken", kind)
		}
	}
}

package lscrf

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

type kept map[string][]byte

func (k kept) Load(part string) []byte { return k[part] }
func (k kept) Save(part string, data []byte) error {
	k[part] = bytes.Clone(data)
	return nil
}

// Interrupted at several points and started again, training of trees ends with the model of an
// undisturbed run; a damaged checkpoint is ignored.
func TestCheckpoints(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Trees, Pairwise)
	o.TreeFeatures.Folds = 2
	want := file(t, train(t, trainer(src, o, 2, 1), s))
	keep := kept{}
	// 3 x 30 trees for features, 30 for nodes, 4 x 30 for edges: stop twice in the first, in the second, and twice in the third,
	// where nodes are trained again and features are not.
	for _, stop := range []int{7, 40, 50, 37, 60} {
		ctx, cancel := context.WithCancel(context.Background())
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		steps := 0
		_, err := tr.Train(ctx, s, func(int, int) {
			if steps++; steps == stop {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d trees: got %v, want canceled", stop, err)
		}
	}
	if keep["features"] == nil || keep["node"] == nil || keep["edge"] == nil {
		t.Fatal("no checkpoint was saved")
	}
	for _, damage := range []bool{false, true} {
		if damage {
			keep["edge"][len(keep["edge"])-1] ^= 1
		}
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		parts := map[string]int{}
		tr.Loss = func(part string, loss float64) {
			if parts[part]++; !(loss > 0 && loss < 1) {
				t.Errorf("%s: loss %g", part, loss)
			}
		}
		if got := file(t, train(t, tr, s)); !bytes.Equal(got, want) {
			t.Errorf("damaged %v: the resumed model has other bytes than an undisturbed one", damage)
		}
		if parts["features"] != 0 || parts["edge"] == 0 || parts["edge"] == 120 != damage {
			t.Errorf("damaged %v: trained again %v", damage, parts)
		}
	}
}

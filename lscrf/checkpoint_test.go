package lscrf

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/lscrf/tools/metric"
)

// kept keeps checkpoints in memory; every saves after so many trees, 0 only when training is stopped.
type kept struct {
	data    map[string][]byte
	every   int
	trees   int
	damaged []string
}

func (k *kept) Load(part, key string) []byte { return k.data[part+" "+key] }
func (k *kept) Save(part, key string, data []byte) {
	k.data[part+" "+key] = bytes.Clone(data)
}
func (k *kept) Due() bool {
	k.trees++
	return k.every > 0 && k.trees%k.every == 0
}
func (k *kept) Damaged(part, _ string, why error) {
	k.damaged = append(k.damaged, part+": "+why.Error())
}

// parts returns the parts that something is kept of.
func (k *kept) parts() []string {
	var out []string
	for name := range k.data {
		part, _, _ := strings.Cut(name, " ")
		out = append(out, part)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stopAt trains until so many trees were made, and returns how many each part got.
func stopAt(t *testing.T, tr *Trainer, s Spec, stop int) map[string]int {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	made := map[string]int{}
	tr.Loss = func(part Part, _ float64) { made[part.Name]++ }
	steps := 0
	_, err := tr.Train(ctx, s, func(int, int) {
		if steps++; steps == stop {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped after %d trees: got %v, want canceled", stop, err)
	}
	return made
}

// Interrupted at several points and started again, training of trees ends with the model of an
// undisturbed run, and no tree is made twice, whatever part it is of.
func TestCheckpoints(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Trees, Pairwise)
	o.TreeFeatures.Folds = 2
	want := file(t, train(t, trainer(src, o, 2, 1), s))
	keep := &kept{data: map[string][]byte{}}
	// 3 x 30 trees for features, 30 for nodes, 4 x 30 for edges: stop twice in the first, once in the second, and twice in the third.
	// The tree at hand when the end comes is made and kept.
	made := map[string]int{}
	for _, stop := range []int{7, 40, 50, 37, 60} {
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		for part, n := range stopAt(t, tr, s, stop) {
			made[part] += n
		}
	}
	tr := trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	tr.Loss = func(part Part, loss float64) {
		if made[part.Name]++; !(loss > 0 && loss < 1) {
			t.Errorf("%s: loss %g", part.Name, loss)
		}
		if want := map[string]int{"features": 1, "node": 2, "edge": 3}[part.Name]; part.Index != want || part.Of != 3 {
			t.Errorf("part %+v, want %d of 3", part, want)
		}
	}
	if got := file(t, train(t, tr, s)); !bytes.Equal(got, want) {
		t.Error("the resumed model has other bytes than an undisturbed one")
	}
	if want := map[string]int{"features": 90, "node": 30, "edge": 120}; !maps.Equal(made, want) {
		t.Errorf("trees made in all runs: got %v, want %v", made, want)
	}
	if len(keep.damaged) > 0 {
		t.Errorf("damaged: %q", keep.damaged)
	}
	// With all parts done nothing is trained at all, and the time that it took is still told.
	tr = trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	tr.Loss = func(part Part, _ float64) { t.Fatalf("%s is trained again", part.Name) }
	if got := file(t, train(t, tr, s)); !bytes.Equal(got, want) {
		t.Error("the kept model has other bytes")
	}
}

// A run that dies without a word loses what came after the last time that was due.
func TestCheckpointsDue(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Trees, Pairwise)
	want := file(t, train(t, trainer(src, o, 2, 1), s))
	keep := &kept{data: map[string][]byte{}, every: 10}
	died := errors.New("died")
	func() {
		defer func() {
			if r := recover(); r != died {
				t.Fatalf("got %v, want the panic", r)
			}
		}()
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		n := 0
		_, _ = tr.Train(t.Context(), s, func(int, int) {
			if n++; n == 30+45 {
				panic(died)
			}
		})
	}()
	made := map[string]int{}
	tr := trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	tr.Loss = func(part Part, _ float64) { made[part.Name]++ }
	if got := file(t, train(t, tr, s)); !bytes.Equal(got, want) {
		t.Error("other bytes than an undisturbed run")
	}
	// 40 trees of edges were kept.
	if want := map[string]int{"edge": 80}; !maps.Equal(made, want) {
		t.Errorf("made again: %v, want %v", made, want)
	}
}

// A damaged checkpoint is told of, wherever the damage is, and its trees are made again.
func TestCheckpointDamage(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Trees, Unary)
	want := file(t, train(t, trainer(src, o, 2, 1), s))
	keep := &kept{data: map[string][]byte{}}
	tr := trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	stopAt(t, tr, s, 12)
	if len(keep.data) != 1 {
		t.Fatalf("%d checkpoints, want 1", len(keep.data))
	}
	for name, whole := range keep.data {
		for _, cut := range []int{0, 5, len(checkpointMagic) + 10, len(whole) / 2, len(whole) - 1} {
			keep.data[name], keep.damaged = whole[:cut:cut], nil
			made := 0
			tr := trainer(src, o, 2, 1)
			tr.Checkpoints = keep
			tr.Loss = func(Part, float64) { made++ }
			got := train(t, tr, s)
			if !bytes.Equal(file(t, got), want) || made != 30 || len(keep.damaged) != 1 {
				t.Errorf("cut to %d bytes: %d trees made again, told %q", cut, made, keep.damaged)
			}
		}
		for i := 0; i < len(whole); i += 1 + len(whole)/50 {
			bad := bytes.Clone(whole)
			bad[i] ^= 1
			var c checkpoint
			if err := c.decode(bad, string(whole[len(checkpointMagic)+32:][:32])); err == nil {
				t.Errorf("a change in byte %d of %d was not seen", i, len(whole))
			}
		}
	}
}

// The trees that settings are chosen with are kept as those of the model are.
func TestCheckpointsChoose(t *testing.T) {
	src, o, s := lattice(9, 2, false, 1), quick(), spec(Trees, Pairwise)
	o.Choose = ChooseOptions{Folds: 3, UnaryWeights: []float64{0, 4}}
	want := file(t, train(t, trainer(src, o, 2, 1), s))
	keep := &kept{data: map[string][]byte{}}
	made := map[string]int{}
	for _, stop := range []int{10, 50, 100} { // while choosing, twice, and in the node trees of the model
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		for part, n := range stopAt(t, tr, s, stop) {
			made[part] += n
		}
	}
	if got, want := keep.parts(), []string{"choose-edge", "choose-node", "node"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	tr := trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	tr.Loss = func(part Part, _ float64) {
		made[part.Name]++
		if want := slices.Index([]string{"choose-node", "choose-edge", "node", "edge"}, part.Name) + 1; part.Index != want || part.Of != 4 {
			t.Errorf("part %+v, want %d of 4", part, want)
		}
	}
	if got := file(t, train(t, tr, s)); !bytes.Equal(got, want) {
		t.Error("other bytes than an undisturbed run")
	}
	if want := map[string]int{"choose-node": 30, "choose-edge": 120, "node": 30, "edge": 120}; !maps.Equal(made, want) {
		t.Errorf("trees made in all runs: got %v, want %v", made, want)
	}
}

// The time that trees took in earlier runs counts.
func TestCheckpointTime(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Trees, Unary)
	keep := &kept{data: map[string][]byte{}}
	tr := trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	train(t, tr, s)
	for name, b := range keep.data {
		var c checkpoint
		print := string(b[len(checkpointMagic)+32:][:32])
		if err := c.decode(b, print); err != nil || !c.finished {
			t.Fatalf("%s: %v, finished %v", name, err, c.finished)
		}
		c.spent = time.Hour
		keep.data[name] = c.encode(print)
	}
	tr = trainer(src, o, 2, 1)
	tr.Checkpoints = keep
	got, err := tr.Train(t.Context(), s, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if got.Seconds < 3600 {
		t.Errorf("%g s, want the hour of the earlier run and more", got.Seconds)
	}
}

// The count of a cross-validation moves in every part of every model, and not before it: of 2 models of 3 parts, a part's
// share is a sixth. The models of all folds are kept, and made once.
func TestCheckpointsCrossValidate(t *testing.T) {
	src := lattice(12, 2, false, 3)
	images, folds := scored(src), Folds{}
	for i, im := range images {
		folds[im.ID] = i / 6
	}
	o := quick()
	o.TreeFeatures.Folds = 2
	specs := []Spec{spec(Trees, Pairwise)}
	keep := &kept{data: map[string][]byte{}}
	var first []Measured
	for run := range 2 {
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		part, model, trees := Part{}, -1, 0
		tr.Loss = func(p Part, _ float64) {
			if p.Index == 1 && part.Index != 1 {
				model++
			}
			part, trees = p, trees+1
		}
		got, _, err := CrossValidate(t.Context(), *tr, specs, images, folds, func(done, total int) {
			if done == total {
				return
			}
			from, to := total*(3*model+part.Index-1)/6, total*(3*model+part.Index)/6
			if done < from-1 || done > to {
				t.Errorf("model %d, part %+v: %d of %d, want %d to %d", model, part, done, total, from, to)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{2 * (90 + 30 + 120), 0}[run]; trees != want {
			t.Errorf("run %d: %d trees, want %d", run, trees, want)
		}
		if run == 0 {
			first = got
		} else if !slices.EqualFunc(got[0].Score.Images, first[0].Score.Images, func(a, b *metric.Confusion) bool { return slices.Equal(a.N, b.N) }) {
			t.Error("from checkpoints the scores are others")
		}
	}
}

// Statistics serve what needs no image, and say what to set otherwise.
func TestStatisticsFault(t *testing.T) {
	if err := TrainDefaults().StatisticsFault(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*TrainOptions){
		"treeFeatures.folds=0": func(o *TrainOptions) { o.TreeFeatures.Folds = 2 },
		"context=0":            func(o *TrainOptions) { o.Context = 1 },
		"sampling=all":         func(o *TrainOptions) { o.Sampling = SamplePaper },
		"choose.folds=0":       func(o *TrainOptions) { o.Choose.Folds = 3 },
	} {
		o := TrainDefaults()
		change(&o)
		if err := o.StatisticsFault(); err == nil || !strings.Contains(err.Error(), "--set train."+name) {
			t.Errorf("got %v, want the remedy %s", err, name)
		}
	}
}

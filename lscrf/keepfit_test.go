package lscrf

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"
)

// Iterative fits that are done are found again: interrupted in its second part, a training makes that part alone, to the bytes of an
// undisturbed one, and then nothing; a fit serves the other kind that is made of it, but neither other data nor other settings.
func TestIterativeFitsAreKept(t *testing.T) {
	src, o, s := lattice(8, 2, false, 1), quick(), spec(Logistic, Pairwise)
	keep := &kept{data: map[string][]byte{}}
	run := func(src Source, o TrainOptions, s Spec, stopIn string) (parts []string, model *Trained) {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		tr := trainer(src, o, 2, 1)
		tr.Checkpoints = keep
		seen := map[string]bool{}
		tr.Loss = func(part Part, _ float64) {
			if seen[part.Name] = true; part.Name == stopIn {
				cancel()
			}
		}
		got, err := tr.Train(ctx, s, func(int, int) {})
		if stopIn == "" && err != nil || stopIn != "" && !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, stopped in %q: got %v", s.Name(), stopIn, err)
		}
		return slices.Sorted(maps.Keys(seen)), got
	}
	if run(src, o, s, "node"); len(keep.data) > 0 {
		t.Errorf("stopped in its first part it kept %q", keep.parts())
	}
	if run(src, o, s, "edge"); !slices.Equal(keep.parts(), []string{"node"}) {
		t.Errorf("stopped in its second part it kept %q, want the first", keep.parts())
	}
	for name, b := range keep.data {
		var c checkpoint
		print := string(b[len(checkpointMagic)+32:][:32])
		if err := c.decode(b, print); err != nil || !c.finished {
			t.Fatalf("%s: %v, finished %v", name, err, c.finished)
		}
		c.spent = time.Hour
		keep.data[name] = c.encode(print)
	}
	parts, got := run(src, o, s, "")
	if !slices.Equal(parts, []string{"edge"}) || got.Seconds < 3600 || got.Seconds > 3700 {
		t.Errorf("it made %q again and says %g s, want edges alone, and once the hour of the earlier run", parts, got.Seconds)
	}
	if want := file(t, train(t, trainer(src, o, 2, 1), s)); !bytes.Equal(file(t, got.Model), want) {
		t.Error("other bytes than an undisturbed run")
	}
	if parts, _ := run(src, o, spec(Piecewise, Pairwise), ""); len(parts) > 0 {
		t.Errorf("piecewise training made %q again", parts)
	}
	if parts, _ := run(lattice(8, 2, false, 2), o, s, ""); len(parts) != 2 {
		t.Errorf("of other data it made %q", parts)
	}
	o.Lambda = 0.5
	if parts, _ := run(src, o, s, ""); len(parts) != 2 {
		t.Errorf("with another penalty it made %q", parts)
	}

	s = spec(Pseudolikelihood, Pairwise)
	_, first := run(src, o, s, "")
	parts, again := run(src, o, s, "")
	if len(parts) > 0 || !bytes.Equal(file(t, first.Model), file(t, again.Model)) {
		t.Errorf("pseudolikelihood: made %q again, or other bytes", parts)
	}
	for name := range keep.data {
		keep.data[name] = []byte("hdlchk\x00\x01 cut")
	}
	if parts, _ := run(src, o, s, ""); len(parts) != 1 || len(keep.damaged) != 1 {
		t.Errorf("of a damaged checkpoint: made %q, told of %q", parts, keep.damaged)
	}
}

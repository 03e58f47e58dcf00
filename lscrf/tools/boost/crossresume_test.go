package boost

import (
	"bytes"
	"slices"
	"testing"
)

// Stopping after any tree of any fold and resuming gives the predictions and models of one run, and reports the
// other trees only; a checkpoint that was cut, edited or made from other data is refused.
func TestResumeCrossFit(t *testing.T) {
	x, y := noisy(6, 240, 3)
	data := rowData(x, signs(y), 3, 12)
	group := make([]int, 240)
	for i := range group {
		group[i] = i / 12
	}
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Loss, opt.HeldOut, opt.Patience = 5, 3, Logistic, 0.2, 2
	var checkpoints [][]byte
	want, err := CrossFit(data, group, 3, opt, 1, func(p Progress) bool {
		checkpoints = append(checkpoints, p.Checkpoint())
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	checkpoints = append(checkpoints, want.Checkpoint())
	if len(checkpoints) < 9 {
		t.Fatalf("only %d checkpoints", len(checkpoints))
	}
	for i, c := range checkpoints {
		calls := 0
		got, err := ResumeCrossFit(data, group, 3, opt, c, 2, func(Progress) bool { calls++; return true })
		if err != nil {
			t.Fatal(err)
		}
		if calls != max(0, len(checkpoints)-2-i) {
			t.Errorf("checkpoint %d: %d trees were reported, want %d", i, calls, len(checkpoints)-2-i)
		}
		if !slices.Equal(got.Out, want.Out) || len(got.Without) != 3 {
			t.Errorf("checkpoint %d: other predictions", i)
		}
		a, _ := got.Model.MarshalBinary()
		b, _ := want.Model.MarshalBinary()
		if !bytes.Equal(a, b) || !bytes.Equal(got.Checkpoint(), want.Checkpoint()) {
			t.Errorf("checkpoint %d: other models", i)
		}
	}
	last := checkpoints[len(checkpoints)-2]
	for i := 0; i < len(last); i += 1 + len(last)/60 {
		bad := bytes.Clone(last)
		bad[i] ^= 1
		if _, err := ResumeCrossFit(data, group, 3, opt, bad, 1, nil); err == nil {
			t.Errorf("byte %d changed: accepted", i)
		}
		if i == len(last)-1 {
			continue
		}
		if got, err := ResumeCrossFit(data, group, 3, opt, last[:i], 1, nil); err == nil && !slices.Equal(got.Out, want.Out) {
			t.Errorf("cut to %d bytes: accepted with other predictions", i) // cut between two models it is an earlier state
		}
	}
	if _, err := ResumeCrossFit(data, group, 4, opt, last, 1, nil); err == nil {
		t.Error("a checkpoint of other folds was accepted")
	}
}

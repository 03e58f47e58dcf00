package boost

import (
	"bytes"
	"reflect"
	"testing"
)

// Stopping after any tree and resuming gives the model and the report of one run.
func TestResume(t *testing.T) {
	x, edges, y := pairWorld(4, 50, 5, 1200)
	b := NewBinning(x, 50, 5, 20, 1)
	data := Data{Design: Pairs(b.Bin(x, 50, 1), edges), Outputs: 2, Targets: append(y, y...)[:2400]}
	for name, change := range map[string]func(*Options){
		"independent": func(*Options) {},
		"shared":      func(o *Options) { o.Leaves = Shared },
		"early stop":  func(o *Options) { o.HeldOut, o.Patience = 0.3, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			opt := Defaults()
			opt.Trees, opt.Depth = 7, 3
			change(&opt)
			var checkpoints [][]byte
			m, rep, err := Fit(data, opt, 1, func(p Progress) bool {
				checkpoints = append(checkpoints, p.Checkpoint())
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(checkpoints) < 6 {
				t.Fatalf("only %d checkpoints", len(checkpoints))
			}
			want, _ := m.MarshalBinary()
			for i, c := range checkpoints {
				calls := 0
				again, rep2, err := Resume(data, opt, c, 2, func(Progress) bool { calls++; return true })
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := again.MarshalBinary(); !bytes.Equal(got, want) {
					t.Errorf("checkpoint %d: another model", i)
				}
				if !reflect.DeepEqual(rep, rep2) {
					t.Errorf("checkpoint %d: another report", i)
				}
				if calls != len(checkpoints)-1-i {
					t.Errorf("checkpoint %d: %d trees were reported, want %d", i, calls, len(checkpoints)-1-i)
				}
			}
		})
	}
}

func TestStop(t *testing.T) {
	x, y := noisy(5, 300, 3)
	b := NewBinning(x, 300, 3, 20, 1)
	data := Data{Design: Rows(b.Bin(x, 300, 1)), Outputs: 1, Targets: y}
	m, rep, err := Fit(data, Defaults(), 1, func(p Progress) bool { return p.Tree < 4 })
	if err != nil || !rep.Stopped || len(m.Sequences[0].Trees) != 4 {
		t.Fatalf("err %v, stopped %v, %d trees; want a model of 4 trees", err, rep.Stopped, len(m.Sequences[0].Trees))
	}
}

// A checkpoint belongs to its data and options, and damage is seen.
func TestCheckpointIsChecked(t *testing.T) {
	x, y := noisy(6, 300, 3)
	b := NewBinning(x, 300, 3, 20, 1)
	data := Data{Design: Rows(b.Bin(x, 300, 1)), Outputs: 1, Targets: y}
	opt := Defaults()
	opt.Trees = 3
	var c []byte
	if _, _, err := Fit(data, opt, 1, func(p Progress) bool { c = p.Checkpoint(); return false }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(data, opt, c, 1, nil); err != nil {
		t.Fatal(err)
	}
	for i := range c {
		bad := bytes.Clone(c)
		bad[i] ^= 1
		if _, _, err := Resume(data, opt, bad, 1, nil); err == nil {
			t.Fatalf("a change in byte %d of %d was not seen", i, len(c))
		}
	}
	other := opt
	other.Rate = 0.2
	if _, _, err := Resume(data, other, c, 1, nil); err == nil {
		t.Error("other options were not seen")
	}
	changed := data
	changed.Targets = append([]float32{y[0] + 1}, y[1:]...)
	if _, _, err := Resume(changed, opt, c, 1, nil); err == nil {
		t.Error("other targets were not seen")
	}
}

// BenchmarkFingerprint is a tenth of the paper's largest case: 650,000 pairs with 4 outputs, 133 bins a node.
func BenchmarkFingerprint(b *testing.B) {
	n := 650_000
	x := make([]float32, n/3*133)
	bins := NewBinning(x[:100*133], 100, 133, 20, 1).Bin(x, n/3, 1)
	edges := make([][2]int32, n)
	data := Data{Design: Pairs(bins, edges), Outputs: 4, Targets: make([]float32, 4*n), Weights: make([]float32, n)}
	b.ReportAllocs()
	for b.Loop() {
		Fingerprint(data, Defaults())
	}
}

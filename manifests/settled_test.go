package manifests

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// While one goroutine replaces a manifest again and again, as fast as it can, readers see one of those that were written, whole.
func TestReadWhileReplaced(t *testing.T) {
	s := testStore(t)
	all := states()
	var want []Digest
	for _, m := range all {
		d, err := Write(s, "a", m)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, d)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	var written atomic.Int64
	writer.Go(func() {
		for ; ; written.Add(1) {
			select {
			case <-done:
				return
			default:
			}
			if _, err := Write(s, "a", all[int(written.Load())%len(all)]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	seen := map[Digest]int{}
	for n := 0; n < 150 || written.Load() < 5 && !t.Failed(); n++ {
		r, err := OpenStore(s.Dir())
		if err != nil {
			t.Fatal(err)
		}
		m, d, err := Read(r, "a")
		if err != nil || !slices.Contains(want, d) || len(m.Records) != len(all[slices.Index(want, d)].Records) {
			t.Fatalf("got %s, %v, want one of %v", d, err, want)
		}
		seen[d]++
	}
	close(done)
	writer.Wait()
	if len(seen) < 2 {
		t.Errorf("%d writes, seen: %v: nothing was replaced meanwhile", written.Load(), seen)
	}
}

// Where only some records of a manifest are, those that voted may be elsewhere; in any other manifest that is a fault.
func TestChoiceWithoutVoters(t *testing.T) {
	s := testStore(t)
	m := sample(3, 1)
	m.Records[1].Masks[0].WasDerivedFrom = []string{"n0_elsewhere"}
	for stage, want := range map[string]bool{StageChoice: false, "transfer": true} {
		m.Stage = stage
		if _, err := Write(s, "a", m); err != nil {
			t.Fatal(err)
		}
		faults, err := Check(t.Context(), s, "a", CheckOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(faults, func(f Fault) bool {
			return strings.Contains(f.Message, "derived from n0_elsewhere, which is not in the manifest")
		})
		if got != want {
			t.Errorf("stage %s: a fault: %v, want %v", stage, got, want)
		}
	}
}

// Beside stages a manifest has its parent in the store, unless it is a choice of its records.
func TestChoiceBesideStages(t *testing.T) {
	s := testStore(t)
	m := sample(3, 0)
	m.Stage = "split"
	if _, err := Write(s, "stages/split", m); err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string]bool{StageChoice: false, "transfer": true} {
		m.Stage, m.Parent = stage, sum(77)
		if _, err := Write(s, "a", m); err != nil {
			t.Fatal(err)
		}
		faults, err := Check(t.Context(), s, "a", CheckOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == FaultParent }); got != want {
			t.Errorf("stage %s: a fault: %v, want %v", stage, got, want)
		}
	}
}

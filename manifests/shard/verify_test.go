package shard

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hdseg/manifests"
)

// An archive that the index does not name is a fault: a reader that is given the folder would take it.
func TestVerifyExtraArchive(t *testing.T) {
	s, m, digest := world(t, 1)
	dir := filepath.Join(t.TempDir(), "shards")
	if _, err := Pack(t.Context(), s, "horseseg", m, digest, dir, Defaults(), 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "extra-000009.tar"), make([]byte, 1024), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, against := range []*manifests.Manifest{nil, m} {
		faults, err := Verify(t.Context(), dir, against, 1, nil)
		if err != nil || len(faults) != 1 || faults[0].Kind != manifests.FaultSurplus {
			t.Errorf("got %v, %v; want one surplus archive", faults, err)
		}
	}
}

// Any flipped bit of the files beside the archives is a fault, which what its message says mends.
func TestVerifyFlipsBeside(t *testing.T) {
	s, m, digest := world(t, 1)
	dir := filepath.Join(t.TempDir(), "shards")
	pack := func() {
		t.Helper()
		if _, err := Pack(t.Context(), s, "horseseg", m, digest, dir, Defaults(), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	pack()
	plan, sums, index := filepath.Join(dir, PlanFile), filepath.Join(dir, manifests.SumsFile), filepath.Join(dir, IndexFile)
	for _, name := range []string{plan, sums, index} {
		was, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range was {
			data := slices.Clone(was)
			data[at] ^= 1 << (at % 8)
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if faults, err := Verify(t.Context(), dir, nil, 1, nil); err == nil && len(faults) == 0 {
				t.Fatalf("%s: byte %d: not noticed", filepath.Base(name), at)
			}
		}
		for _, f := range []string{plan, sums} {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		pack()
		if faults, err := Verify(t.Context(), dir, m, 1, nil); err != nil || len(faults) > 0 {
			t.Errorf("%s, mended: got %v, %v", filepath.Base(name), faults, err)
		}
	}
}

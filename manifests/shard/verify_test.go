package shard

import (
	"os"
	"path/filepath"
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

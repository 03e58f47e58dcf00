package shard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A record that would be written beside images/ and masks/ is refused before anything of it is.
func TestUnpackOutsideImages(t *testing.T) {
	s, m, _ := world(t, 1)
	dir := filepath.Join(t.TempDir(), "shards")
	r := m.Records[0]
	data, err := s.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	r.Image.Path, r.Masks = ".git/hooks/pre-commit", nil
	if err := s.Replace(r.Image.Path, data); err != nil {
		t.Fatal(err)
	}
	m.Records = []manifests.Record{r}
	ix, err := Pack(t.Context(), s, "horseseg", m, manifests.Sum(nil), dir, Defaults(), 1, nil)
	if err != nil || len(ix.Shards) != 1 {
		t.Fatal(ix, err)
	}
	to, err := manifests.OpenStore(filepath.Join(t.TempDir(), "to"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Unpack(t.Context(), dir, to, 1); err == nil || !strings.Contains(err.Error(), "want a path in images/ or masks/") {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(to.Dir(), ".git")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

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
	if _, _, err := Unpack(t.Context(), dir, to, 1, false); err == nil || !strings.Contains(err.Error(), "want a path in images/ or masks/") {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(to.Dir(), ".git")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// What is there of another data set, a whole set, or what others were made from stays, unless it is said to be meant.
func TestUnpackReplacesNothingUnasked(t *testing.T) {
	s, m, digest := world(t, 8)
	dir := filepath.Join(t.TempDir(), "shards")
	mustPack(t, s, m, digest, dir, 1)
	refused := func(to *manifests.Store, dir, want string) {
		t.Helper()
		before, _ := os.ReadFile(filepath.Join(to.Dir(), "horseseg.yaml"))
		if _, _, err := Unpack(t.Context(), dir, to, 1, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if after, _ := os.ReadFile(filepath.Join(to.Dir(), "horseseg.yaml")); string(after) != string(before) {
			t.Errorf("%s: the manifest was changed", want)
		}
	}
	open := func() *manifests.Store {
		to, err := manifests.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	write := func(to *manifests.Store, name string, m manifests.Manifest) manifests.Digest {
		d, err := manifests.WriteListed(to, name, &m)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}

	other := open()
	dogs := *m
	dogs.Dataset = "dogseg"
	write(other, "horseseg", dogs)
	refused(other, dir, `the data set "dogseg" is there`)
	if _, _, err := Unpack(t.Context(), dir, other, 1, true); err != nil {
		t.Error("with replace:", err)
	}
	if _, now, err := manifests.Read(other, "horseseg"); err != nil || now != digest {
		t.Errorf("with replace: got %s, %v, want %s", now.Short(), err, digest.Short())
	}

	parent := open()
	old := *m
	old.Seed++
	child := *m
	child.Parent = write(parent, "horseseg", old)
	write(parent, "reviewed", child)
	refused(parent, dir, "reviewed.yaml was made from it")

	whole := open()
	some := filepath.Join(t.TempDir(), "some")
	o := Defaults()
	o.Splits = []manifests.Split{manifests.Test}
	if _, err := Pack(t.Context(), s, "horseseg", m, digest, some, o, 1, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 { // of the same bytes, and then with what was made from it
		if _, _, err := Unpack(t.Context(), dir, whole, 1, false); err != nil {
			t.Fatal(err)
		}
		child.Parent = digest
		write(whole, "reviewed", child)
	}
	refused(whole, some, "the whole set is there")
	for range 2 {
		if _, _, err := Unpack(t.Context(), some, other, 1, true); err != nil {
			t.Error(err)
		}
	}

	itself, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused(itself, dir, "is a folder of shards")
	if _, err := Pack(t.Context(), s, "horseseg", m, digest, whole.Dir(), Defaults(), 1, nil); err == nil || !strings.Contains(err.Error(), "of other files") {
		t.Errorf("shards into a data set: got %v", err)
	}
}

package manifests

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// named returns the path of the one part of the store that p stands for: a.d/0000.yaml for a.d/0000.DIGEST.yaml. A path that is there stands for itself.
func named(t testing.TB, s *Store, p string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir(), p)); err == nil {
		return p
	}
	found, err := filepath.Glob(filepath.Join(s.Dir(), strings.TrimSuffix(p, ".yaml")+".*.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s stands for %v, %v", p, found, err)
	}
	return filepath.ToSlash(filepath.Dir(p)) + "/" + filepath.Base(found[0])
}

// numbered gives the parts of a manifest names without digests, a.d/0000.yaml and a.d/skipped.yaml: an index may use any.
func numbered(t testing.TB, s *Store, name string) {
	t.Helper()
	index := filepath.Join(s.Dir(), name+".yaml")
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(s.Dir(), name+".d"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		stem, _, _ := strings.Cut(e.Name(), ".")
		dir := filepath.Join(s.Dir(), name+".d")
		if err := os.Rename(filepath.Join(dir, e.Name()), filepath.Join(dir, stem+".yaml")); err != nil {
			t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte(e.Name()), []byte(stem+".yaml"))
	}
	if err := os.WriteFile(index, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// parts lists the files of NAME.d without their digests.
func parts(t testing.TB, s *Store, name string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir(), name+".d"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Until the index is replaced, the old one and all its parts are there for readers that know no locks; afterwards the parts that only the old one names are gone.
func TestOldPartsOutliveOldIndex(t *testing.T) {
	s := testStore(t)
	m := sample(PartRecords+3, 1)
	old, err := Write(s, "a", m)
	if err != nil {
		t.Fatal(err)
	}
	before := parts(t, s, "a")
	m.Records[PartRecords+1].Image.Notes = []string{"other"} // in the second part
	w := writer{s: s, name: "a", named: map[string]Digest{}}
	defer w.close()
	if err := m.encode("a", w.add); err != nil {
		t.Fatal(err)
	}
	if len(w.files) != 4 {
		t.Errorf("%d files are staged, want two parts, what was left out and the index", len(w.files))
	}
	if !strings.HasSuffix(w.files[len(w.files)-1].final, "a.yaml") {
		t.Errorf("the index is not the last file: %s", w.files[len(w.files)-1].final)
	}
	for _, g := range w.files[:3] { // as far as a commit gets before the index
		if err := g.rename(); err != nil {
			t.Fatal(err)
		}
	}
	if _, d, faults, err := read(s, "a", false); err != nil || len(faults) > 0 || d != old {
		t.Errorf("before the index: %s, %v, %v, want %s", d.Short(), faults, err, old.Short())
	}
	if err := w.commit(); err != nil {
		t.Fatal(err)
	}
	after := parts(t, s, "a")
	if len(after) != 3 || after[0] != before[0] || after[1] == before[1] {
		t.Errorf("got %v after %v", after, before)
	}
	if _, d, err := Read(s, "a"); err != nil || d != w.named["a.yaml"] {
		t.Errorf("got %s, %v, want %s", d.Short(), err, w.named["a.yaml"].Short())
	}
}

// A part that the store has already is there, too, if another process removes it meanwhile.
func TestCommonPartIsGone(t *testing.T) {
	s := testStore(t)
	m := sample(PartRecords+3, 1)
	if _, err := Write(s, "a", m); err != nil {
		t.Fatal(err)
	}
	m.Seed = 5
	want, err := publish(s, "a", nil, func(w *writer) error {
		err := m.encode("a", w.add)
		if err == nil {
			_, err = Write(s, "a", sample(3, 1)) // of another process
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, d, err := Read(s, "a"); err != nil || d != want {
		t.Errorf("got %s, %v, want %s", d.Short(), err, want.Short())
	}
	if _, n := files(t, s.Dir()); n > 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

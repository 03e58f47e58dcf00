package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// newStore returns a store that holds an empty manifest under each name.
func newStore(t *testing.T, names ...string) *manifests.Store {
	t.Helper()
	s, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		m := &manifests.Manifest{Header: manifests.Header{Dataset: n, Stage: "ingest"}}
		if _, err := manifests.Write(s, n, m); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func put(t *testing.T, s *manifests.Store, name, text string) {
	t.Helper()
	file := filepath.Join(s.Dir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestABuildHasItsFolderAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		holds []string
		files map[string]string
		want  string // part of the error; "" is none
	}{
		{"an empty folder", nil, nil, ""},
		{"the data set itself", []string{"horseseg"}, nil, ""},
		{"another data set", []string{"dogseg"}, nil, "holds the data set dogseg"},
		{"settings beside it", []string{"horseseg"}, map[string]string{"notes.yaml": "a: 1\n"}, ""},
		{"a record of a run", nil, map[string]string{"dogseg.run.yaml": "workers: 2\n"}, ""},
		{"a file under the manifest's name", nil, map[string]string{"horseseg.yaml": "mine: true\n"}, "is not a manifest of this build"},
		{"a damaged manifest of a build", nil, map[string]string{"horseseg.yaml": "schema", ".work/ingest.yaml": "key: x\n"}, ""},
	} {
		s := newStore(t, c.holds...)
		for name, text := range c.files {
			put(t, s, name, text)
		}
		err := alone(s, "horseseg")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Of another data set with a million records a build must read the index alone: here the parts are gone.
func TestAloneReadsNoParts(t *testing.T) {
	s := newStore(t, "dogseg")
	if err := os.RemoveAll(filepath.Join(s.Dir(), "dogseg.d")); err != nil {
		t.Fatal(err)
	}
	if err := alone(s, "horseseg"); err == nil || !strings.Contains(err.Error(), "dogseg") {
		t.Errorf("got %v, want the other data set named", err)
	}
}

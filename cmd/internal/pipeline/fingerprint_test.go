package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What changes behind a link changes the source: a linked source, a linked folder in it, and a link that leads nowhere, which is no error. Circles end.
func TestFingerprintsFollowLinks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("real/a.txt", "1")
	write("elsewhere/b.txt", "1")
	for from, to := range map[string]string{"source": "real", "real/more": "../elsewhere", "real/up": "..", "real/none": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	prints := func() []fingerprint {
		t.Helper()
		out, err := fingerprints(filepath.Join(dir, "source"))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := prints()
	var paths []string
	for _, f := range before {
		paths = append(paths, f.Path)
	}
	if want := []string{"source/a.txt", "source/more/b.txt", "source/none"}; !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
	for _, name := range []string{"real/a.txt", "elsewhere/b.txt"} {
		write(name, "other")
		if after := prints(); slices.Equal(before, after) {
			t.Errorf("%s changed, and nothing is seen of it", name)
		} else {
			before = after
		}
	}
}

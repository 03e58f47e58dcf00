package demo

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// sha256 of nothing and of "abc": FIPS 180-2's own examples.
const (
	sumEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	sumABC   = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDigestByHand(t *testing.T) {
	dir := tree(t, map[string]string{"a/b": "abc", "a.b": "", "run/log": "x", "a/c.run.yaml": "x"})
	// Byte order: '.' (2E) stands before '/' (2F), so a.b before a/b.
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("a.b\x00"+sumEmpty+"a/b\x00"+sumABC)))
	if got := digest(t, dir, "run", "*.run.yaml"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := digest(t, dir, "run/log", "a/*.yaml"); got != want {
		t.Errorf("patterns of whole paths: got %s, want %s", got, want)
	}
}

func TestDigestTellsTreesApart(t *testing.T) {
	base := digest(t, tree(t, map[string]string{"a": "1", "b": "2"}))
	for _, other := range []map[string]string{
		{"a": "2", "b": "1"}, {"a": "1"}, {"a": "1", "b": "2", "c": ""}, {"a": "12", "b": ""}, {"a": "1", "d/b": "2"},
	} {
		if digest(t, tree(t, other)) == base {
			t.Errorf("%v has the digest of another tree", other)
		}
	}
	same := tree(t, map[string]string{"b": "2", "a": "1"})
	if err := os.Mkdir(filepath.Join(same, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	if digest(t, same) != base {
		t.Error("an empty folder changed the digest")
	}
}

func TestDigestErrors(t *testing.T) {
	dir := tree(t, map[string]string{"a": "1"})
	if _, err := Digest(dir, "[a"); err == nil {
		t.Error("a bad pattern was accepted")
	}
	if _, err := Digest(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is absent has a digest")
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Digest(dir); err == nil {
		t.Error("a symbolic link has no bytes of its own, yet was accepted")
	}
	if _, err := Digest(dir, "link"); err != nil {
		t.Errorf("an excluded link: %v", err)
	}
}

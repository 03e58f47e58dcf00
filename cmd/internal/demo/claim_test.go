package demo

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCompleteWorldIsLeftUntouched(t *testing.T) {
	dir, _ := drawIn(t, small())
	old := time.Unix(1000000000, 0)
	file := filepath.Join(dir, "imagenet", "n02374451.tar")
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	w, err := Draw(dir, small(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(w.ImageNetTar); err != nil || !s.ModTime().Equal(old) {
		t.Errorf("the synset tar was written again: %v, %v", s.ModTime(), err)
	}
}

// A world that was interrupted at any point, or changed since, ends with the bytes of
// an undisturbed drawing.
func TestInterruptedOrDamagedWorldIsDrawnAgain(t *testing.T) {
	dir, _ := drawIn(t, small())
	want := contents(t, dir)
	damage := map[string]func() error{
		"no file": func() error { return os.RemoveAll(filepath.Join(dir, "test")) },
		"cut file": func() error {
			return os.Truncate(filepath.Join(dir, "imagenet", "n02374451.tar"), 1000)
		},
		"killed at the start": func() error {
			return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, markerName), nil, 0o666))
		},
	}
	for name, hurt := range damage {
		if err := hurt(); err != nil {
			t.Fatal(err)
		}
		if _, err := Draw(dir, small(), nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !maps.Equal(contents(t, dir), want) {
			t.Errorf("%s: drawing again made other files", name)
		}
	}
}

func TestDrawRefusesFoldersThatAreNotItsOwn(t *testing.T) {
	refused := func(dir string, o Options, want string) {
		t.Helper()
		if _, err := Draw(dir, o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(foreign, small(), "want an empty folder")
	if data, err := os.ReadFile(filepath.Join(foreign, "thesis.tex")); err != nil || string(data) != "mine" {
		t.Errorf("the foreign file: got %q, %v", data, err)
	}

	dir, _ := drawIn(t, small())
	other := small()
	other.Seed = 9
	refused(dir, other, "another version")

	// A stray picture would become a record of a build.
	if err := os.WriteFile(filepath.Join(dir, "test", "images", "stray.jpg"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused(dir, small(), "test/images/stray.jpg")

	bad := small()
	bad.Class = "cow"
	refused(filepath.Join(t.TempDir(), "x"), bad, `class: got "cow"`)
}

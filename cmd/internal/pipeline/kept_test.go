package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"hdseg/manifests"
)

// What a killed process wrote only in part lies where the next one clears up, and no folder of models stays for it.
func TestKeptLeavesNothing(t *testing.T) {
	s := newStore(t)
	warned := 0
	warn := func(string) { warned++ }
	put(t, s, ".tmp", "a file, so that no temporary one can be made")
	k := StoreKept(s, warn)
	k.Save("one", []byte("model"))
	if _, err := os.Stat(filepath.Join(s.Dir(), ".work")); warned != 1 || err == nil || k.Any() {
		t.Errorf("got %d warnings, %v, want a model to be written through the folder .tmp of the store", warned, err)
	}
	if err := os.Remove(filepath.Join(s.Dir(), ".tmp")); err != nil {
		t.Fatal(err)
	}
	k.Save("one", []byte("model"))
	if got := StoreKept(s, warn).Load("one"); string(got) != "model" {
		t.Errorf("got %q, want the model", got)
	}

	alone := filepath.Join(t.TempDir(), "folds.models")
	put(t, openStore(t, alone), ".tmp/123", "half a mod")
	k = NewKept(alone, warn)
	k.Save("one", []byte("model"))
	if err := k.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(alone); err == nil {
		t.Error("the folder of models is left")
	}
}

func openStore(t *testing.T, dir string) *manifests.Store {
	t.Helper()
	s, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

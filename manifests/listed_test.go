package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A store's list names the files of all its manifests, each of which checks clean, and drops what is gone; what it does not name is counted.
func TestUnnamed(t *testing.T) {
	p := newPlanted(t)
	p.write()
	if list, _, err := Unnamed(p.s, nil); len(list) != 0 || err != nil {
		t.Errorf("got %q, %v; want none", list, err)
	}
	left, _, err := p.s.Put("masks/manual", "left", "png", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if list, _, err := Unnamed(p.s, map[string]bool{left: true}); len(list) != 0 || err != nil {
		t.Errorf("a file to spare: got %q, %v; want none", list, err)
	}
	if list, _, err := Unnamed(p.s, nil); len(list) != 1 || list[0] != left || err != nil {
		t.Errorf("got %q, %v; want %s", list, err, left)
	}
	if _, err := WriteListed(p.s, "second", p.m); err != nil {
		t.Fatal(err)
	}
	// a list that lacks a manifest's lines takes nothing from it; one that cannot be read stops all
	if err := os.WriteFile(filepath.Join(p.s.Dir(), SumsFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if list, _, err := Unnamed(p.s, nil); len(list) != 1 || err != nil {
		t.Errorf("an empty list: got %q, %v", list, err)
	}
	if ok, err := Listed(p.s, "second", p.m, ReadSums(p.s)); ok || err != nil {
		t.Errorf("an empty list lists all: %v", err)
	}
	for _, name := range []string{"second", "horseseg"} {
		if _, err := WriteListed(p.s, name, p.m); err != nil {
			t.Fatal(err)
		}
		if ok, err := Listed(p.s, name, p.m, ReadSums(p.s)); !ok || err != nil {
			t.Errorf("%s is not listed: %v", name, err)
		}
	}
	index := filepath.Join(p.s.Dir(), "second.yaml")
	whole, err := os.ReadFile(index)
	if err != nil || os.WriteFile(index, whole[:20], 0o666) != nil {
		t.Fatal(err)
	}
	if list, _, err := Unnamed(p.s, nil); err == nil || !strings.Contains(err.Error(), "second.yaml: what it names is not known") {
		t.Errorf("a damaged manifest: got %q, %v", list, err)
	}
	if err := os.WriteFile(index, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"horseseg", "second"} {
		if faults, err := Check(t.Context(), p.s, name, pngHooks(false)); err != nil || len(faults) > 0 {
			t.Errorf("%s: %v, %v", name, faults, err)
		}
	}
}

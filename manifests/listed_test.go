package manifests

import "testing"

// A store's list names the files of all its manifests, each of which checks clean, and drops what is gone; what it does not name is counted.
func TestUnlisted(t *testing.T) {
	p := newPlanted(t)
	p.write()
	if list, err := Unlisted(p.s, nil); len(list) != 0 || err != nil {
		t.Errorf("got %q, %v; want none", list, err)
	}
	left, _, err := p.s.Put("masks/manual", "left", "png", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if list, err := Unlisted(p.s, map[string]bool{left: true}); len(list) != 0 || err != nil {
		t.Errorf("a file to spare: got %q, %v; want none", list, err)
	}
	if list, err := Unlisted(p.s, nil); len(list) != 1 || list[0] != left || err != nil {
		t.Errorf("got %q, %v; want %s", list, err, left)
	}
	if _, err := WriteListed(p.s, "second", p.m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"horseseg", "second"} {
		if faults, err := Check(t.Context(), p.s, name, pngHooks(false)); err != nil || len(faults) > 0 {
			t.Errorf("%s: %v, %v", name, faults, err)
		}
	}
}

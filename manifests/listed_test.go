package manifests

import "testing"

// A store's list names the files of all its manifests, each of which checks clean, and drops what is gone; what it does not name is counted.
func TestUnlisted(t *testing.T) {
	p := newPlanted(t)
	p.write()
	if n, first, err := Unlisted(p.s); n != 0 || err != nil {
		t.Errorf("got %d, %q, %v; want none", n, first, err)
	}
	if _, _, err := p.s.Put("masks/manual", "left", "png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, first, err := Unlisted(p.s); n != 1 || first != "masks/manual/left."+Sum([]byte("x")).Short()+".png" || err != nil {
		t.Errorf("got %d, %q, %v; want the one that was put there", n, first, err)
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

package manifests

import (
	"strings"
	"testing"
)

func TestMayReplace(t *testing.T) {
	t.Parallel()
	p := newPlanted(t)
	p.write()
	_, own, err := Read(p.s, "horseseg")
	p.must(err)
	for _, c := range []struct {
		name, dataset, want string // "" for allowed
	}{
		{"horseseg", "horseseg", ""},
		{"new", "horseseg", ""},
		{"horseseg", "dogseg", `the data set "horseseg" is there`},
		{"stages/split", "dogseg", `the data set "horseseg" is there`},
	} {
		if err := MayReplace(p.s, c.name, c.dataset); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s as %s: got %v, want %q", c.name, c.dataset, err, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		becomes Digest
		choice  bool
		want    string
	}{
		{"horseseg", own, false, ""},
		{"horseseg", own, true, ""},
		{"horseseg", sum(1), false, ""}, // nothing was made from it
		{"horseseg", sum(1), true, "the whole set is there"},
		{"stages/split", sum(1), false, "horseseg.yaml was made from it"},
		{"stages/split", p.m.Parent, false, ""},
		{"new", sum(1), true, ""},
	} {
		if err := MayChange(p.s, c.name, c.becomes, c.choice); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, choice %v: got %v, want %q", c.name, c.choice, err, c.want)
		}
	}
	p.must(p.s.Replace("notes.yaml", []byte("- milk\n")))
	if err := MayReplace(p.s, "notes", "horseseg"); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a file of another kind: got %v", err)
	}
	p.must(p.s.Replace(SumsFile, []byte("mine\n")))
	if err := MayReplace(p.s, "new", "horseseg"); err == nil || !strings.Contains(err.Error(), "hdseg did not write") {
		t.Errorf("a list of another kind: got %v", err)
	}
}

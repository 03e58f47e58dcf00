package campaign

import (
	"testing"

	"hdseg/annotate/eventlog"
)

// TestAssign gives pictures to people and takes them back; the log says who did, and only reviewers
// may.
func TestAssign(t *testing.T) {
	c := begin(t, Options{People: []Person{ann, ben, rita}})
	of := func(key, want string) {
		t.Helper()
		d, err := c.Detail(ben, key)
		if err != nil || d.Assignee != want {
			t.Errorf("%s is %q's, %v, want %q's", key, d.Assignee, err, want)
		}
	}
	for _, bad := range []struct {
		p    Person
		keys []string
		to   string
	}{{ann, []string{"a"}, "Ann"}, {rita, []string{"a"}, "Eve"}, {rita, []string{"a", "z"}, "Ann"}} {
		if err := c.Assign(bad.p, bad.keys, bad.to); err == nil {
			t.Errorf("%s assigns %v to %s: got no error", bad.p.Name, bad.keys, bad.to)
		}
	}
	of("a", "")
	if err := c.Assign(rita, []string{"a", "b"}, "Ann"); err != nil {
		t.Fatal(err)
	}
	of("a", "Ann")
	if err := c.Assign(rita, []string{"b"}, ""); err != nil {
		t.Fatal(err)
	}
	of("b", "")
	if n, err := c.AssignNext(ben, 2); n != 1 || err != nil {
		t.Errorf("two for Ben: got %d, %v, want the one that is nobody's", n, err)
	}
	of("b", "Ben")
	if n, err := c.AssignNext(ben, 1); n != 1 || err != nil { // as after a restart
		t.Errorf("again: got %d, %v, want 1", n, err)
	}
	d, _ := c.Detail(ann, "b")
	got := ""
	for _, e := range d.Events {
		if e.Kind == eventlog.Assigned {
			got += e.By + " to " + e.Assigned + ", "
		}
	}
	if got != "Rita to Ann, Rita to , annotate serve to Ben, " {
		t.Errorf("log: got %s", got)
	}
	if _, err := c.Save(ann, "b", SaveRequest{Mask: drawn(0)}); err != nil {
		t.Errorf("who was asked may draw what is another's: %v", err)
	}
	blind := begin(t, Options{Blind: 1, People: []Person{ann, ben, rita}})
	if blind.Assign(rita, []string{"a"}, "Ann") == nil {
		t.Error("a picture that two draw blind: got no error")
	}
}

package campaign

import (
	"fmt"
	"testing"

	"hdseg/annotate/eventlog"
)

// TestTold saves by itself and when asked: what the page saved by itself in between is no entry of the history, of what can be shown, or of the manifest.
func TestTold(t *testing.T) {
	c := begin(t, Options{})
	save := func(p Person, x, base int, auto bool) {
		t.Helper()
		if _, err := c.Save(p, "a", SaveRequest{Mask: drawn(x), Base: base, Auto: auto}); err != nil {
			t.Fatal(err)
		}
	}
	move := func(p Person, to State, base int) {
		t.Helper()
		if _, err := c.Move(p, "a", to, base, ""); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when, told string) {
		t.Helper()
		d, err := c.Detail(rita, "a")
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		for _, r := range d.Line.Revisions {
			shown += fmt.Sprintf("%d from %d, ", r.N, r.Base)
		}
		saved := 0
		for _, e := range d.Events {
			if e.Kind == eventlog.Saved {
				saved++
			}
		}
		if shown != told || saved != len(d.Line.Revisions) {
			t.Errorf("%s: got %q and %d saves in the history, want %q and as many", when, shown, saved, told)
		}
	}
	save(ann, 0, 0, true)
	want("the first", "1 from 0, ")
	save(ann, 1, 1, true)
	want("by itself again", "2 from 0, ")
	save(ann, 2, 2, false)
	want("asked", "3 from 0, ")
	save(ann, 3, 3, true)
	save(ann, 0, 4, true)
	want("two more by itself", "3 from 0, 5 from 3, ")
	move(ben, Edited, 5) // takes over what Ann drew so far
	save(ben, 1, 5, true)
	save(ben, 2, 6, true)
	want("another goes on", "3 from 0, 5 from 3, 7 from 5, ")
	move(ben, Submitted, 7)
	move(rita, Accepted, 7)
	if m, err := c.MaskAt(rita, "a", Main, 4); err != nil || m.At(3, 0) != 1 {
		t.Errorf("a mask that is told of no more: %v, want it kept", err)
	}
	got, _ := c.Apply()
	masks := got.Records[0].Masks
	if len(masks) != 3 || masks[2].WasAttributedTo != "Ben" || masks[1].WasAttributedTo != "Ann" {
		t.Fatalf("the manifest got %+v, want three masks", masks)
	}
	if used := masks[2].Used; len(used) != 2 || used[1] != masks[1].SHA256 {
		t.Errorf("Ben's mask was made from %v, want from Ann's last, %v", used, masks[1].SHA256)
	}
}

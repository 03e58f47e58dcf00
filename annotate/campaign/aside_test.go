package campaign

import "testing"

// TestSetAside sets a picture aside with a reason: nobody draws on it until it is taken up, and then it is as it was.
func TestSetAside(t *testing.T) {
	c := begin(t, Options{})
	move := func(p Person, to State, base int, reason string) error {
		_, err := c.Move(p, "a", to, base, reason)
		return err
	}
	state := func(want State, reason string) {
		t.Helper()
		d, err := c.Detail(ann, "a")
		if err != nil || d.Line.State != want || d.Line.Reason != reason || d.Entry.Reason != reason {
			t.Errorf("got %s %q, %v, want %s %q", d.Line.State, d.Line.Reason, err, want, reason)
		}
	}
	if move(ann, SetAside, 0, "") == nil {
		t.Error("without a reason: got no error")
	}
	if err := move(ann, SetAside, 0, "wrong picture"); err != nil {
		t.Fatal(err)
	}
	state(SetAside, "wrong picture")
	if _, err := c.Save(ben, "a", SaveRequest{Mask: drawn(0)}); err == nil {
		t.Error("a save on what is set aside: got no error")
	}
	if err := move(ben, Edited, 0, ""); err != nil {
		t.Fatal(err)
	}
	state(Proposed, "")
	if _, err := c.Save(ben, "a", SaveRequest{Mask: drawn(0)}); err != nil {
		t.Fatal(err)
	}
	if move(ann, SetAside, 1, "unsure") == nil {
		t.Error("another's draft: got no error, want it taken over first")
	}
	if err := move(ben, SetAside, 1, "unsure"); err != nil {
		t.Fatal(err)
	}
	if move(rita, Accepted, 1, "") == nil {
		t.Error("accepted from there: got no error")
	}
	if err := move(rita, Edited, 1, ""); err != nil {
		t.Fatal(err)
	}
	state(Edited, "")
}

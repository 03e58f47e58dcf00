package faults

import "testing"

func TestFaults(t *testing.T) {
	var f List
	f.Want(true, "count", 3, "1 or more")
	if err := f.Err(); err != nil {
		t.Errorf("got %v, want no fault", err)
	}
	f.Want(false, "count", 0, "1 or more")
	f.Want(false, "set", "x", "draft")
	var g List
	g.In("trees", nil)
	g.In("feature", f.Err())
	if got, want := g.Err().Error(), "feature: count: got 0, want 1 or more\nset: got \"x\", want draft"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

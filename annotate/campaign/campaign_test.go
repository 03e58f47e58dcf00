package campaign

import (
	"errors"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

var (
	ann  = Person{"Ann", Annotator}
	ben  = Person{"Ben", Annotator}
	rita = Person{"Rita", Reviewer}
)

func begin(t *testing.T, o Options) *Campaign {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "d", Stage: "ingest"}}
	for _, id := range []string{"a", "b"} {
		m.Records = append(m.Records, manifests.Record{ID: id, Split: manifests.Train, Tier: manifests.Label, Image: manifests.Image{Width: 4, Height: 3, SHA256: manifests.Sum([]byte(id))}})
	}
	c, err := Open(store, "x", m, "", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func drawn(x int) *raster.Mask {
	m := raster.NewMask(4, 3)
	m.Set(x, 0, raster.Figure)
	return m
}

// TestStates walks the table of who may do what.
func TestStates(t *testing.T) {
	c := begin(t, Options{})
	save := func(p Person, base int) error {
		_, err := c.Save(p, "a", SaveRequest{Mask: drawn(base % 4), Base: base})
		return err
	}
	move := func(p Person, to State, base int, reason string) error {
		_, err := c.Move(p, "a", to, base, reason)
		return err
	}
	for i, s := range []struct {
		err  error
		good bool
	}{
		{move(ann, Submitted, 0, ""), false}, // nothing saved
		{save(ann, 0), true},
		{move(ben, Submitted, 1, ""), false}, // not Ben's
		{move(ann, Accepted, 1, ""), false},  // not a reviewer
		{move(ann, Submitted, 1, ""), true},
		{save(ben, 1), false},                // with Ann and the reviewers
		{move(rita, Rejected, 1, ""), false}, // no reason
		{move(rita, Accepted, 0, ""), false}, // looked at another revision
		{move(rita, Rejected, 1, "loose"), true},
		{save(ben, 1), false}, // returned to its author
		{move(ben, Edited, 1, ""), false},
		{save(ann, 1), true},
		{move(ann, Edited, 2, ""), false}, // her own
		{save(ben, 2), false},             // a draft of Ann
		{move(ben, Edited, 2, ""), true},  // taken over
		{move(ann, Edited, 2, ""), true},  // and back
		{save(ann, 2), true},
		{move(ann, Submitted, 3, ""), true},
		{save(ann, 3), false}, // submitted: she withdraws it first
		{move(ann, Edited, 3, ""), true},
		{move(ann, Submitted, 3, ""), true},
		{save(rita, 3), false}, // neither does a reviewer's stray click
		{move(rita, Accepted, 3, ""), true},
		{save(ann, 3), false},
		{save(rita, 3), false}, // read-only
		{move(ann, Edited, 3, ""), false},
		{move(rita, Edited, 3, ""), true}, // reopened
		{save(rita, 3), true},
	} {
		if (s.err == nil) != s.good {
			t.Errorf("step %d: got %v, want allowed: %v", i, s.err, s.good)
		}
	}
	if _, err := c.Save(rita, "a", SaveRequest{Mask: raster.NewMask(4, 3), Base: 4}); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty mask: got %v", err)
	}
	if _, err := c.Save(ann, "b", SaveRequest{Mask: raster.NewMask(4, 3), Empty: true}); err != nil {
		t.Errorf("a mask that is empty on purpose: %v", err)
	}
}

// TestConflict keeps both masks, and answers a repeated save without repeating it, under a new name too.
func TestConflict(t *testing.T) {
	c := begin(t, Options{})
	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(0), Save: "1"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"2", "2", "3", ""} {
		var conflict *ConflictError
		_, err := c.Save(ben, "a", SaveRequest{Mask: drawn(1), Save: name})
		if !errors.As(err, &conflict) || conflict.Kept != 2 || conflict.Line.Head != 1 || conflict.Line.Author != "Ann" {
			t.Errorf("got %v, want a conflict that keeps revision 2", err)
		}
	}
	if l, err := c.Save(ann, "a", SaveRequest{Mask: drawn(0), Save: "1"}); err != nil || len(l.Revisions) != 2 {
		t.Errorf("repeated: %v, %d revisions, want 2", err, len(l.Revisions))
	}
	if _, err := c.Save(ben, "a", SaveRequest{Mask: drawn(1), Base: 1}); err == nil || err.Error() != "not allowed: this is a draft of Ann: take it over to draw on it" {
		t.Errorf("a save on Ann's draft: got %v", err)
	}
	if m, err := c.MaskAt(rita, "a", Main, 2); err != nil || m.At(1, 0) != raster.Figure {
		t.Errorf("the mask aside: %v", err)
	}
}

// TestBlind hides each annotator's line from the other, and from the reviewer until both have submitted.
func TestBlind(t *testing.T) {
	c := begin(t, Options{Blind: 1, People: []Person{ann, ben, rita}})
	cleo := Person{"Cleo", Annotator}
	if len(c.Queue(cleo)) != 0 || len(c.Queue(ann)) != 2 {
		t.Errorf("queues: Cleo %d, Ann %d, want 0 and 2", len(c.Queue(cleo)), len(c.Queue(ann)))
	}
	for i, p := range []Person{ann, ben} {
		if _, err := c.Save(p, "a", SaveRequest{Mask: drawn(i)}); err != nil {
			t.Fatal(err)
		}
		for _, other := range []Person{ann, ben, rita} {
			if _, err := c.MaskAt(other, "a", p.Name, 1); (err == nil) != (other == p) {
				t.Errorf("%s's mask for %s: %v", p.Name, other.Name, err)
			}
		}
		if _, err := c.Adjudicate(rita, "a", "Ann", 0); err == nil {
			t.Error("adjudicated before both had submitted")
		}
		if _, err := c.Move(p, "a", Submitted, 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := c.Agreement(); err != nil || len(a.Images) != 1 {
		t.Errorf("got %d pairs, want 1: %v", len(a.Images), err)
	}
	if l, err := c.Adjudicate(rita, "a", "Ben", 0); err != nil || l.Author != "Ben" || l.Head != 1 {
		t.Errorf("adjudicated: %v, %+v", err, l)
	}
	if _, err := c.MaskAt(ann, "a", "Ben", 1); err == nil {
		t.Error("Ann sees Ben's mask")
	}
}

func TestKey(t *testing.T) {
	for id, same := range map[string]bool{"2007_000063": true, "n1_2.x-y": true, "../a": false, ".a": false, "a/b": false, "ä": false, "": false} {
		if k := Key(id); (k == id) != same || k[0] == '.' {
			t.Errorf("Key(%q) = %q", id, k)
		}
	}
	if Key("a/b") == Key("a-b") || Key("a/b") == Key("a?b") {
		t.Error("two ids have one key")
	}
}

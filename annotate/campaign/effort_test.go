package campaign

import (
	"fmt"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// TestEfforts adds up what people did by picture, and tells the medians by person and tool.
func TestEfforts(t *testing.T) {
	c := begin(t, Options{})
	work := func(p Person, key string, seconds map[string]float64, clicks map[string]int) {
		t.Helper()
		if err := c.Worked(p, key, Work{Seconds: seconds, Clicks: clicks}); err != nil {
			t.Fatal(err)
		}
	}
	work(ann, "a", map[string]float64{"brush": 20, "box": 4}, map[string]int{"brush": 3})
	work(ann, "a", map[string]float64{"brush": 10}, map[string]int{"brush": 1, "box": 2})
	work(ann, "b", map[string]float64{"box": 10}, map[string]int{"box": 1})
	work(rita, "b", map[string]float64{"move": 2}, nil)
	got := ""
	for _, e := range c.Efforts() {
		got += fmt.Sprintf("%s %s: %d pictures, %g s, %g; ", e.Person, e.Tool, e.Pictures, e.Seconds.V, e.Clicks.V)
	}
	want := "Ann : 2 pictures, 22 s, 3.5; Ann box: 2 pictures, 7 s, 1.5; Ann brush: 1 pictures, 30 s, 4; Rita : 1 pictures, 2 s, 0; Rita move: 1 pictures, 2 s, 0; "
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := Minutes(c.Store); len(got) != 0 || err != nil {
		t.Errorf("minutes of nothing accepted: %v, %v", got, err)
	}
	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(0)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Move(rita, "a", Accepted, 1, ""); err != nil {
		t.Fatal(err)
	}
	minutes, err := Minutes(c.Store)
	if got := fmt.Sprint(minutes); err != nil || got != fmt.Sprint(map[string][]float64{"brush": {34. / 60}}) {
		t.Errorf("minutes: got %v, want 34 seconds by the brush", got)
	}
	for _, bad := range []Work{{Revision: 2}, {Revision: -1}, {Seconds: map[string]float64{"brush": -1}}, {Seconds: map[string]float64{"brush": 1e6}}} {
		if c.Worked(ann, "a", bad) == nil {
			t.Errorf("%+v: got no error", bad)
		}
	}
	if d, _ := c.Detail(ann, "a"); len(d.Events) != 2 {
		t.Errorf("the history shows %d events, want the save and the acceptance", len(d.Events))
	}
}

// TestAcceptSeen accepts at once what a reviewer has looked at as it is now: proposals, too, and
// neither their own work nor what they changed by more than a tenth.
func TestAcceptSeen(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "d", Stage: "transfer"}}
	for _, id := range []string{"unseen", "drawn", "old", "own", "proposal", "bare", "corrected"} {
		r := manifests.Record{ID: id, Split: manifests.Train, Tier: manifests.BBox, Image: manifests.Image{Width: 4, Height: 3, SHA256: manifests.Sum([]byte(id))}}
		if id == "proposal" {
			k := manifests.Mask{Tier: manifests.BBox}
			if k.Path, k.SHA256, err = store.Put("masks", id, "png", raster.EncodeMaskPNG(drawn(2))); err != nil {
				t.Fatal(err)
			}
			r.Masks = []manifests.Mask{k}
		}
		m.Records = append(m.Records, r)
	}
	c, err := Open(store, "x", m, "", Options{People: []Person{ann, rita}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	save := func(p Person, key string, x, base int) {
		t.Helper()
		if _, err := c.Save(p, key, SaveRequest{Mask: drawn(x), Base: base}); err != nil {
			t.Fatal(err)
		}
	}
	move := func(p Person, key string, to State, base int) {
		t.Helper()
		if _, err := c.Move(p, key, to, base, ""); err != nil {
			t.Fatal(err)
		}
	}
	see := func(key string, revision int) {
		t.Helper()
		if err := c.Worked(rita, key, Work{Revision: revision, Seconds: map[string]float64{"move": 2}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"unseen", "drawn", "old", "corrected"} {
		save(ann, key, 0, 0)
		move(ann, key, Submitted, 1)
	}
	save(rita, "own", 0, 0)
	see("drawn", 1)
	see("old", 1)
	move(ann, "old", Edited, 1)
	save(ann, "old", 1, 1) // after she looked
	see("own", 1)
	see("proposal", 0)
	see("bare", 0)
	move(rita, "corrected", Edited, 1)
	save(rita, "corrected", 3, 1)
	see("corrected", 2)
	// too short
	if err := c.Worked(rita, "unseen", Work{Revision: 1, Seconds: map[string]float64{"move": 0.3}}); err != nil {
		t.Fatal(err)
	}
	keys := []string{"unseen", "drawn", "old", "own", "proposal", "bare", "corrected"}
	if _, _, err := c.AcceptSeen(ann, keys); err == nil {
		t.Error("an annotator accepts: got no error")
	}
	n, refused, err := c.AcceptSeen(rita, keys)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(n)
	for _, r := range refused {
		got += "; " + r.ID + ": " + r.Why
	}
	want := "2; unseen: you have not seen its newest mask: open it first; old: you have not seen its newest mask: open it first; own: this is your own " +
		"work: another reviewer accepts it; bare: it has no mask; corrected: you changed 200% of Ann's mask: another reviewer accepts it"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, key := range []string{"drawn", "proposal"} {
		if d, err := c.Detail(rita, key); err != nil || d.Line.State != Accepted || d.Line.Head != 1 {
			t.Errorf("%s: got %s, revision %d, %v, want it accepted", key, d.Line.State, d.Line.Head, err)
		}
	}
}

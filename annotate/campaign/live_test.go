package campaign

import (
	"slices"
	"testing"
	"time"
)

// Who opens a picture has it until they open another, leave, or say nothing for a while; others are
// told, and what changed since they asked last.
func TestChanges(t *testing.T) {
	now := time.Now()
	c := begin(t, Options{Now: func() time.Time { return now }})
	first := c.Changes(ann, -1, "a")
	if len(first.Open) != 0 || len(first.Entries) != 0 {
		t.Errorf("at first: %+v", first)
	}
	open := func(p Person, key string, want map[string]string) {
		t.Helper()
		got := c.Changes(p, -1, key).Open
		if len(got) != len(want) || len(want) > 0 && got["a"] != want["a"] {
			t.Errorf("%s with %q open: others have %v, want %v", p.Name, key, got, want)
		}
	}
	open(ben, "a", map[string]string{"a": "Ann"}) // which does not take it from her
	open(ann, "a", nil)
	open(ben, "b", map[string]string{"a": "Ann"})
	open(ann, "", map[string]string{"b": "Ben"}) // back to the queue
	open(ben, "", nil)
	open(ann, "a", nil)
	now = now.Add(claimFor + time.Second) // the laptop was closed
	open(ben, "a", nil)
	c.Leave(ben)
	open(ann, "", nil)

	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(1)}); err != nil {
		t.Fatal(err)
	}
	got := c.Changes(ben, first.Now, "")
	if len(got.Entries) != 1 || got.Entries[0].Key != "a" || got.Entries[0].Head != 1 || got.Entries[0].Author != "Ann" {
		t.Errorf("after a save: %+v", got.Entries)
	}
	if again := c.Changes(ben, got.Now, ""); len(again.Entries) != 0 || again.Now != got.Now {
		t.Errorf("asked again: %+v", again)
	}
	blind := begin(t, Options{Blind: 1, People: []Person{ann, ben, rita}})
	if _, err := blind.Save(ann, "a", SaveRequest{Mask: drawn(1)}); err != nil {
		t.Fatal(err)
	}
	if e := blind.Changes(ben, 0, "").Entries; slices.ContainsFunc(e, func(e Entry) bool { return e.Head != 0 || e.Author != "" }) {
		t.Errorf("blind: Ben is told %+v", e)
	}
}

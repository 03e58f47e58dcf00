package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Events that were taken from the end of a log, a whole log, and another log in its place are found
// when the campaign is opened and by CheckLogs; a log that grew after the anchor was written is none
// of them.
func TestAnchor(t *testing.T) {
	c := begin(t, Options{})
	for i := range 3 {
		if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(i), Base: i}); err != nil {
			t.Fatal(err)
		}
	}
	anchor := filepath.Join(c.Store.Dir(), "annotate", "x", "anchor.json")
	log := filepath.Join(c.Store.Dir(), "annotate", "x", "events", "a.jsonl")
	c.Close()
	early, err := os.ReadFile(anchor)
	if err != nil || !strings.Contains(string(early), `"seq": 3`) {
		t.Fatalf("the anchor: %s, %v", early, err)
	}
	if c, err = Open(c.Store, "x", c.Manifest, "", Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(3), Base: 3}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	late, err := os.ReadFile(anchor)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for _, k := range []struct {
		name, log string // "" for none
		anchor    []byte
		want      string // "" for no fault
	}{
		{"as it was", string(whole), late, ""},
		{"a server that was killed before the anchor", string(whole), early, ""},
		{"without its last event", strings.Join(lines[:3], ""), late, "has 3 events, and had 4"},
		{"no log", "", late, "has 0 events, and had 4"},
		{"another log", strings.Join(lines[:1], ""), []byte(`{"a": {"seq": 1, "sha256": "` + string(manifests.Sum([]byte("x"))) + `"}}`), "event 1 of its log is not the one"},
		{"another begin", string(whole), []byte(`{"a": {"seq": 2, "sha256": "` + string(manifests.Sum([]byte("x"))) + `"}}`), "event 2 of its log is not the one"},
	} {
		err := os.Remove(log)
		if k.log != "" {
			err = os.WriteFile(log, []byte(k.log), 0o666)
		}
		if err := errors.Join(err, os.WriteFile(anchor, k.anchor, 0o666)); err != nil && k.log != "" {
			t.Fatal(err)
		}
		_, faults := CheckLogs(c.Store)
		again, err := Open(c.Store, "x", c.Manifest, "", Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if k.want == "" && len(faults)+len(again.Warnings) > 0 {
			t.Errorf("%s: got %v, %v", k.name, faults, again.Warnings)
		} else if k.want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Error(), k.want) || len(again.Warnings) != 1 || !strings.Contains(again.Warnings[0], k.want)) {
			t.Errorf("%s: got %v and %v, want %s", k.name, faults, again.Warnings, k.want)
		}
	}
}

// Where all logs of a campaign are gone with their folder, its masks are not known, and it is not planned anew.
func TestAnchorWithoutEvents(t *testing.T) {
	c := begin(t, Options{})
	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(0)}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	dir := filepath.Join(c.Store.Dir(), "annotate", "x")
	if err := os.RemoveAll(filepath.Join(dir, "events")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"annotate/x/events/a.jsonl: its log has 0 events, and had 1", "annotate/x/events: the folder of its logs is gone"} {
		if _, faults := CheckLogs(c.Store); len(faults) != 1 || !strings.Contains(faults[0].Error(), want) {
			t.Errorf("got %v, want %s", faults, want)
		}
		os.Remove(filepath.Join(dir, "anchor.json"))
	}
	// of a campaign of a version without anchors, nothing is left that names the masks but the folder itself
	if err := os.Mkdir(filepath.Join(dir, "events"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, faults := CheckLogs(c.Store); len(faults) != 0 {
		t.Errorf("an empty folder: got %v", faults)
	}
	head := `{"a": {"seq": 1, "sha256": "` + string(manifests.Sum([]byte("x"))) + `"}}`
	if err := os.WriteFile(filepath.Join(dir, "anchor.json"), []byte(head), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(c.Store, "x", c.Manifest, "", Options{Blind: 1, People: []Person{ann, ben}}); err == nil || !strings.Contains(err.Error(), "was begun with") {
		t.Errorf("planned anew: %v", err)
	}
}

// The name of a save belongs to a person and pixels.
func TestSaveNames(t *testing.T) {
	c := begin(t, Options{})
	for i, s := range []struct {
		p    Person
		mask int
		base int
		good bool
	}{{ann, 1, 0, true}, {ann, 1, 0, true}, {ann, 2, 1, false}, {ben, 1, 1, false}} {
		l, err := c.Save(s.p, "a", SaveRequest{Mask: drawn(s.mask), Base: s.base, Save: "s1"})
		if (err == nil) != s.good || err == nil && l.Head != 1 {
			t.Errorf("save %d: head %d, %v", i, l.Head, err)
		}
	}
}

package campaign

import (
	"os"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

func beginEmpty(t *testing.T, ids ...string) (open func() *Campaign, logs string) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{}
	for _, id := range ids {
		m.Records = append(m.Records, manifests.Record{ID: id, Image: manifests.Image{Width: 2, Height: 1, SHA256: manifests.Sum([]byte(id))}})
	}
	return func() *Campaign {
		c, err := Open(store, "set", m, "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}, store.Dir() + "/annotate/set/events/"
}

// A reviewer's stroke on a submitted mask does not stand between a rejection and its author.
func TestRejectAfterStroke(t *testing.T) {
	open, _ := beginEmpty(t, "a")
	c := open()
	ann, rita := Person{"Ann", Annotator}, Person{"Rita", Reviewer}
	mask := raster.NewMask(2, 1)
	mask.Set(0, 0, raster.Figure)
	must := func(_ Line, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Save(ann, "a", SaveRequest{Mask: mask}))
	if _, err := c.Move(rita, "a", Rejected, 1, "loose"); err == nil {
		t.Error("rejected what was never submitted")
	}
	must(c.Move(ann, "a", Submitted, 1, ""))
	must(c.Move(rita, "a", Edited, 1, ""))
	must(c.Save(rita, "a", SaveRequest{Mask: mask, Base: 1}))
	must(c.Move(rita, "a", Rejected, 2, "loose"))
	c.Close()
	c = open() // from the log
	defer c.Close()
	d, err := c.Detail(ann, "a")
	if err != nil || d.Line.State != Rejected || d.Line.Author != "Ann" || d.Line.Reason != "loose" || d.Line.Revisions[1].By != "Rita" {
		t.Errorf("got %+v, %v, want it rejected to Ann", d.Line, err)
	}
	must(c.Save(ann, "a", SaveRequest{Mask: mask, Base: 2}))
	for _, words := range []string{"a\x00b", "\x1b[31mred", "a\u0085b"} {
		if c.Comment(ann, "a", 0, 0, words) == nil {
			t.Errorf("comment %q: want an error", words)
		}
	}
	if err := c.Comment(ann, "a", 0, 0, "two\nlines"); err != nil {
		t.Error(err)
	}
}

// A damaged log leaves its image out, with a warning, and nothing else.
func TestDamagedLog(t *testing.T) {
	open, logs := beginEmpty(t, "a", "b")
	open().Close()
	for _, damage := range []string{"{}\n", "no JSON\n"} {
		if err := os.WriteFile(logs+"a.jsonl", []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		c := open()
		if q := c.Queue(Person{"Rita", Reviewer}); len(q) != 1 || q[0].ID != "b" || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "a: left out") {
			t.Errorf("%q: got queue %v, warnings %v", damage, q, c.Warnings)
		}
		c.Close()
	}
}

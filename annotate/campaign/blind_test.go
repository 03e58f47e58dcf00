package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// withProposals opens a campaign whose records have masks of a machine and of a person.
func withProposals(t *testing.T, o Options) *Campaign {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{}
	r := manifests.Record{ID: "a", Tier: manifests.BBox, Image: manifests.Image{Width: 4, Height: 3, SHA256: manifests.Sum([]byte("a"))}}
	for i, tier := range []manifests.Tier{manifests.BBox, manifests.Manual} {
		k := manifests.Mask{Tier: tier}
		if k.Path, k.SHA256, err = store.Put("masks", "a", "png", raster.EncodeMaskPNG(drawn(i))); err != nil {
			t.Fatal(err)
		}
		r.Masks = append(r.Masks, k)
	}
	m.Records = append(m.Records, r)
	c, err := Open(store, "x", m, "", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Blind annotators begin with nothing, or, where the campaign says so, with the machine's mask; the log tells which.
func TestBlindStart(t *testing.T) {
	for start, want := range map[string]struct {
		proposal manifests.Tier
		began    string
	}{"": {"", StartEmpty}, StartEmpty: {"", StartEmpty}, StartProposal: {manifests.BBox, "bbox"}} {
		c := withProposals(t, Options{Blind: 1, BlindStart: start, People: []Person{ann, ben}})
		d, err := c.Detail(ann, "a")
		if err != nil {
			t.Fatal(err)
		}
		shown := start == StartProposal
		if d.Proposal != want.proposal || (len(d.Tiers) == 1) != shown || (d.Shown != "") != shown {
			t.Errorf("%q: got proposal %q, tiers %v, thumbnail %q", start, d.Proposal, d.Tiers, d.Shown)
		}
		for tier, good := range map[manifests.Tier]bool{manifests.BBox: shown, manifests.Manual: false} {
			if _, err := c.TierMask(ann, "a", tier); (err == nil) != good {
				t.Errorf("%q: mask of %s: got %v, want shown: %v", start, tier, err, good)
			}
			if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(2), From: tier}); (err == nil) != good {
				t.Errorf("%q: saved as begun with %s: got %v, want allowed: %v", start, tier, err, good)
			}
		}
		if !shown {
			if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(2)}); err != nil {
				t.Fatal(err)
			}
		}
		if d, _ = c.Detail(ann, "a"); d.Events[0].Kind != eventlog.Saved || d.Events[0].Began != want.began || (len(d.Events[0].Used) == 1) != shown {
			t.Errorf("%q: logged %+v, want begun with %s", start, d.Events[0], want.began)
		}
		if _, err := Open(c.Store, "x", c.Manifest, "", Options{ReadOnly: true, BlindStart: map[bool]string{true: StartEmpty, false: StartProposal}[shown]}); err == nil {
			t.Errorf("%q: opened with another start", start)
		}
	}
}

// A campaign that was begun before there was a choice showed the proposals.
func TestBlindStartOld(t *testing.T) {
	c := withProposals(t, Options{})
	c.Close()
	if err := os.Remove(filepath.Join(c.Store.Dir(), "annotate", "x", "anchor.json")); err != nil { // nor was there one
		t.Fatal(err)
	}
	if err := c.Store.Replace(Dir("x")+"/plan.json", []byte(`{"schema":1,"dataset":"","blindShare":1,"blind":{"a":["Ann","Ben"]}}`)); err != nil {
		t.Fatal(err)
	}
	c, err := Open(c.Store, "x", c.Manifest, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if d, err := c.Detail(ann, "a"); err != nil || d.Proposal != manifests.BBox || c.BlindStart != StartProposal {
		t.Errorf("got %v, %+v", err, d)
	}
}

// Until both have submitted and a reviewer has chosen, nobody but the two draws on a blind image; after it, the two do
// not, and neither accepting nor reopening changes that.
func TestBlindClosed(t *testing.T) {
	c := withProposals(t, Options{Blind: 1, People: []Person{ann, ben, rita}})
	forbidden := func(what string, err error) {
		t.Helper()
		if f := new(ForbiddenError); !errors.As(err, &f) {
			t.Errorf("%s: got %v, want it forbidden", what, err)
		}
	}
	must := func(_ Line, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	save := func(p Person, base int) (Line, error) {
		return c.Save(p, "a", SaveRequest{Mask: drawn(base), Base: base})
	}
	reviewer := func(when string) {
		t.Helper()
		_, err := save(rita, 0)
		forbidden(when+": Rita draws", err)
		for _, to := range []State{Submitted, Accepted, Rejected} {
			_, err = c.Move(rita, "a", to, 0, map[bool]string{true: "loose"}[to == Rejected])
			forbidden(when+": Rita brings it to "+string(to), err)
		}
		if d, err := c.Detail(rita, "a"); err != nil || !strings.Contains(d.ReadOnly, "blind") || len(d.Moves) != 0 {
			t.Errorf("%s: Rita is told %+v, %v", when, d, err)
		}
	}
	reviewer("at first")
	for i, p := range []Person{ann, ben} {
		must(save(p, 0))
		must(c.Move(p, "a", Submitted, 1, ""))
		if d, _ := c.Detail(rita, "a"); len(d.Others) != 2*i || len(d.Events) != 4*i {
			t.Errorf("after %s: Rita sees %d lines and %d events", p.Name, len(d.Others), len(d.Events))
		}
		reviewer("after " + p.Name)
	}
	must(c.Adjudicate(rita, "a", "Ben", 0))
	_, err := c.Move(rita, "a", Rejected, 1, "loose")
	forbidden("Rita returns it", err)
	frozen := func(when string) {
		t.Helper()
		for _, p := range []Person{ann, ben} {
			_, err := save(p, 1)
			forbidden(when+": "+p.Name+" draws", err)
			_, err = c.Move(p, "a", Edited, 1, "")
			forbidden(when+": "+p.Name+" withdraws", err)
		}
		if a, err := c.Agreement(); err != nil || len(a.Images) != 1 {
			t.Errorf("%s: got %d pairs, want 1: %v", when, len(a.Images), err)
		}
	}
	frozen("chosen")
	must(save(rita, 1)) // she corrects it, and that is still Ben's work
	_, err = c.Move(rita, "a", Accepted, 2, "")
	forbidden("Rita accepts what she drew anew", err)
	must(c.Move(Person{"Tom", Reviewer}, "a", Accepted, 2, ""))
	frozen("accepted")
	must(c.Move(rita, "a", Edited, 2, ""))
	frozen("reopened")
}

// Who drew an image blind and became a reviewer does not choose between the two masks.
func TestBlindPromoted(t *testing.T) {
	boss := Person{"Ann", Reviewer}
	for _, self := range []bool{false, true} {
		c := withProposals(t, Options{Blind: 1, People: []Person{ann, ben}, SelfReview: self})
		for _, p := range []Person{ann, ben} {
			if _, err := c.Save(p, "a", SaveRequest{Mask: drawn(1)}); err != nil {
				t.Fatal(err)
			}
			if d, err := c.Detail(boss, "a"); err != nil || d.Line.Name != "Ann" || len(d.Others) != 0 {
				t.Errorf("Ann as reviewer sees %+v, %v", d, err)
			}
			if _, err := c.Move(p, "a", Submitted, 1, ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Adjudicate(boss, "a", "Ben", 0); (err == nil) != self {
			t.Errorf("own work may be reviewed: %v: Ann chooses: got %v", self, err)
		}
	}
}

// A reviewer accepts others' work, corrected or not, and untouched proposals, but not what they drew.
func TestSelfReview(t *testing.T) {
	tom := Person{"Tom", Reviewer}
	type step struct {
		by   Person
		to   State // "" saves
		mask int
		from manifests.Tier
	}
	for name, k := range map[string]struct {
		steps []step
		good  bool // with SelfReview false
	}{
		"own draft":               {[]step{{rita, "", 2, ""}, {rita, Accepted, 0, ""}}, false},
		"own submission":          {[]step{{rita, "", 2, ""}, {rita, Submitted, 0, ""}, {rita, Accepted, 0, ""}}, false},
		"own, corrected by Tom":   {[]step{{rita, "", 2, ""}, {rita, Submitted, 0, ""}, {tom, Edited, 0, ""}, {tom, "", 3, ""}, {rita, Accepted, 0, ""}}, false},
		"drawn over a draft":      {[]step{{ann, "", 2, ""}, {rita, Edited, 0, ""}, {rita, "", 3, ""}, {rita, Accepted, 0, ""}}, false},
		"reopened and drawn anew": {[]step{{rita, "", 2, ""}, {tom, Accepted, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 3, ""}, {rita, Accepted, 0, ""}}, false},
		"withdrawn by its author": {[]step{{ann, "", 2, ""}, {ann, Submitted, 0, ""}, {ann, Edited, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 3, ""}, {rita, Accepted, 0, ""}}, false},
		"Tom accepts":             {[]step{{rita, "", 2, ""}, {rita, Submitted, 0, ""}, {tom, Accepted, 0, ""}}, true},
		"Ann's draft":             {[]step{{ann, "", 2, ""}, {rita, Accepted, 0, ""}}, true},
		"Ann's, drawn anew":       {[]step{{ann, "", 2, ""}, {ann, Submitted, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 3, ""}, {rita, Accepted, 0, ""}}, false},
		"and accepted by Tom":     {[]step{{ann, "", 2, ""}, {ann, Submitted, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 3, ""}, {tom, Accepted, 0, ""}}, true},
		"Ann's, corrected":        {[]step{{ann, "", 2, ""}, {ann, Submitted, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 2, ""}, {rita, Accepted, 0, ""}}, true},
		"Ann's, reopened":         {[]step{{ann, "", 2, ""}, {ann, Submitted, 0, ""}, {rita, Accepted, 0, ""}, {rita, Edited, 0, ""}, {rita, "", 2, ""}, {rita, Accepted, 0, ""}}, true},
		"the machine's":           {[]step{{rita, "", 0, manifests.BBox}, {rita, Accepted, 0, ""}}, true},
	} {
		for _, self := range []bool{false, true} {
			c := withProposals(t, Options{SelfReview: self})
			for i, s := range k.steps {
				d, err := c.Detail(s.by, "a")
				if err != nil {
					t.Fatal(err)
				}
				if s.to == "" {
					_, err = c.Save(s.by, "a", SaveRequest{Mask: drawn(s.mask), Base: d.Line.Head, From: s.from})
				} else {
					_, err = c.Move(s.by, "a", s.to, d.Line.Head, "")
				}
				if want := i < len(k.steps)-1 || k.good || self; (err == nil) != want {
					t.Errorf("%s, self review %v, step %d: got %v, want allowed: %v", name, self, i, err, want)
				}
			}
		}
	}
}

package campaign

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A campaign in which nobody has done anything is planned anew; after the first event it is not.
func TestPlanAnew(t *testing.T) {
	c := begin(t, Options{})
	open := func(blind float64) (*Campaign, error) {
		return Open(c.Store, "x", c.Manifest, manifests.Digest(""), Options{Blind: blind, People: []Person{ann, ben}})
	}
	if err := c.Worked(rita, "a", Work{Seconds: map[string]float64{"move": 3}}); err != nil { // she only looks
		t.Fatal(err)
	}
	c.Close()
	c, err := open(1)
	if err != nil || c.items[0].Blind == nil {
		t.Fatalf("got %v, want both images blind", err)
	}
	c.Close()
	if c, err = open(0); err != nil || c.items[0].Blind == nil {
		t.Fatalf("got %v, want the plan as it was where nothing is asked for", err)
	}
	if err := c.Comment(ann, "a", 0, 0, "here"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := open(0.5); err == nil {
		t.Error("another share after the first event: want an error")
	}
}

// Any flipped bit of the plan is found by CheckLogs, and the campaign is not opened, as without the plan. A campaign without the digest
// of its plan opens, and has it then.
func TestPlanFlipped(t *testing.T) {
	c := begin(t, Options{Blind: 1, People: []Person{ann, ben}})
	c.Close()
	dir := filepath.Join(c.Store.Dir(), "annotate", "x")
	file, anchor := filepath.Join(dir, "plan.json"), filepath.Join(dir, "anchor.json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		if _, faults := CheckLogs(c.Store); len(faults) != 1 || !strings.Contains(faults[0].Error(), "annotate/x/plan.json: ") {
			t.Errorf("%s: check says %v", what, faults)
		}
		for _, o := range []Options{{}, {ReadOnly: true}, {Blind: 1, People: []Person{ann, ben}}} {
			if c, err := Open(c.Store, "x", c.Manifest, "", o); err == nil || !strings.Contains(err.Error(), "plan.json: ") {
				t.Errorf("%s: opened with %+v: %v, %v", what, o, c, err)
			}
		}
	}
	for i := range whole {
		bad := slices.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(file, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		refused(string(bad))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	refused("no plan")
	// as an earlier version left it
	if err := errors.Join(os.WriteFile(file, whole, 0o666), os.Remove(anchor)); err != nil {
		t.Fatal(err)
	}
	if c, err = Open(c.Store, "x", c.Manifest, "", Options{}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if text, err := os.ReadFile(anchor); err != nil || !strings.Contains(string(text), string(manifests.Sum(whole))) {
		t.Errorf("the anchor: %s, %v", text, err)
	}
	// fields that it does not have, without a digest
	if err := errors.Join(os.WriteFile(file, bytes.Replace(whole, []byte("blindShare"), []byte("blindShard"), 1), 0o666), os.Remove(anchor)); err != nil {
		t.Fatal(err)
	}
	refused("an unknown field")
}

// A comment is settled by who made it, the mask's author or a reviewer.
func TestWhoResolves(t *testing.T) {
	c := begin(t, Options{})
	cleo := Person{"Cleo", Annotator}
	if _, err := c.Save(ann, "a", SaveRequest{Mask: drawn(0)}); err != nil {
		t.Fatal(err)
	}
	for n, who := range []Person{ann, ben, rita} {
		if err := c.Comment(ben, "a", 0, 0, "here"); err != nil {
			t.Fatal(err)
		}
		var forbidden *ForbiddenError
		if err := c.Resolve(cleo, "a", n+1); !errors.As(err, &forbidden) {
			t.Errorf("Cleo: got %v, want forbidden", err)
		}
		for _, p := range []Person{cleo, who} { // the page offers it to those alone who may
			if d, err := c.Detail(p, "a"); err != nil || d.Remarks[n].Yours != (p == who) {
				t.Errorf("%s is offered to settle remark %d: got %+v, %v", p.Name, n+1, d.Remarks, err)
			}
		}
		if err := c.Resolve(who, "a", n+1); err != nil {
			t.Errorf("%s: %v", who.Name, err)
		}
	}
}

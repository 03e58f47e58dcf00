package campaign

import (
	"errors"
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

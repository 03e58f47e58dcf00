package campaign

import (
	"errors"
	"slices"
	"testing"

	"hdseg/manifests"
)

// TestBoxes draws a box on a record of tier label, which becomes one of tier bbox, and takes it away again.
func TestBoxes(t *testing.T) {
	c := begin(t, Options{})
	bad := new(BadRequestError)
	for _, b := range []manifests.Box{{XMin: 1, YMin: 1, XMax: 1, YMax: 2}, {XMin: 0, YMin: 0, XMax: 5, YMax: 3}, {XMin: -1, YMin: 0, XMax: 2, YMax: 2}} {
		if err := c.Box(ann, "a", []manifests.Box{b}); !errors.As(err, &bad) {
			t.Errorf("box %v: got %v, want a refusal", b, err)
		}
	}
	box := manifests.Box{XMin: 1, YMin: 0, XMax: 4, YMax: 3}
	if err := c.Box(ann, "a", []manifests.Box{box}); err != nil {
		t.Fatal(err)
	}
	d, err := c.Detail(ben, "a")
	if err != nil || !slices.Equal(d.Boxes, []manifests.Box{box}) || d.Line.State != Proposed {
		t.Errorf("got boxes %v, state %s, %v", d.Boxes, d.Line.State, err)
	}
	out, done := c.Apply()
	if r := out.Records[0]; done != 1 || r.Tier != manifests.BBox || !slices.Equal(r.Boxes, []manifests.Box{box}) {
		t.Errorf("applied: %d records, got %s %v", done, r.Tier, r.Boxes)
	}
	if r := out.Records[1]; r.Tier != manifests.Label || r.Boxes != nil {
		t.Errorf("the other record is %s %v", r.Tier, r.Boxes)
	}
	if c.Manifest.Records[0].Tier != manifests.Label {
		t.Error("the campaign's own manifest changed")
	}
	name, m, digest := c.Name, c.Manifest, c.Digest
	c.Close()
	again, err := Open(c.Store, name, m, digest, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if d, _ := again.Detail(ann, "a"); !slices.Equal(d.Boxes, []manifests.Box{box}) {
		t.Errorf("after a restart: got boxes %v", d.Boxes)
	}
	if err := again.Box(ann, "a", nil); err != nil {
		t.Fatal(err)
	}
	if out, _ := again.Apply(); out.Records[0].Tier != manifests.Label || len(out.Records[0].Boxes) != 0 {
		t.Errorf("without a box: got %s %v", out.Records[0].Tier, out.Records[0].Boxes)
	}
}

// TestBoxesBlind keeps boxes of what two people draw blind as they are.
func TestBoxesBlind(t *testing.T) {
	c := begin(t, Options{Blind: 1, People: []Person{ann, ben, rita}})
	if err := c.Box(ann, "a", []manifests.Box{{XMin: 0, YMin: 0, XMax: 2, YMax: 2}}); !errors.As(err, new(*ForbiddenError)) {
		t.Errorf("got %v, want a refusal", err)
	}
}

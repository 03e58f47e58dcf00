package transfer

import (
	"context"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/dense/arraytest"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// TestDenseModel lets the class models of whole pictures and clicks learn from arrays that know the masks: what they say of a picture follows its array.
func TestDenseModel(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	dir := t.TempDir()
	for id, mask := range truth {
		arraytest.WriteMask(t, filepath.Join(dir, id+".npy"), mask)
	}
	o := small()
	o.clicks.Side, o.clicks.Trees.Trees = 64, 20
	var err error
	if o.Dense, err = dense.Open(context.Background(), dir, "us", 2); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(o.Canonical()), "by: us") {
		t.Errorf("settings do not name the arrays: %s", o.Canonical())
	}
	c, _, err := newCutter(context.Background(), m, store, o, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &m.Records[slices.IndexFunc(m.Records, func(r manifests.Record) bool { return r.Tier == manifests.Label })]
	im, err := o.loadPicture(store, r)
	if err != nil {
		t.Fatal(err)
	}
	other := im
	if other.dense, err = c.Array("m0"); err != nil {
		t.Fatal(err)
	}
	x, y, _ := truth[r.ID].Deepest(raster.Figure)
	all := []image.Rectangle{image.Rect(0, 0, im.Width, im.Height)}
	for name, judge := range map[string]func(im picture) []float32{
		"scenes": func(im picture) []float32 { return c.scenes.guess(im, all, nil)[0].soft },
		"clicks": func(im picture) []float32 { return c.pointed(im, c.scenes.guess(im, all, nil)[0], image.Pt(x, y)) },
	} {
		ours, others := judge(im), judge(other)
		var figure, ground, n float32
		for i, v := range ours {
			if truth[r.ID].Pix[i] == raster.Figure {
				figure += v
				n++
			} else {
				ground += v
			}
		}
		if figure, ground = figure/n, ground/(float32(len(ours))-n); figure < ground+0.5 {
			t.Errorf("%s: got probabilities of %g in the figure and %g outside", name, figure, ground)
		}
		if slices.Equal(ours, others) {
			t.Errorf("%s: the array of another picture changes nothing", name)
		}
	}
	// Transfer leaves out a picture whose array it does not find.
	o.Dense.Dir = t.TempDir()
	if _, err := o.loadPicture(store, r); err == nil || !strings.Contains(err.Error(), r.ID+".npy: no such file") {
		t.Errorf("got %v", err)
	}
}

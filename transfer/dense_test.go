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
	if o.Dense, err = dense.Open(dir, "us"); err != nil {
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
	array, err := c.Array(&m.Records[slices.IndexFunc(m.Records, func(r manifests.Record) bool { return r.ID == "m0" })], im.RGB)
	if err != nil {
		t.Fatal(err)
	}
	raw := im
	other := c.see(im.RGB, array)
	im = c.see(im.RGB, im.dense)
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
	// The cutter that is kept sees pictures alike.
	again, _, err := newCutter(context.Background(), m, store, o, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.see(raw.RGB, raw.dense).dense.Values, im.dense.Values) || im.dense.Channels != 2 {
		t.Errorf("a recalled cutter sees another array, or not 2 channels but %d", im.dense.Channels)
	}
	// A source is seen by a head that did not learn from it, and with too few sources there is no head.
	l := &learner{store: store, o: o, tier: manifests.Label, workers: 2, phase: func(string) func(done, total int) { return func(int, int) {} }}
	sources := sourcesOf(m, manifests.Label, o)
	h, err := l.learnHeads(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	if own := h.without(sources[0]); slices.Equal(own.W, h.Model.W) || own != h.Folds[h.Fold[h.group[sources[0].group()]]] {
		t.Error("a source is seen by a head of all")
	}
	if few, err := l.learnHeads(context.Background(), sources[:3]); few != nil || err != nil || raw.seenBy(few.without(sources[0])).dense != nil {
		t.Errorf("three sources give the heads %v: %v", few, err)
	}
	// Transfer leaves out a picture whose array it does not find.
	o.Dense.Dir = t.TempDir()
	if _, err := o.loadPicture(store, r); err == nil || !strings.Contains(err.Error(), r.ID+".npy: no such file") {
		t.Errorf("got %v", err)
	}
}

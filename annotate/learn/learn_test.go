package learn

import (
	"context"
	"fmt"
	"testing"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

var rita = campaign.Person{Name: "Rita", Role: campaign.Reviewer}

// disc draws a light disc at a place, and the mask of it.
func disc(w, h, cx, cy, r int) (*raster.RGB, *raster.Mask) {
	im, m := raster.NewRGB(w, h), raster.NewMask(w, h)
	for y := range h {
		for x := range w {
			v := uint8(40 + (x*7+y*13)%20)
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) < r*r {
				v += 150
				m.Set(x, y, raster.Figure)
			}
			im.Set(x, y, v, v, v/2)
		}
	}
	return im, m
}

// world is a campaign of n pictures of discs: the first has a manual mask, the others proposals, the last one's is upside down.
func world(t *testing.T, n int) (*campaign.Campaign, lscrf.Memory, lscrf.Model, []*raster.Mask) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	about := lscrf.Model{Labels: lscrf.FigureGround(), Setup: lscrf.Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}}
	about.Dim = about.Setup.Dim()
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "d", Stage: "transfer"}}
	var graphs lscrf.Memory
	var truths []*raster.Mask
	for i := range n {
		im, truth := disc(90, 60, 25+7*i, 25+2*i, 14+i)
		truths = append(truths, truth)
		r := manifests.Record{ID: fmt.Sprint("p", i), Split: manifests.Train, Tier: manifests.BBox}
		r.Image = manifests.Image{Width: 90, Height: 60, Format: "png", Orientation: 1}
		if r.Image.Path, r.Image.SHA256, err = store.Put("images", r.ID, "png", raster.EncodePNG(im)); err != nil {
			t.Fatal(err)
		}
		shown := truth
		switch i {
		case 0:
			r.Tier = manifests.Manual
		case n - 1:
			shown = raster.NewMask(90, 60)
			for j, v := range truth.Pix {
				shown.Pix[j] = 1 - v
			}
		}
		k := manifests.Mask{Tier: r.Tier}
		if k.Path, k.SHA256, err = store.Put("masks", r.ID, "png", raster.EncodeMaskPNG(shown)); err != nil {
			t.Fatal(err)
		}
		r.Masks = []manifests.Mask{k}
		m.Records = append(m.Records, r)
		g, sp, _, err := lscrf.NewGraph(r.ID, im, about.Setup)
		if err != nil {
			t.Fatal(err)
		}
		g.Labels = map[manifests.Tier][]uint8{r.Tier: superpixel.Majority(sp, shown)}
		graphs = append(graphs, g)
	}
	c, err := campaign.Open(store, "x", m, "", campaign.Options{SelfReview: true, People: []campaign.Person{rita}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, graphs, about, truths
}

// TestLearner learns from the data set's manual mask, from what is accepted and, after it was reopened, no more; the proposal that is
// wrong differs most.
func TestLearner(t *testing.T) {
	c, graphs, about, truths := world(t, 4)
	l, err := New(c, graphs, about, lscrf.TrainDefaults(), func(id string, err error) { t.Errorf("%s: %v", id, err) })
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	learned := func(accepted, set int) *campaign.Learned {
		t.Helper()
		got := c.Changes(rita, -1, "").Learned
		if got == nil || got.Accepted != accepted || got.Set != set {
			t.Fatalf("learned from %+v, want %d accepted and %d of the data set", got, accepted, set)
		}
		return got
	}
	l.follow(ctx)
	first := learned(0, 1)
	if len(first.Differs) != 3 || first.Differs["p3"] < 0.7 || first.Differs["p1"] > 0.3 {
		t.Errorf("differs: got %v, want three pictures, p3 the most", first.Differs)
	}
	mask, err := c.TierMask(rita, "p2", campaign.ModelTier)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, v := range mask.Pix {
		if v != truths[2].Pix[i] {
			wrong++
		}
	}
	if _, figure, _ := truths[2].Areas(); wrong > figure/2 {
		t.Errorf("the model's mask has %d wrong pixels of %d", wrong, figure)
	}
	if _, err := c.Save(rita, "p3", campaign.SaveRequest{Mask: truths[3]}); err != nil {
		t.Fatal(err)
	}
	move := func(to campaign.State) {
		t.Helper()
		if _, err := c.Move(rita, "p3", to, 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	move(campaign.Accepted)
	l.follow(ctx)
	if got := learned(1, 1); len(got.Differs) != 2 {
		t.Errorf("after the acceptance: got %v, want two pictures", got.Differs)
	}
	move(campaign.Edited)
	l.follow(ctx)
	again := learned(0, 1)
	if fmt.Sprint(again.Differs) != fmt.Sprint(first.Differs) {
		t.Errorf("reopened: got %v, want %v as before", again.Differs, first.Differs)
	}
}

// TestRun follows a campaign by itself.
func TestRun(t *testing.T) {
	c, graphs, about, truths := world(t, 3)
	l, err := New(c, graphs, about, lscrf.TrainDefaults(), func(id string, err error) { t.Errorf("%s: %v", id, err) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { l.Run(ctx, time.Millisecond); close(done) }()
	until := func(accepted int) {
		t.Helper()
		for range 3000 {
			if got := c.Changes(rita, -1, "").Learned; got != nil && got.Accepted == accepted {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("waited in vain for %d accepted masks", accepted)
	}
	until(0)
	if _, err := c.Save(rita, "p1", campaign.SaveRequest{Mask: truths[1]}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Move(rita, "p1", campaign.Accepted, 1, ""); err != nil {
		t.Fatal(err)
	}
	until(1)
	stop()
	<-done
}

package pipeline

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"hdseg/cmd/internal/demo"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/study"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// quiet tells nobody how far anything is.
func quiet(string) func(done, total int) { return func(int, int) {} }

// transferredWorld is a drawn world whose masks were transferred, with settings that take a second.
func transferredWorld(t *testing.T) (*configs.Experiment, *manifests.Store, *manifests.Manifest) {
	t.Helper()
	w, err := demo.Draw(filepath.Join(t.TempDir(), "sources"), demo.Options{Seed: 3, Class: "horse", Manual: 6, Boxes: 3, Labels: 2, Tests: 1, LongPx: 96}, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	e, err := configs.Load("horseseg", "bench.tiers=[manual]", "bench.samples=10", "transfer.sourceQuality=0", "transfer.classModel=false")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Build(context.Background(), Request{Experiment: e, VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar}, Test: w.TestDir, Out: out, Workers: 2, Progress: quiet}); err != nil {
		t.Fatal(err)
	}
	store, err := manifests.OpenStore(out)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := manifests.Read(store, "horseseg")
	if err != nil {
		t.Fatal(err)
	}
	return e, store, m
}

// redraw gives a record another mask of a tier, the opposite of its own, and returns it.
func redraw(t *testing.T, store *manifests.Store, r manifests.Record, tier manifests.Tier) manifests.Record {
	t.Helper()
	r.Masks = slices.Clone(r.Masks)
	for i := range r.Masks {
		k := &r.Masks[i]
		if k.Tier != tier {
			continue
		}
		px, err := load.Mask(store, &r, *k)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range px.Pix {
			px.Pix[j] = raster.Ground
			if v == raster.Ground {
				px.Pix[j] = raster.Figure
			}
		}
		if k.Path, k.SHA256, err = store.Put("masks/"+string(tier), r.ID, "png", raster.EncodeMaskPNG(px)); err != nil {
			t.Fatal(err)
		}
		_, k.Figure, k.Void = px.Areas()
	}
	return r
}

// What a fold's masks are must not depend on the masks of the images that it holds out, neither by themselves nor by what was
// transferred from them before: with all of these turned inside out nothing changes. Those of the images that it
// does not hold out matter.
func TestNothingOfAFoldIsInItsMasks(t *testing.T) {
	e, store, m := transferredWorld(t)
	var manual []string
	for _, r := range m.Records {
		if r.Split == manifests.Train && r.Tier == manifests.Manual {
			manual = append(manual, r.ID)
		}
	}
	folds := lscrf.DealFolds(manual, 2, 1)
	transfer := func(change func(r manifests.Record) manifests.Record) []study.Relabeled {
		t.Helper()
		other := *m
		other.Records = nil
		for _, r := range m.Records {
			other.Records = append(other.Records, change(r))
		}
		got, err := TransferWithout(context.Background(), e, store, &other, e.Setup(), folds, 2, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	// A picture that is there twice, once in each fold: the other one is held out as well.
	var held, other string
	for _, id := range manual {
		if folds[id] == 0 {
			held = id
		} else {
			other = id
		}
	}
	for i := range m.Records {
		if r := &m.Records[i]; r.ID == other {
			r.Image.Notes = []string{"near_duplicate_of:train/" + held}
		}
	}
	was := transfer(func(r manifests.Record) manifests.Record { return r })
	if len(was) != 2 || len(was[0]) != 5 {
		t.Fatalf("got %d folds, the first with %d images, want 2 with 5", len(was), len(was[0]))
	}
	for id, tiers := range was[0] {
		for tier, y := range tiers {
			if y == nil {
				t.Fatalf("%s has no %s mask", id, tier)
			}
		}
	}
	now := transfer(func(r manifests.Record) manifests.Record {
		if f, manual := folds[r.ID]; manual && f == 0 || r.ID == other {
			return redraw(t, store, r, manifests.Manual)
		}
		if r.Split == manifests.Train && r.Tier != manifests.Manual {
			return redraw(t, store, r, r.Tier)
		}
		return r
	})
	if !reflect.DeepEqual(now[0], was[0]) {
		t.Error("masks of fold 0 depend on what it holds out")
	}
	if reflect.DeepEqual(now[1], was[1]) {
		t.Error("the masks of fold 1 do not depend on its sources that were redrawn")
	}

	// An image that gets no mask now has no labels: its old mask had the fold's images among its sources.
	lost := ""
	now = transfer(func(r manifests.Record) manifests.Record {
		if r.Tier == manifests.BBox && lost == "" {
			lost, r.Boxes = r.ID, nil
		}
		return r
	})
	for f := range now {
		if y, named := now[f][lost][manifests.BBox]; !named || y != nil {
			t.Errorf("fold %d: %s got no mask and has labels of %d superpixels (named: %v)", f, lost, len(y), named)
		}
	}
}

package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// Shown returns the number of the row whose model draws the report's pictures, -1 without rows. It
// does not look at scores: it prefers the mix manual + bbox, then trees, then linear models, then
// pairwise terms, then the last row.
func Shown(rows []bench.Row) int {
	rank := func(r bench.Row) int {
		n := 2 * slices.Index([]string{lscrf.Linear, lscrf.Trees}, r.Model)
		if lscrf.Mix(r.Tiers).Key() == "manual,bbox" {
			n += 10
		}
		if r.Terms == lscrf.Pairwise {
			n++
		}
		return n
	}
	best := -1
	for i, r := range rows {
		if best < 0 || rank(r) >= rank(rows[best]) {
			best = i
		}
	}
	return best
}

// shownEach is the number of pictures of each kind.
const shownEach = 2

// Pictures draws predictions of a model: of the best, median and worst test pictures by IoU, whose
// counts stand in the order of ids, and of a few training pictures of every tier, evenly from the
// manifest's order, beside their masks.
func Pictures(ctx context.Context, set *Dataset, model *lscrf.Model, ids []string, counts bench.Counts) ([]report.Picture, error) {
	m := set.Manifest
	records := testRecords(m)
	train := map[manifests.Tier][]*manifests.Record{}
	for r, k := range trainingMasks(m) {
		train[k.Tier] = append(train[k.Tier], r)
	}
	var out []report.Picture
	add := func(r *manifests.Record, note string, tiers ...manifests.Tier) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := picture(set.Store, r, model.Mask, note, tiers)
		out = append(out, p)
		return err
	}
	for _, s := range pickTest(ids, counts) {
		if r := records[s.id]; r != nil {
			if err := add(r, fmt.Sprintf("test, %s, IoU %s", s.kind, s.iou.Format(2)), manifests.Manual); err != nil {
				return nil, err
			}
		}
	}
	own := model.Tiers
	for _, t := range slices.Sorted(maps.Keys(train)) {
		of := train[t]
		for i := range min(shownEach, len(of)) {
			r := of[(2*i+1)*len(of)/(2*min(shownEach, len(of)))]
			masks := []manifests.Tier{t}
			if _, ok := r.MaskOf(manifests.Manual); ok && t != manifests.Manual {
				masks = []manifests.Tier{manifests.Manual, t}
			}
			note := "training, " + string(t)
			if slices.ContainsFunc(own, func(t manifests.Tier) bool { _, ok := r.MaskOf(t); return ok }) {
				note += "; the model trained on it"
			} else {
				note += "; the model did not train on it"
			}
			if err := add(r, note, masks...); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// testRecords returns the records of the test split by their ids.
func testRecords(m *manifests.Manifest) map[string]*manifests.Record {
	out := map[string]*manifests.Record{}
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Test {
			out[r.ID] = r
		}
	}
	return out
}

// A picked is a test image and why it is shown.
type picked struct {
	id, kind string
	iou      metric.Value
}

// pickTest returns the best, the middle and the worst images, fewer if there are few; those without
// a score are left out.
func pickTest(ids []string, counts bench.Counts) []picked {
	all := ranked(ids, counts)
	n := min(shownEach, len(all)/3)
	var out []picked
	for _, part := range []struct {
		kind  string
		first int
	}{{"best", 0}, {"median", (len(all) - n) / 2}, {"worst", len(all) - n}} {
		for _, p := range all[part.first : part.first+n] {
			p.kind = part.kind
			out = append(out, p)
		}
	}
	return out
}

// picture draws a record with its masks of some tiers and the one that predict makes.
func picture(store *manifests.Store, r *manifests.Record, predict func(id string, img *raster.RGB) (*raster.Mask, error), note string,
	tiers []manifests.Tier) (report.Picture, error) {
	p := report.Picture{ID: r.ID, Note: note}
	defer load.Hold(r, raster.Segmenting)()
	img, err := load.Image(store, r)
	if err != nil {
		return p, err
	}
	p.Panels = append(p.Panels, report.NewPanel("picture", img, nil))
	for _, t := range tiers {
		mask, _ := r.MaskOf(t)
		px, err := load.Mask(store, r, mask)
		if err != nil {
			return p, err
		}
		title := "true"
		if t != manifests.Manual {
			title = "mask of " + string(t)
			if mask.Quality > 0 {
				title += fmt.Sprintf(", predicted IoU %.2f", mask.Quality)
			}
		}
		p.Panels = append(p.Panels, report.NewPanel(title, img, px))
	}
	predicted, err := predict(r.ID, img)
	if err != nil {
		return p, err
	}
	p.Panels = append(p.Panels, report.NewPanel("predicted", img, predicted))
	return p, nil
}

package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench/study"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// Masks of another tool are a tier like any other: bench trains on it, alone and beside manual masks, with trees and baselines
// too, study draws its curve, and its masks are measured where there are manual ones. Here the tool is right everywhere but in
// the upper half of every picture, where it sees nothing.
func TestMasksOfAnotherToolAreATier(t *testing.T) {
	out := filepath.Dir(drawn(t))
	store, err := manifests.OpenStore(out)
	try(t, err)
	m, _, err := manifests.Read(store, "horseseg")
	try(t, err)
	const tool = manifests.Tier("external:tool")
	images := 0
	var kept, figure int64 // pixels of the true figures
	for i := range m.Records {
		r := &m.Records[i]
		from, ok := r.MaskOf(manifests.Manual)
		if r.Split != manifests.Train || !ok {
			continue
		}
		px, err := load.Mask(store, r, from)
		try(t, err)
		_, all, _ := px.Areas()
		for j := range px.Width * (px.Height / 2) {
			if px.Pix[j] == raster.Figure {
				px.Pix[j] = raster.Ground
			}
		}
		mask := manifests.Mask{Tier: tool, Provenance: manifests.Provenance{WasGeneratedBy: "tool", Used: []manifests.Digest{r.Image.SHA256}}}
		if mask.Path, mask.SHA256, err = store.Put("masks/tool", r.ID, "png", raster.EncodeMaskPNG(px)); err != nil {
			t.Fatal(err)
		}
		_, mask.Figure, mask.Void = px.Areas()
		r.Masks = append(r.Masks, mask)
		slices.SortFunc(r.Masks, func(a, b manifests.Mask) int {
			if a.Tier < b.Tier {
				return -1
			}
			return 1
		})
		images++
		kept, figure = kept+int64(mask.Figure), figure+int64(all)
	}
	m.Stage = "annotate"
	if _, err := manifests.WriteListed(store, "tools", m); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(out, "tools.yaml")

	var b benchResult
	text := must(t, "bench", "-i", manifest, "--json", "--dense", "none", "--set", "bench.samples=50", "--balance", "paper", "--tiers", "external:tool;manual;bbox,external:tool",
		"--model", "linear,trees,logistic,piecewise,pseudolikelihood", "--set", "train.trees.trees=4", "--set", "train.trees.depth=2", "--set", "train.iterative.iterations=5")
	try(t, json.Unmarshal([]byte(text), &b))
	count := map[string]int{}
	recall := map[string]float64{}
	for _, r := range b.Rows {
		mix := lscrf.Mix(r.Tiers).Key()
		count[mix]++
		if !r.PerClassPooled.OK || !r.PerClassPooledCI[0].OK || !r.BoundaryFCI[1].OK || !r.PredictMSCI[1].OK {
			t.Errorf("%s, %s, %s: a score or an interval is missing", mix, r.Model, r.Terms)
		}
		want := map[string]int{"external:tool": images, "manual": images, "bbox,external:tool": images + 4}[mix]
		if r.Images != want {
			t.Errorf("%s: trained on %d images, want %d", mix, r.Images, want)
		}
		if r.Model == lscrf.Linear && r.Terms == lscrf.Unary {
			var right, all int64
			for _, c := range r.Counts {
				right, all = right+c.At(1, 1), all+c.Truth(1)
			}
			recall[mix] = float64(right) / float64(all)
		}
	}
	// linear, trees and logistic have both terms, the others pairwise ones alone
	for _, mix := range []string{"external:tool", "manual", "bbox,external:tool"} {
		if count[mix] != 8 {
			t.Errorf("%s: got %d rows, want 8", mix, count[mix])
		}
	}
	if recall["external:tool"] >= recall["manual"] {
		t.Errorf("of the figure, a model of half masks finds %.2f and one of whole masks %.2f", recall["external:tool"], recall["manual"])
	}

	s := result[studyResult](t, "study", "-i", manifest, "--json", "--set", "bench.samples=50", "--draws", "1")
	if !slices.ContainsFunc(s.Curves, func(c study.Curve) bool { return c.Tier == tool }) {
		t.Error("the tool has no curve")
	}
	// Ground is right but for the lost figure: the tool's IoU is what it kept of the figure.
	want := metric.Ratio(kept, figure)
	if len(s.Masks) != 1 || s.Masks[0].Tier != tool || s.Masks[0].Images != images || s.Masks[0].IoU.Format(6) != want.Format(6) {
		t.Errorf("masks: got %+v, want those of the tool on %d images with IoU %s", s.Masks, images, want.Format(6))
	}
}

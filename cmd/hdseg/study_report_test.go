package main

import (
	"strings"
	"testing"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

func between(low, high float64) [2]metric.Value {
	return [2]metric.Value{metric.Of(low), metric.Of(high)}
}

// A study prints what is known of a rate and what is not, and both comparisons of weights, each under what it is.
func TestStudyPrintsWhatItShows(t *testing.T) {
	r := &study.Result{
		Model: "linear", Terms: "pairwise", Oracle: metric.Of(96.5),
		Curves: []study.Curve{{Tier: manifests.Manual, Points: []study.Point{{Images: 8, Mean: metric.Of(78.7), SD: metric.Of(1.5), Draws: make([]metric.Value, 5)}, {Images: 9, Mean: metric.Of(79), Draws: make([]metric.Value, 1)}}}},
		Exchange: []study.Exchange{
			{Tier: manifests.BBox, Manual: 8, Accuracy: metric.Of(78.7), Bound: "below", Limit: 1, CI: between(0, 1.51)},
			{Tier: manifests.BBox, Manual: 32, Accuracy: metric.Of(81.8), Images: metric.Of(44.2), Rate: metric.Of(1.38), CI: [2]metric.Value{metric.Of(0.41), {}}},
			{Tier: manifests.Label, Manual: 64, Accuracy: metric.Of(82.3), Bound: "above", Limit: 1.41},
		},
		Weights: &study.Weighted{
			Tiers: []manifests.Tier{manifests.Manual, manifests.BBox}, Chosen: [][]float64{{0.5, 1}, {0, 1}}, Mixed: []string{"bbox", "manual,bbox"}, Mix: "manual@0.25,bbox",
			Accuracy: metric.Of(84.15), Best: "bbox",
			Mixes:   []study.MixScore{{Mix: "manual", Accuracy: metric.Of(83)}, {Mix: "bbox", Accuracy: metric.Of(84.43)}},
			Inner:   study.Comparison{Difference: metric.Of(0.25), CI: between(0.1, 0.4)},
			Against: study.Comparison{Difference: metric.Of(-0.28), CI: between(-0.63, 0.01)},
		},
		Quality: []study.Threshold{{Tier: manifests.BBox, Keep: 1, Power: 2, Least: 0.6, Images: 110, Accuracy: metric.Of(84.1), Comparison: study.Comparison{Difference: metric.Of(-0.5), CI: between(-0.9, -0.1)}}},
		Times:   map[string]float64{"curves": 1.25},
	}
	var b strings.Builder
	if err := (&studyResult{Class: "horse", Result: r}).table(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"\nLearning curves: horse, linear\n",
		"\nimages  accuracy  deviation  draws\nmanual\n8       78.7      1.5        5\n9       79.0      -          1\n",
		"\nbbox\n8              78.7            below the curve     under 1.00 [0.00, 1.51]\n32             81.8            44                  1.38 [0.41 or more]\n",
		"\nlabel\n64             82.3            out of reach        over 1.41\n",
		"\nchosen without the fold\nweighted tiers            84.15\nbest unweighted mix       83.90     +0.25 [0.10, 0.40]   better\n",
		"\none unweighted mix for all folds\nmanual                    83.00\nbbox (best in hindsight)  84.43     -0.28 [-0.63, 0.01]  no difference shown\n",
		"\nwithout fold  manual  bbox  best unweighted mix\n1             0.5     1     bbox\n2             0       1     manual,bbox\n",
		"\nall, as IoU^2  0.60           110     84.10     -0.50 [-0.90, -0.10]\n",
		"\ntimes: curves 1.2 s\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	for _, draws := range []int{1, 5} {
		if s := exchangeSection(r.Exchange, draws); strings.Contains(s.Text[0], "images and draws") != (draws > 1) {
			t.Errorf("%d draws: got %q", draws, s.Text[0])
		}
	}
	few := qualitySection(&study.Result{Left: []string{"weights and thresholds are left out: 24 training images"}})
	if !strings.Contains(few.Text[0], "left out: 24") || strings.Contains(few.Text[0], "predicted quality") {
		t.Errorf("too few manual images: got %q", few.Text)
	}
	for v, want := range map[study.Comparison]string{
		{}: "", {CI: between(0, 1)}: report.Unclear, {CI: between(0.1, 1)}: report.Better, {CI: between(-1, 0)}: report.Unclear, {CI: between(-1, -0.1)}: report.Worse,
	} {
		if s := verdict(v); s != want {
			t.Errorf("%v: got %q, want %q", v.CI, s, want)
		}
	}
}

// evaluate measures a model that was trained before: it knows no training time and prints none.
func TestEvaluatePrintsNoTrainingTime(t *testing.T) {
	c := metric.NewConfusion(2)
	c.N[0], c.N[4] = 3, 5
	score := &lscrf.Score{Labels: 2, Images: []*metric.Confusion{c}, Boundary: []metric.Value{metric.Of(1)}}
	spec := lscrf.Spec{Tiers: lscrf.Mix{manifests.Manual}, Model: lscrf.Linear, Terms: lscrf.Unary, Balance: "paper"}
	b, err := lscrf.NewBench(t.Context(), "horse", []string{"a"}, []lscrf.Measured{{Spec: spec, Images: 147, Score: score}}, score, lscrf.BenchDefaults(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for command, times := range map[string]bool{"bench": true, "evaluate": false} {
		var out strings.Builder
		if err := (&benchResult{summary: newSummary(command), Table: pipeline.Table{Bench: b}}).table(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "[147]") || strings.Contains(out.String(), "(<1s)") != times {
			t.Errorf("%s: got\n%s", command, out.String())
		}
	}
}

package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/cmd/internal/cluster"
	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

func between(low, high float64) [2]metric.Value {
	return [2]metric.Value{metric.Of(low), metric.Of(high)}
}

// A study prints what is known of a rate and what is not.
func TestStudyPrintsWhatItShows(t *testing.T) {
	r := &study.Result{
		Model: "linear", Terms: "pairwise", Oracle: metric.Of(96.5),
		Curves: []study.Curve{{Tier: manifests.Manual, Points: []study.Point{{Images: 8, Mean: metric.Of(78.7), SD: metric.Of(1.5), Draws: make([]metric.Value, 5)}, {Images: 9, Mean: metric.Of(79), Draws: make([]metric.Value, 1)}}}},
		Exchange: []study.Exchange{
			{Tier: manifests.BBox, Manual: 8, Accuracy: metric.Of(78.7), Bound: "below", Limit: 1, CI: between(0, 1.51)},
			{Tier: manifests.BBox, Manual: 32, Accuracy: metric.Of(81.8), Images: metric.Of(44.2), Rate: metric.Of(1.38), CI: [2]metric.Value{metric.Of(0.41), {}}},
			{Tier: manifests.Label, Manual: 64, Accuracy: metric.Of(82.3), Bound: "above", Limit: 1.41},
		},
		Leave: []study.Left{{Images: 9, Accuracy: metric.Of(82.4)}, {Without: manifests.BBox, Images: 5, Accuracy: metric.Of(81.7), Comparison: study.Comparison{Difference: metric.Of(0.7), CI: between(0.1, 1.5)}}},
		Times: map[string]float64{"curves": 1.25},
	}
	var b bytes.Buffer
	(&studyResult{Class: "horse", Result: r}).table(&b)
	got := b.String()
	for _, want := range []string{
		"\nLearning curves: horse, linear\n",
		"\nimages  accuracy  deviation  draws\nmanual\n8       78.7      1.5        5\n9       79.0      -          1\n",
		"\nbbox\n8              78.7            below the curve     under 1.00 [0.00, 1.51]\n32             81.8            44                  1.38 [0.41 or more]\n",
		"\nlabel\n64             82.3            out of reach        over 1.41\n",
		"\nwithout      images  accuracy  adds\n(all tiers)  9       82.4      -\nbbox         5       81.7      +0.70 [0.10, 1.50]\n",
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
}

// A minute of drawing is worth the images that it draws, and those of a tier that replace them, at the largest number with a rate.
func TestMinutesWorth(t *testing.T) {
	rates := []study.Exchange{
		{Tier: manifests.BBox, Manual: 8, Rate: metric.Of(9)}, {Tier: manifests.BBox, Manual: 32, Rate: metric.Of(3)},
		{Tier: manifests.BBox, Manual: 64, Bound: "above", Limit: 1}, {Tier: manifests.Label, Manual: 8, Bound: "above", Limit: 2},
	}
	s := minutesSection(minutesWorth(map[string][]float64{"brush": {0.5, 2, 4}, "box": {0.5}}, rates))
	got := ""
	for _, r := range s.Rows {
		got += strings.Join(r, " | ") + "\n"
	}
	if want := "box | 1 | 0.50 | 6.00 bbox, 2.00 manual\nbrush | 3 | 2.00 | 1.50 bbox, 0.50 manual\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// evaluate measures a model that was trained before: it knows no training time and prints none.
func TestEvaluatePrintsNoTrainingTime(t *testing.T) {
	c := metric.NewConfusion(2)
	c.N[0], c.N[4] = 3, 5
	score := &bench.Score{Labels: 2, Images: []*metric.Confusion{c}, Boundary: []metric.Value{metric.Of(1)}}
	spec := lscrf.Spec{Tiers: lscrf.Mix{manifests.Manual}, Model: lscrf.Linear, Terms: lscrf.Unary, Balance: "paper"}
	b, err := bench.NewTable(t.Context(), "horse", []string{"a"}, []lscrf.Spec{spec}, []bench.Measured{{Spec: spec, Images: 147, Score: score}}, score, 10, 0)
	try(t, err)
	for command, times := range map[string]bool{"bench": true, "evaluate": false} {
		var out bytes.Buffer
		(&benchResult{summary: newSummary(command), Table: pipeline.Table{Table: b}}).table(&out)
		if !strings.Contains(out.String(), "147 images") || strings.Contains(out.String(), "147 images, <1s") != times {
			t.Errorf("%s: got\n%s", command, out.String())
		}
	}
}

// Only those files are rendered that a flag asks for: a page is dear, and need not be made for a CSV.
func TestReportFilesRendersWhatIsAskedFor(t *testing.T) {
	dir := t.TempDir()
	f := reportFiles{csv: filepath.Join(dir, "a.csv")}
	if err := f.write(nil, new(bench.Table)); err != nil { // a page would panic
		t.Fatal(err)
	}
	f = reportFiles{markdown: filepath.Join(dir, "a.md")}
	try(t, f.write(&report.Page{Title: "None"}))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.md")}; err != nil || !slices.Equal(files, want) {
		t.Errorf("got %v, %v, want %v", files, err, want)
	}
}

// A plan that is submitted, or only made, says so in one line; what a dry run would submit is printed.
func TestPlanTable(t *testing.T) {
	job := cluster.Job{File: "ingest.sh", Submit: []string{"sbatch", "ingest.sh"}, Text: "#!/bin/sh\n"}
	for _, c := range []struct {
		r    planResult
		want string
	}{
		{planResult{Runner: cluster.PlanOnly, Store: "a b"}, "planned in 'a b': hdseg task NAME --store 'a b' --shard i/n runs its tasks, in the order of hdseg build --status\n"},
		{planResult{Runner: "slurm", Store: "s", Jobs: []cluster.Job{job}}, "submitted 1 job to slurm; hdseg build --status --store s says how far it is\n"},
		{planResult{Runner: "slurm", Store: "s", Jobs: []cluster.Job{job}, DryRun: true, Images: 9, TimesOf: "a guess"}, "9 pictures; times of a guess\n  together 0 s of one core\n" +
			"\n==> ingest.sh, submitted by: sbatch ingest.sh\n#!/bin/sh\n"},
		{planResult{Runner: cluster.PlanOnly, DryRun: true, TimesOf: "a guess"}, "0 pictures; times of a guess\n  together 0 s of one core\n"},
	} {
		var b bytes.Buffer
		if c.r.table(&b); b.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.r.Runner, b.String(), c.want)
		}
	}
}

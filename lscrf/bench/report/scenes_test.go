package report

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// scenes has two folds of two images of ten pixels each: unary gets 5, 5, 6, 6 right and pairwise 7, 7, 9, 9. The first two
// images are one block, the others their own.
func scenes() (*bench.Table, []int) {
	row := func(terms string, right ...int64) bench.Measured {
		s := &bench.Score{Labels: 3, Fold: []int{0, 0, 1, 1}, Boundary: make([]metric.Value, 4)}
		for _, n := range right {
			c := metric.NewConfusion(3)
			c.N[0], c.N[1] = n, 10-n
			s.Images = append(s.Images, c)
		}
		m := bench.Measured{Spec: lscrf.Spec{Tiers: lscrf.Mix{"manual"}, Model: lscrf.Linear, Terms: terms, Balance: "none"}, Score: s}
		if terms == lscrf.Pairwise {
			m.Choices = []bench.FoldChoice{{Fold: 1, Choice: lscrf.Choice{Potentials: "association", EdgeShrink: 0.5, UnaryWeight: 3, Clamp: 0.01}}}
		}
		return m
	}
	o := bench.Defaults()
	o.Tiers, o.Balances, o.Samples = []string{"manual"}, []string{"none"}, 200
	u, p := row(lscrf.Unary, 5, 5, 6, 6), row(lscrf.Pairwise, 7, 7, 9, 9)
	return must(bench.NewTable(context.Background(), "scenes", []string{"a_1", "a_2", "3", "4"}, o.Specs(), []bench.Measured{u, p}, u.Score, o.Samples, 1)), []int{0, 0, 1, 2}
}

// By fold +20 and +30 points: mean 25, deviation 5 √2; of all pixels 32/40 - 22/40. The interval lies within what single blocks
// have.
func TestSceneDifferences(t *testing.T) {
	b, blocks := scenes()
	got := must(SceneDifferences(t.Context(), b, blocks, 200, 1))
	if len(got) != 1 {
		t.Fatalf("got %d differences, want 1", len(got))
	}
	d := got[0]
	same := func(name string, v metric.Value, want float64) {
		if !v.OK || math.Abs(v.V-want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, v, want)
		}
	}
	same("fold 0", d.Folds[0], 20)
	same("fold 1", d.Folds[1], 30)
	same("mean", d.Mean, 25)
	same("deviation", d.SD, 5*math.Sqrt2)
	same("all", d.Pixel, 25)
	if d.Blocks != 3 || d.CI[0].V < 20-1e-9 || d.CI[1].V > 30+1e-9 || d.CI[0].V >= d.CI[1].V {
		t.Errorf("got %d blocks and %v", d.Blocks, d.CI)
	}
}

func TestScenesPrintsFolds(t *testing.T) {
	b, blocks := scenes()
	var out bytes.Buffer
	Sections(&out, Scenes([]string{"sky", "tree", "road"}, b, must(SceneDifferences(t.Context(), b, blocks, 200, 1))))
	for _, want := range []string{
		"\nlinear  55.0 (7.1; 55.0)  80.0 (14.1; 80.0)\n",
		"\n0     2       50.0   70.0      +20.0\n",
		"\n1     2       60.0   90.0      +30.0                 association, edgeShrink 0.5, unaryWeight 3, clamp 0.01\n",
		"\nlinear  +25.0 [20.0, 30.0]  +25.0 (7.1)    3\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}

func TestScenePage(t *testing.T) {
	b, blocks := scenes()
	p := &Page{Title: "Scenes", Studies: SceneSections([]string{"sky", "tree", "road"}, b, must(SceneDifferences(t.Context(), b, blocks, 200, 1)))}
	var md bytes.Buffer
	Markdown(&md, p)
	for _, want := range []string{
		"## Pixel accuracy on 4 images, 3 labels",
		"| linear | 55.0 (7.1; 55.0) | 80.0 (14.1; 80.0) |",
		"| 0 | 2 | 50.0 | 70.0 | +20.0 |  |\n",
		"| 1 | 2 | 60.0 | 90.0 | +30.0 | association, edgeShrink 0.5, unaryWeight 3, clamp 0.01 |\n",
		"| linear | +25.0 [20.0, 30.0] | +25.0 (7.1) | 3 |",
		"| manual, linear, pairwise |",
	} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("want %q in\n%s", want, md.String())
		}
	}
	if got := string(html(t, p)); strings.Count(got, "<svg") != 1 || strings.Contains(got, "NaN") || strings.Contains(got, "Accuracy per tier") {
		t.Error("the page of scenes has other plots than one of pixel accuracy")
	}
}

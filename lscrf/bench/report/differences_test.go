package report

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

func TestBetterOnlyWhereItIs(t *testing.T) {
	b := table("horse", 40, 1)
	got := must(Differences(t.Context(), 200, 1, b))
	// 3 mixes x 2 models; 3 x 2 terms; 2 mixes x 4 against manual; 1 x 4; 2 mixes x 2 models for what pairwise adds.
	if len(got) != 6+6+8+4+4 {
		t.Fatalf("got %d comparisons, want 28", len(got))
	}
	for _, d := range got {
		want := Unclear
		if d.Question == "pairwise - unary" {
			want = Better
		}
		if d.Verdict != want {
			t.Errorf("%s: %s against %s: got %s (%s, [%s, %s], p %s), want %s", d.Question, d.A, d.B, d.Verdict, d.Difference, d.CI[0], d.CI[1], d.PHolm, want)
		}
		if d.PHolm.V < d.P.V {
			t.Errorf("%s: the corrected p %s is below %s", d.A, d.PHolm, d.P)
		}
	}
}

// Under the other balance pairwise terms take three points away instead of adding them: that is tested, corrected for with
// the rest, and said.
func TestEveryBalanceIsTested(t *testing.T) {
	b := table("horse", 40, 1)
	for _, r := range b.Rows {
		if r.Model != lscrf.Linear {
			continue
		}
		r.Balance = "none"
		r.Terms = map[string]string{lscrf.Unary: lscrf.Pairwise, lscrf.Pairwise: lscrf.Unary}[r.Terms]
		b.OtherBalances = append(b.OtherBalances, r)
	}
	verdicts := map[string]int{}
	list := must(Differences(t.Context(), 200, 1, b))
	for _, d := range list {
		if d.Question == "pairwise - unary" {
			verdicts[d.Balance+" "+d.Verdict]++
		}
	}
	if len(list) != 28+3+4+2+2 || len(verdicts) != 2 || verdicts["paper better"] != 6 || verdicts["none worse"] != 3 {
		t.Errorf("got %d comparisons and %v", len(list), verdicts)
	}
	text := otherwise(list)
	if !strings.Contains(text, "of 11 comparisons made under both, 3 are reversed, and 0 more") {
		t.Errorf("got %q", text)
	}
	one := must(Differences(t.Context(), 50, 1, table("horse", 40, 1)))
	if text := otherwise(one); text != "" {
		t.Errorf("one balance: got %q", text)
	}
}

// Baselines are compared with linear models of the same mix, and boxes alone with labels alone.
func TestEveryKindOfModelIsCompared(t *testing.T) {
	got := map[string][]string{}
	for _, d := range must(Differences(t.Context(), 50, 1, tableOf([]string{"bbox", "label"}, lscrf.Kinds(), 10, 1))) {
		got[d.Question] = append(got[d.Question], d.A+" | "+d.B)
	}
	for question, want := range map[string]int{
		// two mixes; piecewise training and pseudolikelihood have pairwise terms alone
		"trees - linear": 4, "logistic - linear": 4, "piecewise - linear": 2, "pseudolikelihood - linear": 2, "bbox - label": 8, "pairwise - unary": 6,
	} {
		if len(got[question]) != want {
			t.Errorf("%s: got %q, want %d comparisons", question, got[question], want)
		}
	}
	if a := got["piecewise - linear"][1]; a != "label, piecewise, pairwise | label, linear, pairwise" {
		t.Errorf("got %q", a)
	}
	if len(got) != 6 {
		t.Errorf("got %d questions, want 6: %v", len(got), got)
	}
}

func TestHolm(t *testing.T) {
	// Of three, the least counts three times, the next twice, and none less than one before it.
	list := []Difference{{P: metric.Of(0.02)}, {P: metric.Of(0.01)}, {P: metric.Of(0.5)}, {}}
	holm(list)
	near(t, "least", list[1].PHolm, 0.03)
	near(t, "second", list[0].PHolm, 0.04)
	near(t, "last", list[2].PHolm, 0.5)
	if list[3].PHolm.OK || list[3].Verdict != Unclear {
		t.Errorf("a comparison without images: got %+v", list[3])
	}
}

func TestWithoutTestImagesNothingIsShown(t *testing.T) {
	for _, d := range must(Differences(t.Context(), 200, 1, table("horse", 0, 1))) {
		if d.Difference.OK || d.Verdict != Unclear {
			t.Errorf("got %+v", d)
		}
	}
}

// Other masks of the same images are refused, by their areas or by their digest; other settings are remarked; a row that had no
// score has none.
func TestCompareTellsWhatIsNotComparable(t *testing.T) {
	old, now := table("horse", 10, 1), table("horse", 10, 1)
	same := func() error { return Comparable(old, now.Test, now.Oracle.Counts, "sha256:b") }
	if err := same(); err != nil {
		t.Errorf("the same masks: got %v", err)
	}
	old.Made.Truth = "sha256:a"
	if err := same(); err == nil || !strings.Contains(err.Error(), "other masks of the same images") {
		t.Errorf("another digest: got %v", err)
	}
	old.Test = append([]string(nil), old.Test...)
	old.Test[3] = "another"
	if err := same(); err != nil {
		t.Errorf("other images: got %v", err)
	}
	old.Oracle.Counts[5].N[0]++
	if err := same(); err == nil || !strings.Contains(err.Error(), "1 of 9 images") {
		t.Errorf("another area: got %v", err)
	}
	old.Made = bench.Made{Setup: "a", Train: "c", Seed: 1}
	now.Made = bench.Made{Setup: "b", Train: "c", Seed: 2}
	old.Rows[0].PerClassPooled, old.Rows[0].Counts = metric.Value{}, nil
	var text bytes.Buffer
	Sections(&text, []Section{must(Compare(t.Context(), old, now, 50, 1)).Section()})
	for _, want := range []string{"Note: the tables have different superpixels or features.\n", "different seeds: old 1, new 2", " no old score  "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "+0.00                    no old score") || strings.Contains(text.String(), "different settings of training") {
		t.Errorf("got\n%s", text.String())
	}
}

// What has nothing in common with the new table is refused before anything is trained: another class, other rows, other images.
func TestCompareRefusesWhatHasNothingInCommon(t *testing.T) {
	old := table("horse", 10, 1)
	spec := func(model, balance string) []lscrf.Spec {
		return []lscrf.Spec{{Tiers: lscrf.Mix{"label"}, Model: lscrf.Linear, Terms: lscrf.Unary, Balance: "paper"}, {Tiers: lscrf.Mix{"manual"}, Model: model, Terms: lscrf.Unary, Balance: balance}}
	}
	if err := errors.Join(SameRows(old, "horse", spec(lscrf.Trees, "paper")), SameRows(old, "horse", nil)); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"of another class: got horse, want dog": SameRows(old, "dog", nil),
		"none of the rows":                      SameRows(old, "horse", spec(lscrf.Logistic, "paper")),
		"none of the rows that":                 SameRows(old, "horse", spec(lscrf.Trees, "none")),
		"on none of the 2 images: its 10":       Comparable(old, []string{"x", "y"}, old.Oracle.Counts[:2], ""),
		"on none of the 0 images":               Comparable(old, nil, nil, ""),
		"no counts of its images":               Comparable(&bench.Table{}, old.Test, old.Oracle.Counts, ""),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	var text bytes.Buffer
	if Sections(&text, []Section{must(Compare(t.Context(), old, table("dog", 10, 1), 50, 1)).Section()}); strings.Contains(text.String(), "0 rows") || !strings.Contains(text.String(), "nothing is compared") {
		t.Error(text.String())
	}
}

// An interrupted comparison ends with the reason, and without a result that could be taken for one.
func TestComparingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := table("horse", 10, 1)
	o := bench.Defaults()
	o.Tiers = []string{"manual"}
	_, table := bench.NewTable(ctx, "horse", b.Test, o.Specs(), nil, score(b.Oracle.Counts), o.Samples, 1)
	list, differences := Differences(ctx, bench.MaxSamples, 1, b)
	_, compare := Compare(ctx, b, b, bench.MaxSamples, 1)
	scenes, blocks := scenes()
	_, folds := SceneDifferences(ctx, scenes, blocks, bench.MaxSamples, 1)
	for _, err := range []error{table, differences, compare, folds} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
	for _, d := range list {
		if d.P.OK || d.CI[0].OK || d.Verdict != Unclear {
			t.Errorf("got %+v", d)
		}
	}
}

func TestCompareSaysWhatChanged(t *testing.T) {
	old, now := table("horse", 40, 1), table("horse", 40, 1)
	for i := range now.Rows { // trees got better on all images but the first five, which the old table does not have
		if now.Rows[i].Model == lscrf.Trees {
			for _, c := range now.Rows[i].Counts {
				c.N[0], c.N[1] = c.N[0]+5, c.N[1]-5
			}
		}
	}
	old.Test = old.Test[5:]
	for i := range old.Rows {
		old.Rows[i].Counts = old.Rows[i].Counts[5:]
	}
	old.Rows = old.Rows[:len(old.Rows)-1]
	c := must(Compare(t.Context(), old, now, 200, 1))
	if len(c.Rows) != 11 || len(c.Added) != 1 || len(c.Removed) != 0 {
		t.Fatalf("got %d rows, added %q, removed %q", len(c.Rows), c.Added, c.Removed)
	}
	for _, r := range c.Rows {
		want, by := Unclear, 0.0
		if strings.Contains(r.A, "trees") {
			want, by = Better, 2.5 // 5 of the 100 ground pixels, half of the mean
		}
		near(t, r.A, r.Difference.Difference, by)
		if r.Verdict != want || r.Images != 35 {
			t.Errorf("%s: got %s on %d images, want %s on 35", r.A, r.Verdict, r.Images, want)
		}
	}
	now.Test = nil // a table of an earlier version
	for i := range now.Rows {
		now.Rows[i].Counts = nil
	}
	var text bytes.Buffer
	Sections(&text, []Section{must(Compare(t.Context(), old, now, 200, 1)).Section()})
	if n := strings.Count(text.String(), "not tested"); n != 11 {
		t.Errorf("got %d lines that say that nothing was tested, want 11:\n%s", n, text.String())
	}
}

// By hand: of 200 pixels an image, pairwise adds 10 points to the mix and 4 to manual masks, in every image.
func TestWhatPairwiseAddsIsCompared(t *testing.T) {
	of := func(right int64) (out bench.Counts) {
		for range 12 {
			c := metric.NewConfusion(2)
			c.N = []int64{right, 90 - right, 10, 100 - right, right, 0} // a tenth of the ground is void
			out = append(out, c)
		}
		return out
	}
	b := &bench.Table{}
	for _, r := range []struct {
		tiers lscrf.Mix
		terms string
		right int64
	}{{lscrf.Mix{"manual"}, lscrf.Unary, 60}, {lscrf.Mix{"manual"}, lscrf.Pairwise, 64}, {lscrf.Mix{"manual", "bbox"}, lscrf.Unary, 70}, {lscrf.Mix{"manual", "bbox"}, lscrf.Pairwise, 80}, {lscrf.Mix{"bbox"}, lscrf.Pairwise, 80}} {
		b.Rows = append(b.Rows, bench.Row{Tiers: r.tiers, Model: lscrf.Linear, Terms: r.terms, Balance: "paper", Counts: of(r.right)})
	}
	n := 0
	for _, d := range must(Differences(t.Context(), 50, 1, b)) {
		if d.Question != "pairwise gain, mix - manual" {
			continue
		}
		n++
		near(t, d.A, d.Difference, 6)
		near(t, "interval", d.CI[0], 6)
		if d.A != "manual + bbox, linear, pairwise" || d.B != "manual, linear, pairwise" || d.P.V > 0.01 {
			t.Errorf("got %+v", d)
		}
	}
	if n != 1 {
		t.Errorf("got %d comparisons, want 1: boxes alone hold no manual masks", n)
	}
}

// 28 comparisons: the least p of 10 images is 1/512, 28/512 is above 0.05; of 11 it is 1/1024.
func TestTooFewImagesAreSaid(t *testing.T) {
	for n, want := range map[int]string{10: "With 10 test pictures no difference can be shown", 11: "", 1: "With 1 test picture no difference"} {
		b := table("horse", n, 1)
		list := must(Differences(t.Context(), 50, 1, b))
		got := DifferenceTable(list, []*bench.Table{b}).Text[0]
		if said := strings.Contains(got, "no difference can be shown"); said != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%d images: got %q", n, got)
		}
	}
}

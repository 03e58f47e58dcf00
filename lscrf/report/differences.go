package report

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
)

// A Difference compares two rows of a table on the same test images: pooled per-class accuracy of A minus that of
// B in percent.
type Difference struct {
	Class      string          `json:"class"`
	Question   string          `json:"question"` // what differs between them: "pairwise - unary"
	A          string          `json:"a"`        // "manual + bbox, linear, pairwise"
	B          string          `json:"b"`
	Difference metric.Value    `json:"difference"`
	CI         [2]metric.Value `json:"ci"`      // 95% paired bootstrap over images
	P          metric.Value    `json:"p"`       // two-sided paired permutation test
	PHolm      metric.Value    `json:"p_holm"`  // the same for all comparisons of the list together
	Verdict    string          `json:"verdict"` // Better, Worse or Unclear
}

// The verdicts. A is called better or worse only if the interval does not hold 0 and the corrected p is below 0.05.
const (
	Better  = "better"
	Worse   = "worse"
	Unclear = "no difference shown"
)

// permutations of a paired test: the least p is 1e-4.
const permutations = 9999

// significant is the level of the tests.
const significant = 0.05

// Differences asks the paper's questions of a table: does pairwise beat unary, do trees (and the baselines) beat linear, does a
// mix beat manual masks alone, does label beside bbox help, which of them is worth more alone, and do weights of tiers? Every question is asked of all pairs of rows that differ in
// nothing else. samples is the number of bootstrap samples.
func Differences(b *lscrf.Bench, samples int, seed uint64) []Difference {
	out := []Difference{}
	ask := func(question string, a, b lscrf.Row) {
		d := difference(a.Counts, b.Counts, samples, seed)
		d.Class, d.Question, d.A, d.B = a.Class, question, rowName(a), rowName(b)
		out = append(out, d)
	}
	each := func(question string, other func(r *lscrf.Row) bool) {
		for _, row := range b.Rows {
			r := row
			if !other(&r) {
				continue
			}
			if o, ok := find(b.Rows, lscrf.Mix(r.Tiers).Key(), r.Model, r.Terms); ok && o.Balance == row.Balance {
				ask(question, row, o)
			}
		}
	}
	each("pairwise - unary", func(r *lscrf.Row) bool {
		was := r.Terms
		r.Terms = lscrf.Unary
		return was == lscrf.Pairwise
	})
	for _, model := range lscrf.Kinds() {
		each(model+" - linear", func(r *lscrf.Row) bool {
			was := r.Model
			r.Model = lscrf.Linear
			return was == model && model != lscrf.Linear
		})
	}
	each("mix - manual", func(r *lscrf.Row) bool {
		was := lscrf.Mix(r.Tiers).Key()
		r.Tiers = lscrf.Mix{"manual"}
		return was != "manual"
	})
	each("with label - without", func(r *lscrf.Row) bool {
		was := lscrf.Mix(r.Tiers).Key()
		r.Tiers = lscrf.Mix{"manual", "bbox"}
		return was == "manual,bbox,label"
	})
	each("bbox - label", func(r *lscrf.Row) bool {
		was := lscrf.Mix(r.Tiers).Key()
		r.Tiers = lscrf.Mix{"label"}
		return was == "bbox"
	})
	each("weighted - unweighted", func(r *lscrf.Row) bool {
		was := lscrf.Mix(r.Tiers).Key()
		r.Tiers = lscrf.Mix(r.Tiers).Unweighted()
		return was != lscrf.Mix(r.Tiers).Key()
	})
	holm(out)
	return out
}

// rowName names a row for people.
func rowName(r lscrf.Row) string {
	return lscrf.Mix(r.Tiers).String() + ", " + r.Model + ", " + r.Terms
}

// difference compares two models' counts on the same images; without images nothing is defined.
func difference(a, b lscrf.Counts, samples int, seed uint64) Difference {
	var d Difference
	if len(a) == 0 || len(a) != len(b) {
		return d
	}
	i := metric.BootstrapDifference(a, b, samples, rand.New(rand.NewPCG(seed, 2)), metric.PerClassAccuracy)
	d.CI = [2]metric.Value{i.Low.Scale(100), i.High.Scale(100)}
	d.Difference, d.P = metric.PermutationPooled(a, b, permutations, rand.New(rand.NewPCG(seed, 3)), metric.PerClassAccuracy)
	d.Difference = d.Difference.Scale(100)
	return d
}

// holm corrects the p values of a list for their number (Holm, "A simple sequentially rejective multiple test
// procedure", Scandinavian Journal of Statistics 6, 1979) and gives the verdicts.
func holm(list []Difference) {
	var order []int
	for i, d := range list {
		if d.P.OK {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].P.V, list[j].P.V) })
	least := 0.0
	for k, i := range order {
		least = min(1, max(least, float64(len(order)-k)*list[i].P.V))
		list[i].PHolm = metric.Of(least)
	}
	for i := range list {
		list[i].Verdict = list[i].verdict()
	}
}

func (d *Difference) verdict() string {
	if !d.PHolm.OK || d.PHolm.V >= significant || !d.CI[0].OK {
		return Unclear
	}
	switch {
	case d.CI[0].V > 0:
		return Better
	case d.CI[1].V < 0:
		return Worse
	}
	return Unclear
}

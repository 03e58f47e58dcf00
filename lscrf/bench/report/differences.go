package report

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// A Difference compares two rows of a table on the same test images: pooled per-class accuracy of A
// minus that of B in percent. For the question "pairwise gain, mix - manual" it compares what
// pairwise terms add to A and to B.
type Difference struct {
	Class   string `json:"class"`
	Balance string `json:"balance"` // of both rows
	// what differs between them, such as "pairwise - unary"
	Question   string          `json:"question"`
	A          string          `json:"a"` // "manual + bbox, linear, pairwise"
	B          string          `json:"b"` // the row that it is compared with
	Difference metric.Value    `json:"difference"`
	CI         [2]metric.Value `json:"ci"`      // 95% paired bootstrap over images
	P          metric.Value    `json:"p"`       // two-sided paired permutation test
	PHolm      metric.Value    `json:"p_holm"`  // the same for all comparisons of the list together
	Verdict    string          `json:"verdict"` // better, worse or "no difference shown"
}

// The verdicts. A is called better or worse only if the interval does not hold 0 and the corrected
// p is below 0.05.
const (
	Better  = "better"
	Worse   = "worse"
	Unclear = "no difference shown"
)

// permutations of a paired test: the least p is 1e-4.
const permutations = 9999

// significant is the level of the tests.
const significant = 0.05

// Differences asks the paper's questions of tables, each for itself: does pairwise beat unary, and
// by more with more data, do trees (and the baselines) beat linear, does a mix beat manual masks
// alone, does label beside bbox help, and which of them is worth more alone? Every question is
// asked of all pairs of rows that differ in nothing else, under each balance; p is corrected for
// all of them together, over all tables. samples is the number of bootstrap samples. The only error
// is that of ctx.
func Differences(ctx context.Context, samples int, seed uint64, tables ...*bench.Table) ([]Difference, error) {
	often, out := bench.Resampling(ctx, samples), []Difference{}
	for _, b := range tables {
		for _, balance := range distinct(b.All(), func(r bench.Row) string { return r.Balance }) {
			rows := under(b.All(), balance)
			out = append(out, questions(rows, func(question string, a, b bench.Row) Difference {
				d := difference(a.Counts, b.Counts, often, seed, metric.PerClassAccuracy)
				d.Class, d.Balance, d.Question, d.A, d.B = a.Class, balance, question, a.Name(), b.Name()
				return d
			})...)
			pairwiseGains(rows, func(row, base bench.Row, a, b bench.Counts) {
				d := difference(a, b, often, seed, gain)
				d.Class, d.Balance, d.Question, d.A, d.B = row.Class, balance, "pairwise gain, mix - manual", row.Name(), base.Name()
				out = append(out, d)
			})
		}
	}
	holm(out)
	return out, ctx.Err()
}

// questions asks of the rows of one balance.
func questions(rows []bench.Row, ask func(question string, a, b bench.Row) Difference) []Difference {
	var out []Difference
	// each compares some rows with those that have the tiers, model or terms of other.
	each := func(question string, is func(r bench.Row) bool, other bench.Row) {
		for _, r := range rows {
			if !is(r) {
				continue
			}
			key, model, terms := mixKey(r), r.Model, r.Terms
			if len(other.Tiers) > 0 {
				key = mixKey(other)
			}
			if b := find(rows, key, cmp.Or(other.Model, model), cmp.Or(other.Terms, terms)); b != nil {
				out = append(out, ask(question, r, *b))
			}
		}
	}
	each("pairwise - unary", func(r bench.Row) bool { return r.Terms == lscrf.Pairwise }, bench.Row{Terms: lscrf.Unary})
	for _, model := range lscrf.Kinds()[1:] {
		each(model+" - linear", func(r bench.Row) bool { return r.Model == model }, bench.Row{Model: lscrf.Linear})
	}
	each("mix - manual", func(r bench.Row) bool { return mixKey(r) != "manual" }, bench.Row{Tiers: lscrf.Mix{"manual"}})
	each("with label - without", func(r bench.Row) bool { return mixKey(r) == "manual,bbox,label" },
		bench.Row{Tiers: lscrf.Mix{"manual", "bbox"}})
	each("bbox - label", func(r bench.Row) bool { return mixKey(r) == "bbox" }, bench.Row{Tiers: lscrf.Mix{"label"}})
	return out
}

// difference compares a score of two models' counts on the same images; without images nothing is
// defined.
func difference(a, b bench.Counts, often metric.Resampling, seed uint64, score func(*metric.Confusion) metric.Value) Difference {
	var d Difference
	if len(a) == 0 || len(a) != len(b) {
		return d
	}
	if len(a) > 1 { // a single image tells nothing of others
		d.CI = metric.BootstrapDifference(a, b, often, rand.New(rand.NewPCG(seed, 2)), score).Ends(100)
	}
	d.Difference, d.P = metric.PermutationPooled(a, b, metric.Resampling{Samples: permutations, Stop: often.Stop},
		rand.New(rand.NewPCG(seed, 3)), score)
	d.Difference = d.Difference.Scale(100)
	return d
}

// holm corrects the p values of a list for their number (Holm, "A simple sequentially rejective
// multiple test procedure", Scandinavian Journal of Statistics 6, 1979) and gives the verdicts.
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

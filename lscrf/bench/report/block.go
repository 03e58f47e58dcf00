package report

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/regress"
)

// A block is one balance of the tables in the layout of the paper's Table 2: a heading for each mix
// of tiers, a line for each model, unary and pairwise beside each other for each class. Terms that
// no row has, as of one model, have no column.
type block struct {
	Balance string
	Caption string
	Other   bool // not the main balance
	Classes []string
	Terms   []string // unary, pairwise, or both: what the rows have
	Mixes   []blockMix
}

type blockMix struct {
	Title string
	Lines []blockLine
}

type blockLine struct {
	Model string
	Cells []blockCell
}

// A blockCell is a row of a table, nil where there is none.
type blockCell struct {
	row   *bench.Row
	times bool
}

// heads are those of the columns behind the first.
func (b block) heads() []string {
	var out []string
	for _, class := range b.Classes {
		for _, terms := range b.Terms {
			out = append(out, class+" "+terms)
		}
	}
	return out
}

// Span is the number of columns.
func (b block) Span() int { return 1 + len(b.Terms)*len(b.Classes) }

// Score is the pooled per-class accuracy in percent.
func (c blockCell) Score() string {
	if c.row == nil {
		return "-"
	}
	return c.row.PerClassPooled.Format(1)
}

// Interval is that of Score.
func (c blockCell) Interval() string {
	if c.row == nil {
		return ""
	}
	return interval(c.row.PerClassPooledCI, 1)
}

// Under is the number of training images, with times after the training time.
func (c blockCell) Under() string {
	if c.row == nil {
		return ""
	}
	text := counted(c.row.Images, "image")
	if c.times {
		text += ", " + duration(c.row.TrainSeconds)
	}
	return text
}

// counted returns "1 image" or "2 images".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration formats training time as the paper does: "<1s", "12s", "3.5m".
func duration(s float64) string {
	switch {
	case s < 1:
		return "<1s"
	case s < 100:
		return fmt.Sprintf("%.0fs", s)
	}
	return fmt.Sprintf("%.1fm", s/60)
}

// blocks returns the main balances of tables, and then the others.
func blocks(o Options, tables []*bench.Table) []block {
	var out []block
	for _, other := range []bool{false, true} {
		for _, balance := range []string{regress.BalancePaper, regress.BalanceNone} {
			var sets [][]bench.Row
			b := block{Balance: balance, Caption: o.caption(balance), Other: other}
			for _, t := range tables {
				rows := t.Rows
				if other {
					rows = t.OtherBalances
				}
				if rows = under(rows, balance); len(rows) > 0 {
					sets = append(sets, rows)
					b.Classes = append(b.Classes, rows[0].Class)
				}
			}
			if len(sets) > 0 {
				b.fill(sets, o.Times)
				out = append(out, b)
			}
		}
	}
	return out
}

// fill adds the rows of every class.
func (b *block) fill(sets [][]bench.Row, times bool) {
	all := slices.Concat(sets...)
	for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
		if slices.ContainsFunc(all, func(r bench.Row) bool { return r.Terms == terms }) {
			b.Terms = append(b.Terms, terms)
		}
	}
	for _, key := range distinct(all, mixKey) {
		m := blockMix{Title: mixTitle(key)}
		of := slices.DeleteFunc(slices.Clone(all), func(r bench.Row) bool { return mixKey(r) != key })
		for _, model := range distinct(of, modelOf) {
			l := blockLine{Model: model}
			for _, set := range sets {
				for _, terms := range b.Terms {
					l.Cells = append(l.Cells, blockCell{find(set, key, model, terms), times})
				}
			}
			m.Lines = append(m.Lines, l)
		}
		b.Mixes = append(b.Mixes, m)
	}
}

// where says what the tables were measured on.
func (o Options) where() string {
	if o.Folds > 0 {
		return fmt.Sprintf("in %d-fold cross-validation on the manual training masks", o.Folds)
	}
	return "on the test masks"
}

// caption says what the numbers of a block are.
func (o Options) caption(balance string) string {
	times := ""
	if o.Times {
		times = "; in parentheses the time of training by the clock"
	}
	return fmt.Sprintf("Per-class accuracy in %% %s, pooled over pixels, with its 95%% interval over images and the number of training "+
		"images%s. Balance: %s.", o.where(), times, balance)
}

// titles of the mixes that the paper's Table 2 and its last paragraph have, in a table and on an
// axis.
var titles = map[string][2]string{
	"manual":            {"(a) manual", "(a) manual"},
	"manual,bbox":       {"(b) manual + bbox", "(b) + bbox"},
	"manual,bbox,label": {"(c) manual + bbox + label", "(c) + label"},
	"bbox":              {"bbox only", "bbox only"},
	"label":             {"label only", "label only"},
}

// mixTitle is the heading of a mix of tiers.
func mixTitle(key string) string {
	if t, ok := titles[key]; ok {
		return t[0]
	}
	return strings.ReplaceAll(key, ",", " + ")
}

func mixKey(r bench.Row) string  { return lscrf.Mix(r.Tiers).Key() }
func modelOf(r bench.Row) string { return r.Model }

// under returns the rows of a balance.
func under(rows []bench.Row, balance string) []bench.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r bench.Row) bool { return r.Balance != balance })
}

// find returns the row of a mix, a model and terms, nil if there is none.
func find(rows []bench.Row, key, model, terms string) *bench.Row {
	for i := range rows {
		if r := &rows[i]; mixKey(*r) == key && r.Model == model && r.Terms == terms {
			return r
		}
	}
	return nil
}

// distinct returns the values of f in the order of their first row.
func distinct(rows []bench.Row, f func(bench.Row) string) []string {
	var out []string
	for _, r := range rows {
		if v := f(r); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

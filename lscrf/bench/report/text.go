// Package report writes the results table of a bench for people and machines.
package report

import (
	"fmt"
	"io"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/regress"
)

// Text prints benches side by side in the layout of the paper's Table 2: a block per tier
// mix, a row per model, unary and pairwise pooled per-class accuracy in percent with the
// training seconds beneath, one pair of columns per data set, the number of training images in
// brackets. IoU follows in a second table. What was balanced otherwise stands below.
func Text(w io.Writer, o Options, benches ...*lscrf.Bench) error {
	p := &printer{w: w, o: o}
	for _, other := range []bool{false, true} {
		sets := rowsOf(benches, other)
		for _, balance := range balances(sets) {
			p.table(filter(sets, balance), balance)
		}
	}
	p.printf("\n")
	for _, b := range benches {
		if best := bestOf(b); best != "" {
			p.printf("%s: the best that superpixels allow, each score by itself (oracle): %s\n", b.Oracle.Class, best)
		}
		p.printf("%s: every superpixel with its true majority label: %s per class, IoU %s\n", b.Oracle.Class, b.Oracle.PerClassPooled.Format(1), b.Oracle.IoUPooled.Format(3))
	}
	for _, b := range benches {
		for _, m := range b.Missing {
			p.printf("%s: the tiers %s have no row: no image has a mask of them, or too few for the settings.\n", b.Oracle.Class, m)
		}
	}
	return p.err
}

// bestOf says what the superpixels of a table allow, "" if it does not tell.
func bestOf(b *lscrf.Bench) string {
	if b.Best == nil || !b.Best.Pixel.OK {
		return ""
	}
	text := b.Best.PerClass.Format(1) + " per class, " + b.Best.Pixel.Format(1) + " of pixels"
	if b.Best.IoU.OK {
		text += ", IoU " + b.Best.IoU.Format(3)
	}
	return text
}

// Options of Text.
type Options struct {
	Times bool // print training seconds, which differ between equal runs
	Folds int  // of a cross-validation on training images; 0: the scores are of the test split
}

type printer struct {
	w   io.Writer
	o   Options
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// rowsOf returns each bench's rows proper or the others.
func rowsOf(benches []*lscrf.Bench, other bool) [][]lscrf.Row {
	var out [][]lscrf.Row
	for _, b := range benches {
		if other {
			out = append(out, b.OtherBalances)
		} else {
			out = append(out, b.Rows)
		}
	}
	return out
}

func balances(sets [][]lscrf.Row) []string {
	var out []string
	for _, b := range []string{regress.BalancePaper, regress.BalanceNone} {
		for _, set := range sets {
			if len(keep(set, func(r lscrf.Row) bool { return r.Balance == b })) > 0 {
				out = append(out, b)
				break
			}
		}
	}
	return out
}

func filter(sets [][]lscrf.Row, balance string) [][]lscrf.Row {
	var out [][]lscrf.Row
	for _, set := range sets {
		out = append(out, keep(set, func(r lscrf.Row) bool { return r.Balance == balance }))
	}
	return out
}

func keep(rows []lscrf.Row, f func(lscrf.Row) bool) []lscrf.Row {
	var out []lscrf.Row
	for _, r := range rows {
		if f(r) {
			out = append(out, r)
		}
	}
	return out
}

// titles of the mixes that the paper's Table 2 and its last paragraph have.
var titles = map[string]string{
	"manual":            "(a) manual",
	"manual,bbox":       "(b) manual + bbox",
	"manual,bbox,label": "(c) manual + bbox + label",
	"bbox":              "bbox only",
	"label":             "label only",
}

// table prints one balance: rows are grouped by mix, then model.
func (p *printer) table(sets [][]lscrf.Row, balance string) {
	where := "on the test masks"
	if p.o.Folds > 0 {
		where = fmt.Sprintf("in %d-fold cross-validation on the manual training masks", p.o.Folds)
	}
	p.printf("\nPer-class accuracy in %% %s, pooled over pixels (mean over images; figure IoU, pooled), balance: %s\n", where, balance)
	p.printf("%-28s", "")
	for _, set := range sets {
		if len(set) > 0 {
			p.printf("  %-26s  %-26s", set[0].Class+" unary", set[0].Class+" pairwise")
		}
	}
	p.printf("\n")
	for _, key := range mixes(sets) {
		p.printf("%s\n", mixTitle(key))
		for _, model := range models(sets, key) {
			p.printf("  %-26s", model)
			for _, set := range sets {
				for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
					p.printf("  %-26s", cell(set, key, model, terms))
				}
			}
			p.printf("\n  %-26s", "")
			for _, set := range sets {
				for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
					p.printf("  %-26s", p.under(set, key, model, terms))
				}
			}
			p.printf("\n")
		}
	}
}

func cell(set []lscrf.Row, key, model, terms string) string {
	r, ok := find(set, key, model, terms)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%s (%s; %s)", r.PerClassPooled.Format(1), r.PerClassMean.Format(1), r.IoUPooled.Format(3))
}

func (p *printer) under(set []lscrf.Row, key, model, terms string) string {
	r, ok := find(set, key, model, terms)
	if !ok {
		return ""
	}
	if !p.o.Times {
		return fmt.Sprintf("[%d]", r.Images)
	}
	return fmt.Sprintf("(%s) [%d]", duration(r.TrainSeconds), r.Images)
}

// duration prints training time as the paper does: "<1s", "12s", "3.5m".
func duration(s float64) string {
	switch {
	case s < 1:
		return "<1s"
	case s < 100:
		return fmt.Sprintf("%.0fs", s)
	}
	return fmt.Sprintf("%.1fm", s/60)
}

func find(set []lscrf.Row, key, model, terms string) (lscrf.Row, bool) {
	for _, r := range set {
		if lscrf.Mix(r.Tiers).Key() == key && r.Model == model && r.Terms == terms {
			return r, true
		}
	}
	return lscrf.Row{}, false
}

func mixes(sets [][]lscrf.Row) []string {
	return distinct(sets, func(r lscrf.Row) string { return lscrf.Mix(r.Tiers).Key() })
}

func models(sets [][]lscrf.Row, key string) []string {
	return distinct(sets, func(r lscrf.Row) string {
		if lscrf.Mix(r.Tiers).Key() != key {
			return ""
		}
		return r.Model
	})
}

// distinct returns the values of f in the order of their first row.
func distinct(sets [][]lscrf.Row, f func(lscrf.Row) string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, set := range sets {
		for _, r := range set {
			if k := f(r); !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}

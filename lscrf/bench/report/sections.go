package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// allColumns lists everything that was measured of every row.
func allColumns(b *bench.Table, times bool) Section {
	s := Section{
		Title: "All columns: " + b.Oracle.Class,
		Text: []string{`With 95% bootstrap intervals over test images. Accuracies in %, IoU of the figure and boundary F from 0 to 1; ` +
			`boundary F and what says "mean" are means over images, the rest is pooled over pixels.`},
		Head: []string{"tiers, model, terms"},
	}
	for _, c := range b.Oracle.Columns() {
		s.Head = append(s.Head, c.Title)
	}
	s.Head = append(s.Head, "images")
	if times {
		s.Head = append(s.Head, "train s", "predict ms")
		s.Text = append(s.Text, "Training seconds are by the clock, with as many workers as there were; prediction is milliseconds per "+
			"image on one of them.")
	}
	line := func(name string, r bench.Row) []string {
		out := []string{name}
		for _, c := range r.Columns() {
			out = append(out, c.Value.Format(c.Decimals())+" "+interval(c.CI, c.Decimals()))
		}
		return out
	}
	s.byBalance(b, func(r bench.Row) []string {
		out := append(line(r.Name(), r), fmt.Sprint(r.Images))
		if times {
			out = append(out, fmt.Sprintf("%.2f", r.TrainSeconds),
				strings.TrimSpace(fmt.Sprintf("%.2f %s", r.PredictMS, interval(r.PredictMSCI, 2))))
		}
		return out
	})
	oracle := line("true majority", b.Oracle)
	s.Rows = append(s.Rows, []string{"every superpixel with its true majority label"},
		append(oracle, make([]string, len(s.Head)-len(oracle))...)) // it is not trained
	if b.Best != nil {
		best := make([]string, len(s.Head))
		best[0], best[1], best[3], best[4] = "the best that superpixels allow, each column by itself", b.Best.PerClass.Format(1),
			b.Best.Pixel.Format(1), b.Best.IoU.Format(3)
		s.Rows = append(s.Rows, best)
	}
	return s
}

// byBalance adds a line for every row under its balance, nil for none.
func (s *Section) byBalance(b *bench.Table, line func(r bench.Row) []string) {
	balance := ""
	for _, r := range b.All() {
		l := line(r)
		if l == nil {
			continue
		}
		if r.Balance != balance {
			balance = r.Balance
			s.Rows = append(s.Rows, []string{"balance: " + balance})
		}
		s.Rows = append(s.Rows, l)
	}
}

// confusions lists how the pixels of each true label were labeled.
func confusions(b *bench.Table) Section {
	s := Section{
		Title: "Confusion: " + b.Oracle.Class,
		Text:  []string{"Of the test pixels of each true label, the percent that got each label."},
		Head:  []string{"tiers, model, terms", "ground → ground", "ground → figure", "figure → ground", "figure → figure"},
	}
	s.byBalance(b, func(r bench.Row) []string {
		if len(r.Counts) == 0 || r.Counts[0].Labels != 2 {
			return nil
		}
		return append([]string{r.Name()}, shares(r.Counts)...)
	})
	return s
}

// accuracyPlots draws the main tables of all classes.
func accuracyPlots(tables []*bench.Table) Section {
	s := Section{Title: "Accuracy per tier"}
	if len(tables) == 1 {
		s.Title += ": " + tables[0].Oracle.Class
	}
	for _, t := range tables {
		prefix := ""
		if len(tables) > 1 {
			prefix = t.Oracle.Class + ": "
		}
		if p := accuracyPlot(prefix+"Per-class accuracy in %, pooled, with 95% intervals over test images", t.Rows); p != nil {
			s.Plots = append(s.Plots, p)
		} else {
			s.Text = append(s.Text, prefix+"There are no test images, so nothing can be drawn.")
		}
	}
	return s
}

// accuracyPlot draws the main table of a class, nil without scores.
func accuracyPlot(title string, rows []bench.Row) *Plot {
	var labels []string
	var all []Series
	keys := distinct(rows, mixKey)
	for _, key := range keys {
		labels = append(labels, axisTitle(key))
	}
	for i, model := range distinct(rows, modelOf) {
		for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
			s := Series{Name: model + ", " + terms, Hollow: terms == lscrf.Unary, Color: i}
			for _, r := range rows {
				if r.Model == model && r.Terms == terms && r.PerClassPooled.OK {
					s.Points = append(s.Points, Point{r.PerClassPooled.V, float64(slices.Index(keys, mixKey(r))), r.PerClassPooledCI[0].V,
						r.PerClassPooledCI[1].V})
				}
			}
			all = append(all, s)
		}
	}
	return Dots(title, "per-class accuracy, %", labels, all)
}

// axisTitle names a mix on an axis, where there is little room.
func axisTitle(key string) string {
	if t, ok := titles[key]; ok {
		return t[1]
	}
	return wrapped(strings.Split(key, ","))
}

// wrapped joins tiers by "+", several lines of them where they are long.
func wrapped(tiers []string) string {
	const most = 16 // signs on a line
	text, line := "", ""
	for i, t := range tiers {
		if i > 0 {
			t = "+ " + t
		}
		switch {
		case line == "":
			line = t
		case len(line)+1+len(t) <= most:
			line += " " + t
		default:
			text, line = text+line+"\n", t
		}
	}
	return text + line
}

// tooFew says that no difference can be shown with so few test images: the least p of a paired
// permutation test of n images is 2^(1-n), and the correction multiplies the least of a list by
// their number. It is "" otherwise.
func tooFew(list []Difference, tables []*bench.Table) string {
	tests, n := 0, 0
	for _, d := range list {
		if d.P.OK {
			tests++
		}
	}
	for _, b := range tables {
		n = max(n, len(b.Test))
	}
	if n == 0 || math.Ldexp(float64(tests), 1-n) < significant {
		return ""
	}
	return fmt.Sprintf("With %s no difference can be shown, however large it is: this needs more test pictures, or fewer comparisons.",
		counted(n, "test picture"))
}

// DifferenceTable lists the paired tests of some tables.
func DifferenceTable(list []Difference, tables []*bench.Table) Section {
	s := Section{
		Title: "What is better",
		Text: []string{fmt.Sprintf("Differences of pooled per-class accuracy in points on the same test images: 95%% paired bootstrap "+
			"interval, and p of a paired permutation test, corrected after Holm for all %d comparisons of this list. "+
			`"better" and "worse" stand only where the interval leaves 0 out and the corrected p, which stands here, is below 0.05. `+
			`"pairwise gain" is what pairwise terms add to unary ones.`, len(list))},
		Head: []string{"row", "difference", "verdict", "p"},
	}
	if text := tooFew(list, tables); text != "" {
		s.Text = append([]string{text}, s.Text...)
	}
	if text := otherwise(list); text != "" {
		s.Text = append(s.Text, text)
	}
	question := ""
	for _, d := range list {
		q := strings.ReplaceAll(d.Question, " - ", " minus ")
		if slices.ContainsFunc(list, func(o Difference) bool { return o.Balance != d.Balance }) {
			q = "balance " + d.Balance + ": " + q
		}
		if several(list) {
			q = d.Class + ", " + q
		}
		if q != question {
			s.Rows = append(s.Rows, []string{q})
			question = q
		}
		s.Rows = append(s.Rows, []string{d.A, d.cell(), d.Verdict, d.PHolm.Format(4)})
	}
	return s
}

// cell formats a difference and its interval.
func (d *Difference) cell() string {
	return strings.TrimSpace(signed(d.Difference, 2) + " " + interval(d.CI, 2))
}

// otherwise says on how many comparisons the balances of a list disagree; "" where there is one
// balance.
func otherwise(list []Difference) string {
	pairs, turned, changed := 0, 0, 0
	for i, d := range list {
		for _, o := range list[i+1:] {
			if o.Class != d.Class || o.Question != d.Question || o.A != d.A || o.B != d.B || o.Balance == d.Balance {
				continue
			}
			pairs++
			switch {
			case d.Verdict == o.Verdict:
			case d.Verdict != Unclear && o.Verdict != Unclear:
				turned++
			default:
				changed++
			}
		}
	}
	switch {
	case pairs == 0:
		return ""
	case turned+changed == 0:
		return fmt.Sprintf("The verdicts of the %d comparisons made under both balances are the same.", pairs)
	}
	return fmt.Sprintf("What is better depends on the balance: of %d comparisons made under both, %d are reversed, and %d more are "+
		"shown under one balance alone.", pairs, turned, changed)
}

// several tells whether a list is about more than one class.
func several(list []Difference) bool {
	return len(list) > 0 && list[0].Class != list[len(list)-1].Class
}

// interval formats "[79.1, 82.0]", nothing if undefined.
func interval(ci [2]metric.Value, decimals int) string {
	if !ci[0].OK || !ci[1].OK {
		return ""
	}
	return "[" + ci[0].Format(decimals) + ", " + ci[1].Format(decimals) + "]"
}

// signed formats a difference with its sign.
func signed(v metric.Value, decimals int) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf("%+.*f", decimals, v.V)
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
)

// allColumns lists everything that was measured of every row.
func allColumns(b *lscrf.Bench, times bool) Section {
	s := Section{
		Title: "All columns: " + b.Oracle.Class,
		Text:  []string{`With 95% bootstrap intervals over test images. Accuracies in %, IoU of the figure and boundary F from 0 to 1; boundary F and what says "mean" are means over images, the rest is pooled over pixels.`},
		Head:  []string{"tiers, model, terms", "per class", "per class, mean", "pixel", "IoU", "IoU, mean", "boundary F", "images"},
	}
	if times {
		s.Head = append(s.Head, "train s", "predict ms")
		s.Text = append(s.Text, "Training seconds are by the clock, with as many workers as there were; prediction is milliseconds per image on one of them.")
	}
	line := func(name string, r lscrf.Row) []string {
		with := func(v metric.Value, ci [2]metric.Value, n int) string { return v.Format(n) + " " + interval(ci, n) }
		return []string{name, with(r.PerClassPooled, r.PerClassPooledCI, 1), with(r.PerClassMean, r.PerClassMeanCI, 1),
			with(r.Pixel, r.PixelCI, 1), with(r.IoUPooled, r.IoUPooledCI, 3), with(r.IoUMean, r.IoUMeanCI, 3), with(r.BoundaryF, r.BoundaryFCI, 3)}
	}
	s.byBalance(b, func(r lscrf.Row) []string {
		out := append(line(rowName(r), r), fmt.Sprint(r.Images))
		if times {
			out = append(out, fmt.Sprintf("%.2f", r.TrainSeconds), strings.TrimSpace(fmt.Sprintf("%.2f ", r.PredictMS)+interval(r.PredictMSCI, 2)))
		}
		return out
	})
	oracle := line(b.Oracle.Model, b.Oracle)
	s.Rows = append(s.Rows, []string{"every superpixel with its true majority label"}, append(oracle, make([]string, len(s.Head)-len(oracle))...)) // it is not trained
	if b.Best != nil {
		best := make([]string, len(s.Head))
		best[0], best[1], best[3], best[4] = "the best that superpixels allow, each column by itself", b.Best.PerClass.Format(1), b.Best.Pixel.Format(1), b.Best.IoU.Format(3)
		s.Rows = append(s.Rows, best)
	}
	return s
}

// byBalance adds a line for every row under its balance, nil for none.
func (s *Section) byBalance(b *lscrf.Bench, line func(r lscrf.Row) []string) {
	balance := ""
	for _, r := range slices.Concat(b.Rows, b.OtherBalances) {
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
func confusions(b *lscrf.Bench) Section {
	s := Section{
		Title: "Confusion: " + b.Oracle.Class,
		Text:  []string{"Of the test pixels of each true label, the percent that got each label."},
		Head:  []string{"tiers, model, terms", "ground → ground", "ground → figure", "figure → ground", "figure → figure"},
	}
	s.byBalance(b, func(r lscrf.Row) []string {
		if len(r.Counts) == 0 || r.Counts[0].Labels != 2 {
			return nil
		}
		c := metric.Pool(2, r.Counts)
		line := []string{rowName(r)}
		for t := range 2 {
			for p := range 2 {
				line = append(line, metric.Ratio(c.At(t, p), c.Truth(t)).Scale(100).Format(1))
			}
		}
		return line
	})
	return s
}

// accuracyPlots draws the main tables of all classes.
func accuracyPlots(benches []*lscrf.Bench) Section {
	s := accuracyPlot(benches[0])
	if len(benches) == 1 {
		return s
	}
	all := Section{Title: "Accuracy per tier"}
	for _, b := range benches {
		s := accuracyPlot(b)
		for _, t := range s.Text {
			all.Text = append(all.Text, b.Oracle.Class+": "+t)
		}
		for _, p := range s.Plots {
			p.Title = b.Oracle.Class + ": " + p.Title
			all.Plots = append(all.Plots, p)
		}
	}
	return all
}

// accuracyPlot draws the main table of a class.
func accuracyPlot(b *lscrf.Bench) Section {
	sets := [][]lscrf.Row{b.Rows}
	var labels []string
	var series []Series
	at := map[string]int{}
	for i, key := range mixes(sets) {
		labels = append(labels, shortTitle(key))
		at[key] = i
	}
	for i, model := range distinct(sets, func(r lscrf.Row) string { return r.Model }) {
		for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
			s := Series{Name: model + ", " + terms, Hollow: terms == lscrf.Unary, Color: i}
			for _, r := range b.Rows {
				if r.Model == model && r.Terms == terms && r.PerClassPooled.OK {
					s.Points = append(s.Points, Point{r.PerClassPooled.V, float64(at[lscrf.Mix(r.Tiers).Key()]), r.PerClassPooledCI[0].V, r.PerClassPooledCI[1].V})
				}
			}
			if len(s.Points) > 0 {
				series = append(series, s)
			}
		}
	}
	s := Section{Title: "Accuracy per tier: " + b.Oracle.Class}
	if len(series) == 0 {
		s.Text = []string{"There are no test images, so nothing can be drawn."}
		return s
	}
	s.Plots = []*Plot{Dots("Per-class accuracy in %, pooled, with 95% intervals over test images", "per-class accuracy, %", labels, series)}
	return s
}

// shortTitle names a mix on an axis, where there is little room.
func shortTitle(key string) string {
	if t, ok := map[string]string{"manual": "(a) manual", "manual,bbox": "(b) + bbox", "manual,bbox,label": "(c) + label", "bbox": "bbox only", "label": "label only"}[key]; ok {
		return t
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

// DifferenceTables lists the paired tests, and what another balance reverses.
func DifferenceTables(list []Difference) []Section {
	out := []Section{differenceTable(list)}
	if s := reversed(list); s != nil {
		out = append(out, *s)
	}
	return out
}

func differenceTable(list []Difference) Section {
	s := Section{
		Title: "What is better",
		Text: []string{fmt.Sprintf(`Differences of pooled per-class accuracy in points on the same test images: 95%% paired bootstrap interval, and p of a paired
permutation test, corrected after Holm for all comparisons of this list (%d). "better" and "worse" stand only where the interval leaves 0 out and the corrected p, which stands here, is below 0.05. "pairwise gain" is what pairwise terms add to unary ones.`, len(list))},
		Head: []string{"row", "difference", "verdict", "p"},
	}
	if text := otherwise(list); text != "" {
		s.Text = append(s.Text, text)
	}
	question := ""
	for _, d := range list {
		q, name := strings.ReplaceAll(d.Question, " - ", " minus "), d.A
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
		s.Rows = append(s.Rows, []string{name, strings.TrimSpace(signed(d.Difference, 2) + " " + interval(d.CI, 2)), d.Verdict, d.PHolm.Format(4)})
	}
	return s
}

// several tells whether a list is about more than one class.
func several(list []Difference) bool {
	return len(list) > 0 && list[0].Class != list[len(list)-1].Class
}

// section shows changes on a page.
func (c *Changes) section() Section {
	s := Section{
		Title: "Against the older table",
		Text:  []string{"Pooled per-class accuracy in %, new minus old, paired over the test images that both tables have; p corrected after Holm."},
		Head:  []string{"row", "difference", "verdict", "old", "new", "p", "images"},
	}
	for _, r := range c.Remarks {
		s.Text = append(s.Text, "Note: "+r+".")
	}
	only := func(title string, names []string) {
		if len(names) > 0 {
			s.Text = append(s.Text, title+": "+strings.Join(names, "; ")+".")
		}
	}
	only("Only in the new table", c.Added)
	only("Only in the old table", c.Removed)
	under := ""
	for _, r := range c.Rows {
		verdict := r.Verdict
		if r.Images == 0 {
			verdict = r.untested()
		}
		name, balance, _ := strings.Cut(strings.TrimPrefix(r.A, r.Class+": "), ", balance ")
		if heading := r.Class + ", balance " + balance; heading != under {
			under = heading
			s.Rows = append(s.Rows, []string{heading})
		}
		s.Rows = append(s.Rows, []string{name, strings.TrimSpace(signed(r.Difference.Difference, 2) + " " + interval(r.CI, 2)), verdict, r.Old.Format(2), r.New.Format(2), r.PHolm.Format(4), fmt.Sprint(r.Images)})
	}
	return s
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

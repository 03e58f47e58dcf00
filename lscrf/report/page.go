package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
)

// A Page is the report on one or more tables: everything that HTML and Markdown show.
type Page struct {
	Title       string
	Benches     []*lscrf.Bench
	Differences []Difference
	Changes     *Changes  // against an older table; nil for none
	Studies     []Section // what goes beyond the table
	Pictures    []Picture
	PicturesOf  string // the row whose model predicts them
	Facts       []Fact // how to make it again
	Settings    string // all settings, as YAML
	Options
}

// A Fact is a line of the reproduction box.
type Fact struct{ Name, Value string }

// A Section is a table and plots with a heading, and what has to be known to read them.
type Section struct {
	Title string     `json:"title"`
	Text  []string   `json:"text"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
	Plots []*Plot    `json:"-"`
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// HTML writes the report as one file that asks the network for nothing: styles, plots (SVG) and pictures are in it, and
// its content policy forbids the rest. Equal pages have equal bytes.
func HTML(w io.Writer, p *Page) error {
	return pageTemplate.Execute(w, view{p})
}

// A view prepares a page for its template.
type view struct{ *Page }

// Blocks are the tables in the layout of the paper's Table 2, one per balance.
func (v view) Blocks() []block {
	var out []block
	for _, other := range []bool{false, true} {
		sets := rowsOf(v.Benches, other)
		for _, balance := range balances(sets) {
			out = append(out, v.block(filter(sets, balance), balance, other))
		}
	}
	return out
}

// A block is one table: per mix a heading and a line per model.
type block struct {
	Caption string
	Other   bool
	Classes []string
	Mixes   []blockMix
}

// Span is the number of columns.
func (b block) Span() int { return 1 + 2*len(b.Classes) }

type blockMix struct {
	Title string
	Lines []blockLine
}

type blockLine struct {
	Model string
	Cells []blockCell
}

type blockCell struct{ Score, Interval, Under string }

func (v view) block(sets [][]lscrf.Row, balance string, other bool) block {
	b := block{Caption: v.caption(balance), Other: other}
	for _, set := range sets {
		if len(set) > 0 {
			b.Classes = append(b.Classes, set[0].Class)
		}
	}
	pr := &printer{o: v.Options}
	for _, key := range mixes(sets) {
		m := blockMix{Title: mixTitle(key)}
		for _, model := range models(sets, key) {
			l := blockLine{Model: model}
			for _, set := range sets {
				if len(set) == 0 {
					continue
				}
				for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
					c := blockCell{Score: "-"}
					if r, ok := find(set, key, model, terms); ok {
						c = blockCell{r.PerClassPooled.Format(1), interval(r.PerClassPooledCI, 1), pr.under(set, key, model, terms)}
					}
					l.Cells = append(l.Cells, c)
				}
			}
			m.Lines = append(m.Lines, l)
		}
		b.Mixes = append(b.Mixes, m)
	}
	return b
}

// caption says what the numbers of a table are.
func (o Options) caption(balance string) string {
	where := "on the test masks"
	if o.Folds > 0 {
		where = fmt.Sprintf("in %d-fold cross-validation on the manual training masks", o.Folds)
	}
	return fmt.Sprintf("Per-class accuracy in %% %s, pooled over pixels, with its 95%% interval over images; in brackets training images. Balance: %s.", where, balance)
}

func mixTitle(key string) string {
	if t := titles[key]; t != "" {
		return t
	}
	return strings.ReplaceAll(key, ",", " + ")
}

// Notes says what else belongs to the table: the oracle and the mixes without images.
func (v view) Notes() []string {
	var out []string
	for _, b := range v.Benches {
		o := b.Oracle
		out = append(out, fmt.Sprintf("%s: every superpixel with its true majority label, the best that any model on them can reach (oracle): %s per class %s, IoU %s, boundary F %s; %d test images.",
			o.Class, o.PerClassPooled.Format(1), interval(o.PerClassPooledCI, 1), o.IoUPooled.Format(3), o.BoundaryF.Format(3), o.TestImages))
		for _, m := range b.Missing {
			out = append(out, fmt.Sprintf("%s: no image has a mask of the tiers %s, so they have no row.", o.Class, m))
		}
	}
	return out
}

// Sections are the tables below the main one, in their order on the page.
func (v view) Sections() []Section {
	var out []Section
	for _, b := range v.Benches {
		if s := Paper(b); s != nil {
			out = append(out, *s)
		}
	}
	for _, b := range v.Benches {
		out = append(out, accuracyPlot(b))
	}
	if len(v.Benches) > 0 {
		out = append(out, differenceTable(v.Differences))
	}
	if v.Changes != nil {
		out = append(out, v.Changes.section())
	}
	out = append(out, v.Studies...)
	for _, b := range v.Benches {
		out = append(out, allColumns(b, v.Times), confusions(b))
	}
	return out
}

// allColumns lists everything that was measured of every row.
func allColumns(b *lscrf.Bench, times bool) Section {
	s := Section{
		Title: "All columns: " + b.Oracle.Class,
		Text:  []string{"With 95% bootstrap intervals over test images. Accuracies in %, IoU of the figure and boundary F from 0 to 1; \"mean\" is over images, the rest pooled over pixels."},
		Head:  []string{"tiers, model", "terms", "balance", "per class", "per class, mean", "pixel", "IoU", "IoU, mean", "boundary F", "images"},
	}
	if times {
		s.Head = append(s.Head, "train s", "predict ms")
	}
	for _, rows := range [][]lscrf.Row{b.Rows, b.OtherBalances, {b.Oracle}} {
		for _, r := range rows {
			with := func(v metric.Value, ci [2]metric.Value, n int) string { return v.Format(n) + " " + interval(ci, n) }
			name := strings.TrimPrefix(lscrf.Mix(r.Tiers).String()+", "+r.Model, ", ")
			line := []string{name, r.Terms, r.Balance, with(r.PerClassPooled, r.PerClassPooledCI, 1), with(r.PerClassMean, r.PerClassMeanCI, 1),
				with(r.Pixel, r.PixelCI, 1), with(r.IoUPooled, r.IoUPooledCI, 3), with(r.IoUMean, r.IoUMeanCI, 3), with(r.BoundaryF, r.BoundaryFCI, 3), fmt.Sprint(r.Images)}
			if times {
				line = append(line, fmt.Sprintf("%.2f", r.TrainSeconds), fmt.Sprintf("%.2f", r.PredictMS))
			}
			s.Rows = append(s.Rows, line)
		}
	}
	return s
}

// confusions lists how the pixels of each true label were labeled.
func confusions(b *lscrf.Bench) Section {
	s := Section{
		Title: "Confusion: " + b.Oracle.Class,
		Text:  []string{"Of the test pixels of each true label, the percent that got each label."},
		Head:  []string{"tiers, model", "terms", "balance", "ground → ground", "ground → figure", "figure → ground", "figure → figure"},
	}
	for _, rows := range [][]lscrf.Row{b.Rows, b.OtherBalances} {
		for _, r := range rows {
			if len(r.Counts) == 0 || r.Counts[0].Labels != 2 {
				continue
			}
			c := metric.Pool(2, r.Counts)
			line := []string{lscrf.Mix(r.Tiers).String() + ", " + r.Model, r.Terms, r.Balance}
			for t := range 2 {
				for p := range 2 {
					line = append(line, metric.Ratio(c.At(t, p), c.Truth(t)).Scale(100).Format(1))
				}
			}
			s.Rows = append(s.Rows, line)
		}
	}
	return s
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
	return strings.ReplaceAll(key, ",", "+")
}

// differenceTable lists the paired tests.
func differenceTable(list []Difference) Section {
	s := Section{
		Title: "What is better",
		Text: []string{fmt.Sprintf(`Differences of pooled per-class accuracy in points on the same test images: 95%% paired bootstrap interval, and p of a paired
permutation test, corrected for all %d comparisons after Holm. "better" and "worse" stand only where the interval leaves 0 out and the corrected p is below 0.05.`, len(list))},
		Head: []string{"row and question", "difference", "verdict", "95% interval", "p, corrected"},
	}
	for _, d := range list {
		name := d.A + ": " + d.Question
		if several(list) {
			name = d.Class + ": " + name
		}
		s.Rows = append(s.Rows, []string{name, signed(d.Difference, 1), d.Verdict, interval(d.CI, 1), d.PHolm.Format(4)})
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
		Head:  []string{"row", "difference", "verdict", "old", "new", "95% interval", "p, corrected", "images"},
	}
	for _, r := range c.Rows {
		verdict := r.Verdict
		if r.Images == 0 {
			verdict = "not tested: no counts per image"
		}
		s.Rows = append(s.Rows, []string{r.A, signed(r.Difference.Difference, 2), verdict, r.Old.Format(2), r.New.Format(2), interval(r.CI, 2), r.PHolm.Format(4), fmt.Sprint(r.Images)})
	}
	for _, r := range c.Added {
		s.Text = append(s.Text, "Only in the new table: "+r+".")
	}
	for _, r := range c.Removed {
		s.Text = append(s.Text, "Only in the old table: "+r+".")
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

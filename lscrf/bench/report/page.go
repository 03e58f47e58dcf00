package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"hdseg/lscrf/bench"
)

// A Page is the report on one or more tables: everything that HTML and Markdown show.
type Page struct {
	Title       string
	Benches     []*bench.Table
	Differences []Difference
	Changes     *Changes  // against an older table; nil for none
	Studies     []Section // what goes beyond the table
	Pictures    []Picture
	PicturesOf  string // the row whose model predicts them
	// what the pictures are, if they are not those of a table
	PicturesText string
	Facts        []Fact    // how to make it again
	Settings     string    // all settings, as YAML
	Papers       []Section // our rows beside the paper's, see Paper
	Remarks      []string  // what else has to be known to read the table
	Options
}

// A Fact is a line of the reproduction box, or of what is known of a file.
type Fact struct {
	Name  string `json:"name"`  // what the line is about
	Value string `json:"value"` // in words, or a digest
}

// Facts returns facts of names and values in turn.
func Facts(pairs ...string) (out []Fact) {
	for p := range slices.Chunk(pairs, 2) {
		out = append(out, Fact{p[0], p[1]})
	}
	return out
}

// A Section is a table and plots with a heading, and what has to be known to read them.
type Section struct {
	Title string     `json:"title"`
	Text  []string   `json:"text"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"` // one of a single cell is a heading for those below
	Plots []*Plot    `json:"-"`
}

// Class is how the table is set on a narrow screen: "narrow" where the names of the rows are short,
// "tests" where verdicts stand beside them.
func (s Section) Class() string {
	const short = 13
	switch {
	case !slices.ContainsFunc(s.Rows, func(r []string) bool { return len(r) > 1 && len(r[0]) > short }):
		return "narrow"
	case slices.Contains(s.Head, "verdict"):
		return "tests"
	}
	return ""
}

// Parts are the rows by their headings. A wide screen sets them beside each other, but a table with
// many columns stays whole.
func (s Section) Parts() [][][]string {
	if s.Wide() {
		return [][][]string{s.Rows}
	}
	var out [][][]string
	for _, r := range s.Rows {
		if len(r) == 1 || len(out) == 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// Wide tells whether half of a wide screen is too narrow for the table.
func (s Section) Wide() bool {
	const most = 7
	return len(s.Head) > most
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"cell": newCell}).Parse(pageText))

// HTML writes the report as one file that asks the network for nothing: styles, plots (SVG) and
// pictures are in it, and its content policy forbids the rest. Equal pages have equal bytes.
func HTML(w io.Writer, p *Page) error {
	return pageTemplate.Execute(w, view{p})
}

// A view prepares a page for its template.
type view struct{ *Page }

// A tableCell is a cell of a Section on the page: a value with its interval beneath, and how it is
// set.
type tableCell struct{ Value, Interval, Class string }

// newCell takes "79.1 [77.0, 81.2]" apart.
func newCell(s string) tableCell {
	c := tableCell{Value: s}
	value, rest, ok := strings.Cut(s, " [")
	switch {
	case ok && strings.HasSuffix(rest, "]"):
		c.Value, c.Interval = value, "["+rest
	case s == Better || s == Worse:
		c.Class = s
	case s == Unclear:
		c.Class = "words"
	}
	return c
}

// words are what a page explains, each if one of its signs stands on the page.
var words = []struct {
	Fact
	signs []string
}{
	{Fact{"tier", "The kind of annotation that a mask came from. manual: a person drew it. bbox: made from a box. label: made from the " +
		"class alone. external: another program made it. (a), (b) and (c) are mixes of tiers that a model is trained on."},
		[]string{"tier", "manual"}},
	{Fact{"unary, pairwise", "A unary model judges each superpixel (a small region of similar pixels) alone. A pairwise model also " +
		"judges each pair of neighbors."}, []string{"unary", "pairwise"}},
	{Fact{"balance", "paper: figure and ground count alike in training. none: every superpixel counts once."}, []string{"balance"}},
	{Fact{"per-class accuracy", `The share of figure pixels that are right and the share of ground pixels that are right, averaged. ` +
		`"Pooled" counts the pixels of all images together.`}, []string{"er-class", "er class"}},
	{Fact{"IoU", "Intersection over union: pixels that both masks call figure, divided by pixels that one of them does. 1 is perfect."},
		[]string{"IoU"}},
	{Fact{"boundary F", "How well the borders of the masks agree, from 0 to 1."}, []string{"oundary F"}},
	{Fact{"95% interval", "How far a score would move with other test images: in square brackets under the score, or in a column of its " +
		"own. A difference inside its interval is not shown."}, []string{"95%"}},
	{Fact{"p", "How often chance alone gives a difference this large. Below 0.05 it counts as shown."}, []string{"| p |"}},
	{Fact{"the best that superpixels allow", "The best score that any model can reach with these superpixels."},
		[]string{"the best that superpixels allow"}},
}

// Words are those that the page has and a reader may not know.
func (v view) Words() (out []Fact) {
	var page bytes.Buffer
	Markdown(&page, v.Page)
	for _, word := range words {
		if slices.ContainsFunc(word.signs, func(s string) bool { return strings.Contains(page.String(), s) }) {
			out = append(out, word.Fact)
		}
	}
	return out
}

// Blocks are the tables in the layout of the paper's Table 2.
func (v view) Blocks() []block { return blocks(v.Options, v.Benches) }

// Notes says what else belongs to the table: what superpixels allow, and the mixes without images.
func (v view) Notes() []string {
	var out []string
	for _, b := range v.Benches {
		o := b.Oracle
		if best := bestOf(b); best != "" {
			out = append(out, fmt.Sprintf("%s: the best that superpixels allow, each score by itself: %s.", o.Class, best))
		}
		out = append(out, fmt.Sprintf("%s: every superpixel with its true majority label: %s per class %s, IoU %s, boundary F %s; %d "+
			"test images.", o.Class, o.PerClassPooled.Format(1), interval(o.PerClassPooledCI, 1), o.IoUPooled.Format(3),
			o.BoundaryF.Format(3), o.TestImages))
		out = append(out, missing(b)...)
	}
	return append(out, v.Remarks...)
}

// Sections are the tables below the main one, in their order on the page.
func (v view) Sections() []Section {
	var out []Section
	out = append(out, v.Papers...)
	if len(v.Benches) > 0 {
		out = append(out, accuracyPlots(v.Benches), DifferenceTable(v.Differences, v.Benches))
	}
	if v.Changes != nil {
		out = append(out, v.Changes.Section())
	}
	out = append(out, v.Studies...)
	for _, b := range v.Benches {
		out = append(out, allColumns(b, v.Times), confusions(b))
	}
	return out
}

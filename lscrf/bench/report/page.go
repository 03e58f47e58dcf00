package report

import (
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

// A Fact is a line of the reproduction box.
type Fact struct{ Name, Value string }

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

// Blocks are the tables in the layout of the paper's Table 2.
func (v view) Blocks() []block { return blocks(v.Options, v.Benches) }

// Notes says what else belongs to the table: the oracle and the mixes without images.
func (v view) Notes() []string {
	var out []string
	for _, b := range v.Benches {
		o := b.Oracle
		if best := bestOf(b); best != "" {
			out = append(out, fmt.Sprintf("%s: the best that any labeling of the superpixels reaches, each score by itself (oracle): %s.",
				o.Class, best))
		}
		out = append(out, fmt.Sprintf("%s: every superpixel with its true majority label: %s per class %s, IoU %s, boundary F %s; %d "+
			"test images.",
			o.Class, o.PerClassPooled.Format(1), interval(o.PerClassPooledCI,
				1), o.IoUPooled.Format(3), o.BoundaryF.Format(3), o.TestImages))
		out = append(out, missing(b)...)
	}
	return append(out, v.Remarks...)
}

// Sections are the tables below the main one, in their order on the page.
func (v view) Sections() []Section {
	var out []Section
	out = append(out, v.Papers...)
	if len(v.Benches) > 0 {
		out = append(out, accuracyPlots(v.Benches), DifferenceTable(v.Differences))
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

// Package report writes the results table for people and machines: as text, CSV, Markdown and one
// HTML page. block.go has the layout of the paper's Table 2, sections.go the tables below it.
package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hdseg/lscrf/bench"
)

// Options of the tables.
type Options struct {
	Times bool // print training seconds, which differ between equal runs
	Folds int  // of a cross-validation on training images; 0: the scores are of the test split
}

// A printer writes into memory, which takes everything.
type printer struct{ *bytes.Buffer }

func (p printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// Text prints tables side by side for a terminal: a block for each balance, with the mean over
// images and the IoU of the figure beside the pooled per-class accuracy, and below what
// superpixels allow.
func Text(w *bytes.Buffer, o Options, tables ...*bench.Table) {
	p := printer{w}
	scored := slices.DeleteFunc(slices.Clone(tables), func(t *bench.Table) bool { return len(t.Test) == 0 })
	for _, b := range blocks(o, scored) {
		p.block(b, o)
	}
	p.printf("\n")
	for _, t := range tables {
		if !slices.Contains(scored, t) {
			p.printf("%s: no scores: no test picture could be measured.\n", t.Oracle.Class)
			continue
		}
		if best := bestOf(t); best != "" {
			p.printf("%s: the best that superpixels allow, each score by itself: %s\n", t.Oracle.Class, best)
		}
		p.printf("%s: every superpixel with its true majority label: %s per class, IoU %s\n", t.Oracle.Class,
			t.Oracle.PerClassPooled.Format(1), t.Oracle.IoUPooled.Format(3))
	}
	for _, t := range tables {
		for _, line := range missing(t) {
			p.printf("%s\n", line)
		}
	}
}

func (p printer) block(b block, o Options) {
	p.printf("\nPer-class accuracy in %% %s, pooled over pixels (mean over images; figure IoU, pooled), balance: %s\n",
		o.where(), b.Balance)
	p.printf("%-28s", "")
	for _, head := range b.heads() {
		p.printf("  %-26s", head)
	}
	p.printf("\n")
	for _, m := range b.Mixes {
		p.printf("%s\n", m.Title)
		for _, l := range m.Lines {
			p.printf("  %-26s", l.Model)
			for _, c := range l.Cells {
				text := "-"
				if r := c.row; r != nil {
					text = fmt.Sprintf("%s (%s; %s)", c.Score(), r.PerClassMean.Format(1), r.IoUPooled.Format(3))
				}
				p.printf("  %-26s", text)
			}
			p.printf("\n  %-26s", "")
			for _, c := range l.Cells {
				p.printf("  %-26s", c.Under())
			}
			p.printf("\n")
		}
	}
}

// bestOf says what the superpixels of a table allow, "" if it does not tell.
func bestOf(t *bench.Table) string {
	if t.Best == nil || !t.Best.Pixel.OK {
		return ""
	}
	text := t.Best.PerClass.Format(1) + " per class, " + t.Best.Pixel.Format(1) + " of pixels"
	if t.Best.IoU.OK {
		text += ", IoU " + t.Best.IoU.Format(3)
	}
	return text
}

// missing says which mixes of a table have no row, in one line or none.
func missing(t *bench.Table) []string {
	switch {
	case len(t.Missing) == 0:
		return nil
	case len(t.Rows) == 0:
		return []string{t.Oracle.Class + ": no rows: no training images have masks of all tiers of any mix."}
	}
	names := make([]string, len(t.Missing))
	for i, m := range t.Missing {
		names[i] = m.String()
	}
	return []string{fmt.Sprintf("%s: no row for %s: each tier of a mix needs training images with masks, enough for the settings.",
		t.Oracle.Class, strings.Join(names, "; "))}
}

// Sections prints sections for a terminal, without their plots.
func Sections(w *bytes.Buffer, sections []Section) {
	p := printer{w}
	for _, s := range sections {
		p.printf("\n%s\n", s.Title)
		for _, t := range s.Text {
			p.printf("%s\n", strings.ReplaceAll(t, "\n", " "))
		}
		if len(s.Rows) > 0 {
			p.aligned(append([][]string{s.Head}, s.Rows...))
		}
	}
}

// aligned prints rows with columns as wide as their cells; a row of one cell is a heading.
func (p printer) aligned(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			if len(row) > 1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	for _, row := range rows {
		line := ""
		for i, c := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], c)
		}
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
}

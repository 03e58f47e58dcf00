package report

import (
	"bytes"
	"strings"
)

// Markdown writes the tables of a page, without plots and pictures, for a README.
func Markdown(w *bytes.Buffer, p *Page) {
	v := view{p}
	out := printer{w}
	out.printf("# %s\n", cell1(p.Title))
	for _, b := range v.Blocks() {
		out.printf("\n%s\n\n", b.Caption)
		head := append([]string{"tiers", "model"}, b.heads()...)
		var rows [][]string
		for _, m := range b.Mixes {
			for _, l := range m.Lines {
				line := []string{m.Title, l.Model}
				for _, c := range l.Cells {
					line = append(line, strings.TrimSpace(c.Score()+" "+c.Interval()+" "+c.Under()))
				}
				rows = append(rows, line)
			}
		}
		out.pipes(head, rows)
	}
	for _, n := range v.Notes() {
		out.printf("\n%s\n", n)
	}
	for _, s := range v.Sections() {
		if len(s.Rows) == 0 {
			continue
		}
		out.printf("\n## %s\n\n", s.Title)
		for _, t := range s.Text {
			out.printf("%s\n\n", strings.ReplaceAll(t, "\n", " "))
		}
		out.pipes(s.Head, s.Rows)
	}
	out.printf("\n## To make it again\n\n")
	for _, f := range p.Facts {
		out.printf("- %s: `%s`\n", f.Name, strings.ReplaceAll(f.Value, "`", "'"))
	}
}

// pipes prints a table.
func (p printer) pipes(head []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			p.printf("| %s ", cell1(c))
		}
		p.printf("|\n")
	}
	line(head)
	p.printf("|%s\n", strings.Repeat("---|", len(head)))
	for _, r := range rows {
		if len(r) == 1 {
			r = append([]string{"**" + r[0] + "**"}, make([]string, len(head)-1)...)
		}
		line(r)
	}
}

// cell1 keeps a text on one line and inside its cell.
func cell1(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }

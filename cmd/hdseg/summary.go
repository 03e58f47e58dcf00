package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"hdseg/cmd/internal/pipeline"
	"hdseg/manifests"
)

// A summary is what every command reports. A command fills in the one of its app. Its own result
// embeds another, which report sets, so that --json prints one flat object.
type summary struct {
	Command  string         `json:"command"`
	Version  string         `json:"version"`
	Seconds  float64        `json:"seconds"`
	CPU      float64        `json:"cpu_seconds"` // of all cores together; 0 where it is not known
	Read     int            `json:"read"`
	Done     int            `json:"done"`
	Skipped  map[string]int `json:"skipped"` // by reason
	Warnings []string       `json:"warnings"`

	started time.Time
	cpu     time.Duration
	detail  []manifests.Skip
	listed  string // what has a line for every skip, "" for nothing
	silent  bool   // the counts say nothing
}

func newSummary(command string) summary {
	return summary{Command: command, Version: manifests.Version, Skipped: map[string]int{}, Warnings: []string{}, started: time.Now(),
		cpu: pipeline.CPUTime()}
}

// all says that so many things were read, and all of them done.
func (s *summary) all(n int) { s.Read, s.Done = n, n }

// skip counts what a stage left out, with the line that says why.
func (s *summary) skip(list ...manifests.Skip) {
	for _, k := range list {
		s.Skipped[k.Reason]++
	}
	s.detail = append(s.detail, list...)
}

// countDone says how many pictures were used, of those that were read.
func (s *summary) countDone(n int) { s.Read, s.Done = n+len(s.detail), n }

// A reporter is a command's result: a summary and a table for people.
type reporter interface {
	base() *summary
	table(w *bytes.Buffer)
}

func (s *summary) base() *summary { return s }

// maxSkipLines bounds the lines that say which records were skipped, where a list has all.
const maxSkipLines = 20

// report prints a result and ends the command.
func (a *app) report(r reporter) error {
	a.endProgress()
	a.Seconds, a.CPU = time.Since(a.started).Seconds(), (pipeline.CPUTime() - a.cpu).Seconds()
	*r.base() = a.summary
	a.listSkips(a.detail, a.listed)
	a.skips += total(a.Skipped)
	a.reported = true
	if a.json {
		return a.printJSON(r)
	}
	var out bytes.Buffer // which takes everything
	r.table(&out)
	if _, err := (printable{a.stdout}).Write(out.Bytes()); err != nil {
		return err
	}
	if !a.silent {
		fmt.Fprintf(a.stderr, "%s: %s, %.1f s, %.1f s CPU\n", a.Command, counts(a.Read, a.Done, a.Skipped), a.Seconds, a.CPU)
	}
	return nil
}

// listSkips prints what was skipped, and the first alone if there are many and a file lists all.
func (a *app) listSkips(skips []manifests.Skip, listed string) {
	for i, k := range skips {
		if i == maxSkipLines && listed != "" {
			fmt.Fprintf(a.stderr, "... and %d more; %s lists all\n", len(skips)-i, listed)
			break
		}
		fmt.Fprintf(printable{a.stderr}, "skipped: %s: %s: %s\n", k.Record, k.Reason, k.Detail)
	}
}

// counts says what was read, done and skipped. Skips may also be of masks, boxes and rows, and what
// is left aside is no skip: where they are not the difference, both are told.
func counts(read, done int, skipped map[string]int) string {
	skips := total(skipped)
	if read == done+skips {
		return fmt.Sprintf("read %d, done %d, skipped %d%s", read, done, skips, byReason(skipped))
	}
	text := fmt.Sprintf("read %d, done %d", read, done)
	if read > done {
		text += fmt.Sprintf(", left out %d", read-done)
	}
	if skips > 0 {
		text += fmt.Sprintf("; %s of pictures, masks or boxes%s", plural(skips, "skip", "skips"), byReason(skipped))
	}
	return text
}

func total(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// plural counts things: "1 mask", "2 masks".
func plural(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// byReason formats " (2 corrupt_image, 1 missing_mask)".
func byReason(n map[string]int) string {
	if len(n) == 0 {
		return ""
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

type recordCount struct {
	Split  manifests.Split `json:"split"`
	Tier   manifests.Tier  `json:"tier"`
	Images int             `json:"images"`
	Masks  int             `json:"masks"`
	Figure float64         `json:"figure_share"` // mean share of figure, void left out
}

// recordCounts tallies a manifest: a record counts once under each of its tiers.
func recordCounts(m *manifests.Manifest) []recordCount {
	var out []recordCount
	for _, t := range manifests.Tallies(m, false) {
		out = append(out, recordCount{t.Split, t.Tier, t.Images, t.Masks, t.FigureShare.Mean})
	}
	return out
}

func countTable(w io.Writer, records []recordCount) {
	fmt.Fprintf(w, "%-6s %-20s %8s %8s %8s\n", "split", "tier", "images", "masks", "figure")
	for _, c := range records {
		fmt.Fprintf(w, "%-6s %-20s %8d %8d %7.1f%%\n", c.Split, c.Tier, c.Images, c.Masks, 100*c.Figure)
	}
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

// A joinResult is what several tables say together.
type joinResult struct {
	summary
	Tables      []*lscrf.Bench      `json:"tables"`      // one per class
	Differences []report.Difference `json:"differences"` // p is corrected for all of them

	page *report.Page
}

func (r *joinResult) table(w io.Writer) error {
	if err := report.Text(w, r.page.Options, r.Tables...); err != nil {
		return err
	}
	printSections(w, slices.Concat(r.page.Studies, report.DifferenceTables(r.Differences)))
	return nil
}

// joinArgs: files go with --join alone.
func joinArgs(join *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if !*join {
			return noArgs(cmd, args)
		}
		if len(args) == 0 {
			return usagef("%s --join: want the JSON of hdseg bench, one file or more", cmd.CommandPath())
		}
		return nil
	}
}

// benchJoin joins tables that are there: nothing is trained or measured.
func (a *app) benchJoin(cmd *cobra.Command, names []string, files *benchFiles) error {
	for _, f := range []string{"in", "config", "set", "min-quality", "tiers", "model", "terms", "balance", "compare", "weighted", "scenes", "labels", "folds-file", "cross-validate"} {
		if cmd.Flags().Changed(f) {
			return usagef("hdseg bench --join: the tables are there, --%s has no effect on them", f)
		}
	}
	if err := a.outFiles(names, files.outs()...); err != nil {
		return err
	}
	s := newSummary("bench")
	page := &report.Page{Options: report.Options{Times: true}}
	var tables []*lscrf.Bench
	var sources []report.Source
	var papers []report.Beside
	var samples int
	for i, name := range names {
		t, err := readTable(name)
		if err != nil {
			return err
		}
		if i == 0 {
			page.Folds = t.Folds
		}
		if t.Folds != page.Folds {
			return fmt.Errorf("%s: is of %s, %s of %s", name, measuredOn(t.Folds), names[0], measuredOn(page.Folds))
		}
		e, err := configs.Recorded(t.Settings)
		if err != nil {
			return fmt.Errorf("%s: settings: %w", name, err)
		}
		page.Times = page.Times && t.Command == "bench" // a build keeps its times elsewhere
		page.Facts = append(page.Facts, report.Fact{Name: filepath.Base(name), Value: fmt.Sprintf("manifest %s, settings %s, seed %d", t.Made.Manifest, t.Made.Settings, t.Made.Seed) + version(t.Version)},
			report.Fact{Name: "made by", Value: cmp.Or(t.By.Command, "its file does not tell")}, report.Fact{Name: "machine", Value: cmp.Or(t.By.Machine, "its file does not tell")})
		page.Settings += "# " + filepath.Base(name) + "\n" + t.Settings + "\n"
		tables, sources = append(tables, t.Bench), append(sources, report.Source{Name: filepath.Base(name), Settings: t.Settings})
		s.Read += len(t.Rows) + len(t.OtherBalances)
		if samples = max(samples, e.Bench.Samples); t.Settings == "" {
			s.Warnings = append(s.Warnings, name+": does not tell its settings: was made by an earlier version")
			continue
		}
		for _, r := range pipeline.Remarks(e, t.Bench) {
			if !slices.Contains(page.Remarks, r) {
				page.Remarks = append(page.Remarks, r)
			}
		}
		papers = append(papers, pipeline.Beside(e, t.Bench))
	}
	joined, err := report.Join(tables...)
	if err != nil {
		return fmt.Errorf("--join: %w", err)
	}
	var classes []string
	for _, b := range joined {
		classes = append(classes, b.Oracle.Class)
	}
	page.Title, page.Benches = "What annotation is worth: "+strings.Join(classes, ", "), joined
	if p := report.Paper(papers...); p != nil {
		page.Papers = []report.Section{*p}
	}
	if page.Differences, err = report.Differences(cmd.Context(), samples, joined[0].Made.Seed, joined...); err != nil {
		return err
	}
	if section := report.SettingsSection(sources); section != nil {
		page.Studies = []report.Section{*section}
	}
	page.Facts = append([]report.Fact{{Name: "command", Value: commandLine()}, {Name: "version", Value: manifests.Version}}, page.Facts...)
	if err := files.write(page, joined...); err != nil {
		return err
	}
	s.Done = s.Read
	return a.report(&joinResult{s, joined, page.Differences, page})
}

func version(v string) string {
	if v == "" {
		return ""
	}
	return ", version " + v
}

// measuredOn names what a table of so many folds was measured on.
func measuredOn(folds int) string {
	if folds == 0 {
		return "the test split"
	}
	return fmt.Sprintf("a cross-validation in %d parts", folds)
}

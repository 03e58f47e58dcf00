package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

// reportFiles are the reports that a command writes beside its result; "" is none.
type reportFiles struct{ csv, html, markdown string }

func (f *reportFiles) flags(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&f.html, "html", "", "also write the "+what+" to this HTML `file`: tables, plots and pictures in one")
	cmd.Flags().StringVar(&f.markdown, "markdown", "", "also write the tables to this Markdown `file`")
}

// outs are the files, for outFiles.
func (f *reportFiles) outs() []out {
	return []out{{"--csv", f.csv, csvFile}, {"--html", f.html, htmlFile}, {"--markdown", f.markdown, markdownFile}}
}

// write writes the files. They say when and where the command was run: unlike a build's they need
// not have equal bytes.
func (f *reportFiles) write(page *report.Page, tables ...*bench.Table) error {
	for _, o := range []struct {
		name   string
		render func(w *bytes.Buffer) error
	}{
		{f.csv, func(w *bytes.Buffer) error { return report.CSV(w, tables...) }},
		{f.html, func(w *bytes.Buffer) error { return report.HTML(w, page) }},
		{f.markdown, func(w *bytes.Buffer) error { report.Markdown(w, page); return nil }},
	} {
		if o.name == "" {
			continue
		}
		var b bytes.Buffer
		if err := o.render(&b); err != nil {
			return err
		}
		if err := writeFile(o.name, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// A madeBy says how and where a table was measured.
type madeBy struct {
	Command string `json:"command"` // as it can be given to a shell
	Machine string `json:"machine"` // processor, cores and system
}

// machine says where a table was measured.
func (a *app) machine() string {
	return fmt.Sprintf("%s, %s/%s, %d processors, %d workers", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), a.workers)
}

// benchPage makes the report on a table that was just measured. models are those of the rows
// proper, none in cross-validation.
func (a *app) benchPage(ctx context.Context, o *benchOptions, e *configs.Experiment, set *pipeline.Dataset, r *benchResult,
	models []*lscrf.Model) (*report.Page, error) {
	p, err := pipeline.NewPage(ctx, e, set, r.Table.Table, commandLine())
	if err != nil {
		return nil, err
	}
	p.Options, p.Changes = report.Options{Times: true, Folds: r.Folds}, r.Changes
	p.Facts = append(p.Facts, report.Facts("machine", a.machine())...)
	if i := pipeline.Shown(r.Rows); o.files.html != "" && i >= 0 && i < len(models) {
		p.PicturesOf = r.Rows[i].Name()
		p.Pictures, err = pipeline.Pictures(ctx, set, models[i], r.Test, r.Rows[i].Counts)
	}
	return p, err
}

// A tableFile is the JSON of bench, or report/bench.json of a build, which has neither command nor
// version.
type tableFile struct {
	Command string `json:"command"`
	Version string `json:"version"`
	Folds   int    `json:"folds"`
	pipeline.Table
	By     madeBy `json:"made_by"`
	Scenes string `json:"folds_file"`
}

// readTable reads a table of figure and ground.
func readTable(name string) (*tableFile, error) {
	if err := wants(name, "results table"); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var t tableFile
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("%s: want the JSON of hdseg bench or report/bench.json: %w", name, err)
	}
	if t.Scenes != "" {
		return nil, fmt.Errorf("%s: is a table of scenes: want a table of figure and ground", name)
	}
	if t.Table.Table == nil || len(t.Rows) == 0 || t.Oracle.Class == "" {
		return nil, fmt.Errorf("%s: holds no rows, or no row oracle with a class: want the JSON of hdseg bench or report/bench.json", name)
	}
	if err := t.Oracle.Check(); err != nil {
		return nil, fmt.Errorf("%s: oracle row: %w", name, err)
	}
	for i, r := range t.All() {
		err := bench.Options{Tiers: []string{r.Spec().Tiers.Key()}, Models: []string{r.Model}, Terms: []string{r.Terms},
			Balances: []string{r.Balance}, Samples: 1}.Validate()
		if err == nil {
			err = r.Check()
		}
		if err == nil && r.Class != t.Oracle.Class {
			err = fmt.Errorf("class: got %q, the oracle row has %q", r.Class, t.Oracle.Class)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %d (%s): %w", name, i, r.Name(), err)
		}
	}
	return &t, nil
}

// A joinResult is what several tables say together.
type joinResult struct {
	summary
	Tables      []*bench.Table      `json:"tables"`      // one per class
	Differences []report.Difference `json:"differences"` // p is corrected for all of them

	page *report.Page
}

func (r *joinResult) table(w *bytes.Buffer) {
	report.Text(w, r.page.Options, r.Tables...)
	report.Sections(w, append(r.page.Studies, report.DifferenceTable(r.Differences, r.Tables)))
}

// benchJoin joins tables of files: nothing is trained or measured.
func (a *app) benchJoin(cmd *cobra.Command, names []string, o *benchOptions) error {
	for _, f := range []string{"in", "config", "set", "tiers", "model", "terms", "balance", "compare", "scenes", "labels", "folds-file",
		"cross-validate"} {
		if cmd.Flags().Changed(f) {
			return usagef("hdseg bench --join: --%s has no effect, as nothing is trained", f)
		}
	}
	if err := a.outFiles(names, o.files.outs()...); err != nil {
		return err
	}
	page := &report.Page{Options: report.Options{Times: true}, Facts: report.Facts("command", commandLine(), "version", manifests.Version)}
	j := &joining{page: page}
	for i, name := range names {
		t, err := readTable(name)
		if err != nil {
			return err
		}
		if i == 0 {
			page.Folds = t.Folds
		}
		if t.Folds != page.Folds {
			return fmt.Errorf("%s: was measured on %s, %s on %s", name, testedOn(t.Folds), names[0], testedOn(page.Folds))
		}
		if err := j.add(name, t); err != nil {
			return err
		}
		if t.Settings == "" {
			a.warn(name + ": holds no settings, as an earlier version made it")
		}
		a.Read += len(t.All())
	}
	joined, err := report.Join(j.tables...)
	if err != nil {
		return fmt.Errorf("--join: %w", err)
	}
	var classes []string
	for _, b := range joined {
		classes = append(classes, b.Oracle.Class)
	}
	page.Title, page.Benches = "What annotation is worth: "+strings.Join(classes, ", "), joined
	if p := report.Paper(j.papers...); p != nil {
		page.Papers = []report.Section{*p}
	}
	if page.Differences, err = report.Differences(cmd.Context(), j.samples, joined[0].Made.Seed, joined...); err != nil {
		return err
	}
	if len(names) > 1 {
		section, err := settingsSection(names, j.settings)
		if err != nil {
			return err
		}
		page.Studies = []report.Section{section}
	}
	if err := o.files.write(page, joined...); err != nil {
		return err
	}
	a.Done = a.Read
	return a.report(&joinResult{Tables: joined, Differences: page.Differences, page: page})
}

// joining collects what tables and their files say.
type joining struct {
	page     *report.Page
	tables   []*bench.Table
	settings []string // as YAML, "" where a file does not tell them
	papers   []report.Beside
	samples  int // the most of any
}

func (j *joining) add(name string, t *tableFile) error {
	e, err := configs.Recorded(t.Settings)
	if err != nil {
		return fmt.Errorf("%s: settings: %w", name, err)
	}
	base, p := filepath.Base(name), j.page
	p.Times = p.Times && t.Command == "bench" // a build keeps its times elsewhere
	made := fmt.Sprintf("manifest %s, settings %s, seed %d", t.Made.Manifest, t.Made.Settings, t.Made.Seed)
	if t.Version != "" {
		made += ", version " + t.Version
	}
	const untold = "its file does not tell"
	p.Facts = append(p.Facts, report.Facts(base, made, "made by", cmp.Or(t.By.Command, untold), "machine", cmp.Or(t.By.Machine, untold))...)
	p.Settings += "# " + base + "\n" + t.Settings + "\n"
	j.tables, j.settings = append(j.tables, t.Table.Table), append(j.settings, t.Settings)
	if j.samples = max(j.samples, e.Bench.Samples); t.Settings == "" {
		return nil
	}
	for _, r := range pipeline.Remarks(e, t.Table.Table) {
		if !slices.Contains(p.Remarks, r) {
			p.Remarks = append(p.Remarks, r)
		}
	}
	j.papers = append(j.papers, pipeline.Beside(e, t.Table.Table))
	return nil
}

// settingsSection lists the settings in which the files of tables differ, given as YAML. What names
// the data set and its class is left out.
func settingsSection(names, settings []string) (report.Section, error) {
	s := report.Section{Title: "Settings that differ between the joined tables", Head: []string{"setting"}}
	values := map[string][]string{}
	for i, name := range names {
		s.Head = append(s.Head, filepath.Base(name))
		changes, err := configs.Changes("", settings[i])
		if err != nil {
			return s, fmt.Errorf("%s: settings: %w", name, err)
		}
		if settings[i] == "" {
			s.Text = append(s.Text, filepath.Base(name)+" does not tell its settings.")
		}
		for _, c := range changes {
			if values[c.Path] == nil {
				values[c.Path] = slices.Repeat([]string{cmp.Or(c.Default, "-")}, len(names))
			}
			values[c.Path][i] = c.Value
		}
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		row := values[path]
		for i, text := range settings {
			if text == "" {
				row[i] = "-"
			}
		}
		if slices.ContainsFunc(row, func(v string) bool { return v != row[0] }) {
			s.Rows = append(s.Rows, append([]string{path}, row...))
		}
	}
	if len(s.Rows) == 0 {
		s.Text = append(s.Text, "No other.")
	}
	return s, nil
}

// testedOn names what a table of so many folds was measured on.
func testedOn(folds int) string {
	if folds == 0 {
		return "the test split"
	}
	return fmt.Sprintf("a cross-validation in %d parts", folds)
}

// inShort says what a model is: its kind, terms, tiers and balance, and the preset that has its
// features and trees, if one has.
func inShort(m *lscrf.Model) string {
	text := fmt.Sprintf("%s, %s, %s, balance %s", m.Kind, m.Terms, m.Tiers.Plus(), m.Options.Balance)
	for _, p := range configs.Presets() {
		e, err := p.Load("horseseg")
		if err == nil && p.Kind == m.Kind && e.Dense.Sees() == (m.Setup.Feature.Dense != nil) && e.Feature.Set == m.Setup.Feature.Set &&
			(m.Kind == lscrf.Linear || e.Train.Trees == m.Options.Trees) {
			return text + ", preset " + p.Name
		}
	}
	return text
}

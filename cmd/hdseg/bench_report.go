package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

// benchFiles are what bench writes beside its result; "" is none.
type benchFiles struct {
	csv, html, markdown string
	compare             string // an older table to compare with
}

// outs are the files, for outFiles.
func (f *benchFiles) outs() []out {
	return []out{{"--csv", f.csv, csvFile}, {"--html", f.html, htmlFile}, {"--markdown", f.markdown, markdownFile}}
}

// old reads the older table, before anything is computed.
func (f *benchFiles) old() (*lscrf.Bench, error) {
	if f.compare == "" {
		return nil, nil
	}
	t, err := readTable(f.compare)
	if err != nil {
		return nil, err
	}
	return t.Bench, nil
}

// A madeBy says how and where a table was measured.
type madeBy struct {
	Command string `json:"command"` // as it can be given to a shell
	Machine string `json:"machine"`
}

// A tableFile is the JSON of bench, or report/bench.json of a build, which has neither command nor version.
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
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var t tableFile
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("%s: want the JSON of hdseg bench or report/bench.json: %w", name, err)
	}
	if t.Scenes != "" {
		return nil, fmt.Errorf("%s: is a table of scenes: want one of figure and ground", name)
	}
	if t.Bench == nil || len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: holds no rows: want the JSON of hdseg bench or report/bench.json", name)
	}
	for i, r := range slices.Concat(t.Rows, t.OtherBalances) {
		key := lscrf.Mix(r.Tiers).Key()
		o := lscrf.BenchOptions{Tiers: []string{key}, Models: []string{r.Model}, Terms: []string{r.Terms}, Balances: []string{r.Balance}, Samples: 1}
		if err := o.Validate(); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i, err)
		}
	}
	if t.Oracle.Class == "" {
		return nil, fmt.Errorf("%s: holds no oracle row with a class: want the JSON of hdseg bench or report/bench.json", name)
	}
	if err := t.Oracle.Check(); err != nil {
		return nil, fmt.Errorf("%s: oracle row: %w", name, err)
	}
	for i, r := range slices.Concat(t.Rows, t.OtherBalances) {
		err := r.Check()
		if err == nil && r.Class != t.Oracle.Class {
			err = fmt.Errorf("class: got %q, the oracle row has %q", r.Class, t.Oracle.Class)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %d (%s, %s, %s): %w", name, i, lscrf.Mix(r.Tiers).Key(), r.Model, r.Terms, err)
		}
	}
	return &t, nil
}

// write writes the files. A report of a command that was just run says when and where: unlike a build's it need not
// have equal bytes.
func (f *benchFiles) write(page *report.Page, benches ...*lscrf.Bench) error {
	out := map[string]func(*bytes.Buffer) error{
		f.csv:      func(w *bytes.Buffer) error { return report.CSV(w, benches...) },
		f.html:     func(w *bytes.Buffer) error { return report.HTML(w, page) },
		f.markdown: func(w *bytes.Buffer) error { return report.Markdown(w, page) },
	}
	for _, name := range []string{f.csv, f.html, f.markdown} {
		if name == "" {
			continue
		}
		var b bytes.Buffer
		if err := out[name](&b); err != nil {
			return err
		}
		if err := manifests.WriteFile(name, filepath.Dir(name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// machine says where a table was measured.
func (a *app) machine() report.Fact {
	return report.Fact{Name: "machine", Value: fmt.Sprintf("%s, %s/%s, %d processors, %d workers", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), a.workers)}
}

// benchPage makes the report on a table that was just measured. models are those of the rows proper, none in
// cross-validation.
func (a *app) benchPage(ctx context.Context, f *benchFiles, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, digest manifests.Digest, r *benchResult, models []*lscrf.Model) (*report.Page, error) {
	p, err := pipeline.NewPage(ctx, e, m, digest, r.Bench, commandLine())
	if err != nil {
		return nil, err
	}
	p.Options, p.Changes = report.Options{Times: true, Folds: r.Folds}, r.Changes
	p.Facts = append(p.Facts, a.machine())
	if i := pipeline.Shown(r.Rows); f.html != "" && i >= 0 && i < len(models) {
		row := r.Rows[i]
		p.PicturesOf = lscrf.Mix(row.Tiers).String() + ", " + row.Model + ", " + row.Terms
		p.Pictures, err = pipeline.Pictures(ctx, store, m, models[i], r.Test, row.Counts)
	}
	return p, err
}

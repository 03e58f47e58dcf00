package pipeline

import (
	"context"
	"fmt"
	"slices"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

// A Table is what the JSON of a bench holds: the rows, what differs between them beyond noise, and
// all settings as YAML.
type Table struct {
	*bench.Table
	Differences []report.Difference `json:"differences"`
	Settings    string              `json:"settings,omitempty"` // of the experiment, as YAML
}

// BuiltWith returns the settings, as YAML, of the build that made a manifest; "" where there is no
// table of one in its folder.
func BuiltWith(store *manifests.Store, manifest manifests.Digest) string {
	var t struct {
		Made     bench.Made `json:"made_from"`
		Settings string     `json:"settings"`
	}
	if readJSON(store, benchJSON, &t) != nil || t.Made.Manifest != manifest {
		return ""
	}
	return t.Settings
}

// MadeFrom says what a table is made of. truth is that of the images that are measured on.
func MadeFrom(e *configs.Experiment, manifest, truth manifests.Digest) bench.Made {
	return bench.Made{Manifest: manifest, Truth: truth, Setup: configs.Digest(e.Setup()), Train: configs.Digest(e.Train),
		Settings: configs.Digest(e), Seed: e.Seed}
}

// NewPage starts a report with what is needed to make it again. With a table it has the rows and
// the tests of their differences.
func NewPage(ctx context.Context, e *configs.Experiment, set *Dataset, b *bench.Table, command string) (*report.Page, error) {
	p := &report.Page{
		Title:    "What annotation is worth: " + set.Manifest.Dataset,
		Settings: string(configs.YAML(e)),
		Facts: report.Facts("command", command, "manifest", string(set.Digest), "settings", string(configs.Digest(e)),
			"version", manifests.Version, "seed", fmt.Sprint(e.Seed)),
	}
	if b != nil {
		var err error
		if p.Differences, err = report.Differences(ctx, e.Bench.Samples, e.Seed, b); err != nil {
			return nil, err
		}
		p.Benches = []*bench.Table{b}
		p.Remarks = Remarks(e, b)
		if s := report.Paper(Beside(e, b)); s != nil {
			p.Papers = []report.Section{*s}
		}
	}
	return p, nil
}

// Beside is a table of an experiment with what the page says of it beside the paper's.
func Beside(e *configs.Experiment, b *bench.Table) report.Beside {
	return report.Beside{Table: b, Conditions: report.Conditions{Train: e.Train, Setup: e.Setup()}}
}

// Remarks say what the intervals of a table do not know, and what all its rows have in common.
func Remarks(e *configs.Experiment, b *bench.Table) []string {
	var out []string
	has := func(kind string) bool {
		return slices.ContainsFunc(b.All(), func(r bench.Row) bool { return r.Model == kind })
	}
	if has(lscrf.Trees) {
		out = append(out, fmt.Sprintf("Trees were trained once for each row, with one seed (train.trees.seed %d): intervals are over "+
			"test images alone and do not know how much another training would differ.", e.Train.Trees.Seed))
	}
	if has(lscrf.Linear) {
		out = append(out, fmt.Sprintf("Linear models of all mixes have the same penalty (train.lambda %g).", e.Train.Lambda))
	}
	return out
}

// page makes the report of a build. It holds no times, so that equal commands give equal bytes.
func (b *build) page(ctx context.Context, set *Dataset, table *bench.Table) (*report.Page, error) {
	p, err := NewPage(ctx, b.e, set, table, b.MadeBy)
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, report.Facts("machine and times", runPath(b.e.Dataset))...)
	i := Shown(table.Rows)
	if i < 0 {
		return p, nil
	}
	r := table.Rows[i]
	model, err := b.model(r.Spec())
	if err != nil {
		return nil, err
	}
	if p.Pictures, err = Pictures(ctx, set, model, table.Test, r.Counts); err != nil {
		return nil, err
	}
	p.PicturesOf = r.Name()
	return p, nil
}

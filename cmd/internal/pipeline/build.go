// Package pipeline wires the stages into one resumable build.
package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/manifests"
	"hdseg/transfer"
)

// The stages in order. split stands before transfer, so that no training copy of a test picture
// ever is a source, and no work is spent on records that would be removed.
var Stages = []string{"ingest", "split", "transfer", "features", "train", "evaluate", "bench"}

// A Request names what to build from what.
type Request struct {
	Experiment *configs.Experiment
	VOC        []string // devkit folders or tars
	ImageNet   []string // synset tars or folders
	Boxes      []string // box archives or folders
	Test       string   // folder with images/ and masks/
	Out        string   // the store
	Workers    int
	Strict     bool // a training image that is also in the test split is an error
	// run from this stage on even if nothing changed; "" to run only what is needed
	From     string
	Progress func(stage string) func(done, total int)
	// of the models of the stage train; nil sees none
	Loss func(part lscrf.Part, loss float64)
}

// Validate reports what keeps a request from being run, before anything is written.
func (r *Request) Validate() error {
	b := &build{Request: *r, e: r.Experiment}
	in := b.ingestRequest()
	return in.Validate()
}

// A Result is what a build made.
type Result struct {
	Stages   []StageReport
	Manifest string // store path of the final manifest
	Bench    *bench.Table
	Warnings []string
}

// Build runs the stages whose inputs or settings changed. Interrupted at any point, the same
// request continues and ends with the bytes of an undisturbed run.
func Build(ctx context.Context, req Request) (*Result, error) {
	b := &build{Request: req, e: req.Experiment}
	store, err := manifests.OpenStore(req.Out)
	if err != nil {
		return nil, err
	}
	if err := alone(store, b.e.Dataset); err != nil {
		return nil, err
	}
	b.store, b.times = store, readTimes(store, b.e.Dataset)
	b.runner = runner{store: store, times: b.times, progress: req.Progress, force: req.From}
	res := &Result{Manifest: b.e.Dataset + ".yaml"}
	for _, s := range b.stages() {
		rep, err := b.runner.run(ctx, s)
		if err != nil {
			return nil, err
		}
		res.Stages = append(res.Stages, rep)
		res.Warnings = append(res.Warnings, rep.Warnings...)
	}
	if res.Bench, err = b.table(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(res.Stages, func(r StageReport) bool { return !r.UpToDate }) {
		if err := b.times.write(store, b.e.Dataset, req.Workers); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// alone refuses a folder that holds another data set, or a file that a build would overwrite and
// did not write: stages, models and the report have one place each. It reads indexes alone, not the
// parts of a manifest, which may be large.
func alone(store *manifests.Store, dataset string) error {
	files, err := filepath.Glob(filepath.Join(store.Dir(), "*.yaml"))
	if err != nil {
		return err
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".yaml")
		if strings.HasSuffix(name, ".run") {
			continue
		}
		switch _, _, err := manifests.Locate(f); {
		case name == dataset && err != nil && !hasRun(store):
			return fmt.Errorf("build: %s: is not a manifest of this build: move it away or give another -o", f)
		case name != dataset && err == nil:
			return fmt.Errorf("build: %s: the folder holds the data set %s: give %s a folder of its own with -o", store.Dir(),
				name, dataset)
		}
	}
	return nil
}

// hasRun tells whether a build worked in this store before: then a damaged manifest is its own, and
// is made again.
func hasRun(store *manifests.Store) bool {
	_, err := store.Read(memoryPath("ingest"), "")
	return err == nil
}

// A build is one call of Build. What a later stage needs of an earlier one that was up to date is
// read again, once, when it is needed.
type build struct {
	Request
	runner
	e     *configs.Experiment
	store *manifests.Store
	times *runRecord
}

// The names of the manifests that a build writes.
func (b *build) ingested() string { return "stages/ingest" }
func (b *build) split() string    { return "stages/split" }
func (b *build) final() string    { return b.e.Dataset }

func (b *build) stages() []stage {
	return []stage{
		{"ingest", b.ingestKey, b.runIngest, b.ingested()},
		{"split", b.keyOf(b.ingested(), b.Strict), b.runSplit, ""},
		{"transfer", b.keyOf(b.split(), b.e.Transfer), b.runTransfer, b.final()},
		{"features", b.keyOf(b.final(), b.e.Setup()), b.runFeatures, ""},
		{"train", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench.Specs()), b.runTrain, ""},
		{"evaluate", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench.Specs()), b.runEvaluate, ""},
		{"bench", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench, b.e.Seed), b.runBench, ""},
	}
}

// keyOf is the key of a stage that reads a manifest.
func (b *build) keyOf(parent string, options ...any) func() (any, error) {
	return func() (any, error) {
		data, err := b.store.Read(parent+".yaml", "")
		return []any{manifests.Sum(data), options}, err
	}
}

func (b *build) ingestKey() (any, error) {
	var all []fingerprint
	for _, sources := range [][]string{b.VOC, b.ImageNet, b.Boxes, {b.Test}} {
		f, err := fingerprints(sources...)
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
		all = append(all, fingerprint{}) // between kinds of source
	}
	return []any{all, b.e.Class, b.e.Dataset, b.e.Ingest}, nil
}

func (b *build) runIngest(ctx context.Context, progress func(done, total int)) (made, error) {
	req := b.ingestRequest()
	res, err := ingest.Run(ctx, req, b.store, func(_ string, done, total int) { progress(done, total) })
	if err != nil {
		return made{}, err
	}
	m := res.Manifest
	m.Seed = b.e.Seed
	if _, err := manifests.WriteListed(b.store, b.ingested(), m); err != nil {
		return made{}, err
	}
	if err := res.WriteLists(b.store, b.ingested()); err != nil {
		return made{}, err
	}
	return made{
		Read: res.Read, Done: res.Kept, Skips: m.Skipped, Aside: res.Other, Warnings: res.Notices(&req),
		Outputs: []string{b.ingested() + ".yaml"},
	}, nil
}

func (b *build) ingestRequest() ingest.Request {
	return ingest.Request{
		Dataset: b.e.Dataset, Class: b.e.ManifestClass(), VOC: b.VOC, ImageNet: b.ImageNet, Boxes: b.Boxes,
		Test: b.Test, Options: b.e.Ingest, Workers: b.Workers, Version: manifests.Version,
	}
}

func (b *build) runSplit(_ context.Context, _ func(done, total int)) (made, error) {
	m, digest, err := manifests.Read(b.store, b.ingested())
	if err != nil {
		return made{}, err
	}
	out, overlaps, err := ingest.Split(m, b.Strict)
	if err != nil {
		return made{}, err
	}
	out.Parent = digest
	out.Configure(configs.Canonical("split", b.Strict))
	if _, err := manifests.WriteListed(b.store, b.split(), out); err != nil {
		return made{}, err
	}
	var skips []manifests.Skip
	for _, k := range out.Skipped {
		if k.Reason == ingest.InTest {
			skips = append(skips, k)
		}
	}
	return made{Read: len(m.Records), Done: len(m.Records) - len(overlaps), Skips: skips, Outputs: []string{b.split() + ".yaml"}}, nil
}

func (b *build) runTransfer(ctx context.Context, progress func(done, total int)) (made, error) {
	m, digest, err := manifests.Read(b.store, b.split())
	if err != nil {
		return made{}, err
	}
	res, err := transfer.Run(ctx, m, b.store, b.e.Transfer, b.Workers, progress)
	if err != nil {
		return made{}, err
	}
	out := res.Manifest
	out.Parent = digest
	if _, err := manifests.WriteListed(b.store, b.final(), out); err != nil {
		return made{}, err
	}
	// The journal served to resume; its times would make two equal builds differ.
	if err := os.RemoveAll(filepath.Join(b.store.Dir(), ".work", "transfer")); err != nil {
		return made{}, err
	}
	skips := slices.DeleteFunc(slices.Clone(out.Skipped), func(k manifests.Skip) bool { return slices.Contains(m.Skipped, k) })
	done := 0
	for i := range out.Records {
		if len(out.Records[i].Masks) > 0 {
			done++
		}
	}
	return made{Read: len(m.Records), Done: done, Skips: skips, Warnings: res.Warnings, Outputs: []string{b.final() + ".yaml"}}, nil
}

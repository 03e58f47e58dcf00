// Package pipeline wires the stages into one resumable build.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/transfer"
)

// The stages in order. split stands before transfer, so that no training copy of a test picture
// ever is a source, and no work is spent on records that would be removed.
var Stages = []string{"ingest", "split", "transfer", "features", "train", "evaluate", "bench"}

// A Request names what to build from what.
type Request struct {
	Experiment *configs.Experiment
	Sources    ingest.Request // its paths; the rest is as in Experiment
	Out        string         // the store
	Command    string         // the command line, for the run record
	Folder     string         // in which it was typed, if tasks do the build
	MadeBy     string         // the same without where it writes and how it runs, for the report
	Workers    int
	Split      ingest.SplitOptions
	// run from this stage on even if nothing changed; "" to run only what is needed
	From string
	// read all source files to see whether they changed, not only those that the system says were
	// touched
	VerifySources bool
	// told at once what a user should know; it returns what is said at the end
	Warn func(line string)
	// told what a stage did when it ends, or is found to be up to date
	Ended    func(StageReport)
	Progress Phases
	// of the models of the stage train; nil sees none
	Loss func(part lscrf.Part, loss float64)
}

// A Phases is called when a phase of the work begins, with its name. It returns what is called with
// the phase's count.
type Phases = func(phase string) func(done, total int)

// Validate reports what keeps a request from being run, before anything is written.
func (r *Request) Validate() error {
	in := IngestRequest(r.Experiment, r.Sources, r.Workers)
	return in.Validate()
}

// IngestRequest returns the sources with everything else that an ingest needs.
func IngestRequest(e *configs.Experiment, sources ingest.Request, workers int) ingest.Request {
	sources.Dataset, sources.Class, sources.Options = e.Dataset, e.ManifestClass(), e.Ingest
	sources.Restore, sources.Workers, sources.Version = true, workers, manifests.Version
	return sources
}

// A Reader does the work of an ingest: all of it, as ingest.Run, or by joining shards.
type Reader func(context.Context, ingest.Request, *manifests.Store, ingest.Progress) (*ingest.Result, error)

// Ingested names the manifest that Ingest writes, and parted that of the stage split.
const (
	Ingested = "stages/ingest"
	parted   = "stages/split"
)

// Ingest reads sources, writes the manifest and its lists, and returns the name that those begin
// with. With an *ingest.SkipLimitError there is a result too, but no manifest, and the lists have a
// name of their own, so that what an earlier run wrote stays as a whole.
func Ingest(ctx context.Context, req ingest.Request, seed uint64, store *manifests.Store, progress ingest.Progress,
	read Reader) (*ingest.Result, string, error) {
	res, err := read(ctx, req, store, progress)
	var limit *ingest.SkipLimitError
	if err != nil && !errors.As(err, &limit) {
		return nil, "", err
	}
	res.Manifest.Seed = seed
	if limit != nil {
		lists := ingest.Failed(Ingested)
		return res, lists, errors.Join(res.WriteLists(store, lists), err)
	}
	if err := res.WriteLists(store, Ingested); err != nil {
		return nil, "", err
	}
	if _, err := manifests.WriteListed(store, Ingested, res.Manifest); err != nil {
		return nil, "", err
	}
	return res, Ingested, nil
}

// A Result is what a build made.
type Result struct {
	Stages   []StageReport
	Manifest string // store path of the final manifest
	Bench    *bench.Table
	Warnings []string               // of the folder as a whole; stages have their own
	Usable   map[manifests.Tier]int // training images with masks to learn from
	// with VerifySources: how many source files were read, and whether they changed
	Verified string
}

// Build runs the stages whose inputs or settings changed. Interrupted at any point, the same
// request continues and ends with the bytes of an undisturbed run.
func Build(ctx context.Context, req Request) (*Result, error) {
	if err := req.Sources.Readable(); err != nil {
		return nil, err
	}
	if err := Ours(req.Out); err != nil {
		return nil, err
	}
	release, err := manifests.Occupy(req.Out)
	if err != nil {
		return nil, err
	}
	defer release()
	store, err := manifests.OpenStore(req.Out)
	if err != nil {
		return nil, err
	}
	if err := alone(store, req.Experiment.Dataset); err != nil {
		return nil, err
	}
	b := newBuild(req, store)
	res := &Result{Manifest: b.e.Dataset + ".yaml"}
	stages := b.stages()
	for i, s := range stages {
		b.Progress = func(phase string) func(done, total int) {
			return req.Progress(fmt.Sprintf("stage %d of %d: %s", i+1, len(stages), phase))
		}
		rep, err := b.run(ctx, s)
		if err != nil {
			return nil, err
		}
		res.Stages = append(res.Stages, rep)
		req.Ended(rep)
	}
	if res.Bench, err = b.table(); err != nil {
		return nil, err
	}
	for _, name := range manifests.Orphans(store) {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%s.yaml was made from a manifest that this folder has no more, as an earlier "+
			"build wrote it: make it again from %s", name, res.Manifest))
	}
	m, _, err := manifests.Read(store, b.final())
	if err != nil {
		return nil, err
	}
	res.Usable, res.Verified = Masked(m, true), b.verified
	if slices.ContainsFunc(res.Stages, func(r StageReport) bool { return !r.UpToDate }) {
		b.times.Command = req.Command
		b.times.Folder, _ = os.Getwd() // "" only makes advice worse
		if err := b.times.write(store, b.e.Dataset, req.Workers); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// Ours refuses a folder with files that no build or ingest made: pictures of the user would stand
// among those of the data set.
func Ours(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing is there, or making the folder says what is wrong
	}
	for _, e := range entries {
		if slices.Contains([]string{manifests.StagesDir, ".work", ".tmp", manifests.SumsFile}, e.Name()) {
			return nil
		}
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s: holds files that are no data set (%s): name a new or an empty folder", dir, e.Name())
		}
	}
	return nil
}

// alone refuses a folder that holds another data set, or a file that a build would overwrite and
// did not write: stages, models and the report have one place each. What was made from the data
// set, as annotate apply makes it, is no other one. It reads indexes alone, not the parts of a
// manifest, which may be large.
func alone(store *manifests.Store, dataset string) error {
	for _, f := range store.Glob("*.yaml") {
		name := strings.TrimSuffix(f, ".yaml")
		if strings.HasSuffix(name, ".run") {
			continue
		}
		st, err := manifests.StageOf(store, name)
		switch {
		case name == dataset && err != nil && !hasRun(store):
			return fmt.Errorf("build: %s: is not a manifest of this build: move it away or give another -o",
				filepath.Join(store.Dir(), f))
		case name != dataset && err == nil && st.Header.Dataset != dataset:
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
	look  Phases // Progress as it was given
	e     *configs.Experiment
	store *manifests.Store
	times *RunRecord

	forced   bool                        // From was reached
	files    *witness                    // of pictures, masks and features; nil until it is needed
	sums     map[string]manifests.Digest // what SHA256SUMS lists; nil until it is needed
	verified string                      // see Result
}

// newBuild prepares the stages of a build in a store.
func newBuild(req Request, store *manifests.Store) *build {
	return &build{Request: req, look: req.Progress, e: req.Experiment, store: store, times: LastRun(store, req.Experiment.Dataset)}
}

// final names the manifest that a build ends with.
func (b *build) final() string { return b.e.Dataset }

func (b *build) stages() []stage {
	return []stage{
		{"ingest", b.ingestKey, func(ctx context.Context) (made, error) { return b.ingestBy(ctx, ingest.Run) }, Ingested, ""},
		{"split", b.keyOf(Ingested, b.Split.Settings()...), b.runSplit, parted, ""},
		{"transfer", b.signed(b.keyOf(parted, b.e.Transfer)), b.runTransfer, b.final(), ""},
		{"features", b.keyOf(b.final(), b.e.Setup()), b.runFeatures, "", built.dir},
		{"train", b.after("features", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench.Specs())), b.runTrain, "", ""},
		{"evaluate", b.after("train", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench.Specs())), b.runEvaluate, "", ""},
		{"bench", b.after("evaluate", b.keyOf(b.final(), b.e.Setup(), b.e.Train, b.e.Bench, b.e.Seed)), b.runBench, "", ""},
	}
}

// keyOf is the key of a stage that reads a manifest.
func (b *build) keyOf(parent string, options ...any) func(context.Context) (any, error) {
	return func(context.Context) (any, error) {
		data, err := b.store.Read(parent+".yaml", "")
		return []any{manifests.Sum(data), options}, err
	}
}

// signed is the key of a stage that reads the manifest of the stage split, once the arrays of its
// pictures have their digest, which keys of later stages hold too.
func (b *build) signed(key func(context.Context) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		if b.e.Feature.Dense != nil {
			m, _, err := manifests.Read(b.store, parted)
			if err != nil {
				return nil, err
			}
			if err := dense.Sign(ctx, b.e.Feature.Dense, m, b.Workers); err != nil {
				return nil, err
			}
		}
		return key(ctx)
	}
}

// after adds to a key what an earlier stage ran under and made: one manifest leads to other
// features where a picture could not be read.
func (b *build) after(stage string, key func(context.Context) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		m, err := readMemory(b.store, stage)
		if err != nil {
			return nil, err
		}
		own, err := key(ctx)
		return []any{own, m.Key, m.Outputs}, err
	}
}

func (b *build) ingestKey(ctx context.Context) (any, error) {
	sum, err := b.sources(ctx)
	return []any{sum, b.e.Class, b.e.Dataset, b.e.Ingest}, err
}

// IngestProgress tells ingest's stages as phases. Each archive that is unpacked is a phase.
func IngestProgress(phase Phases) ingest.Progress {
	var show func(done, total int)
	of, archive, before, whole := "", 0, 0, 0
	return func(stage string, done, total int) {
		switch stage {
		case "unpack":
			if stage != of || total != whole || done < before {
				archive++
				show = phase(fmt.Sprintf("unpacking archive %d", archive))
			}
			show(done>>10, total>>10)
		case "ingest":
			if stage != of {
				show = phase("reading pictures and masks")
			}
			show(done, total)
		}
		of, before, whole = stage, done, total
	}
}

func (b *build) ingestBy(ctx context.Context, read Reader) (made, error) {
	req := IngestRequest(b.e, b.Sources, b.Workers)
	res, _, err := Ingest(ctx, req, b.e.Seed, b.store, IngestProgress(b.Progress), read)
	if err != nil {
		return made{}, err
	}
	if res.Kept == 0 {
		why := strings.Join(res.Notices(&req), "; ")
		if list := res.Manifest.Skipped; res.Read > 0 && len(list) > 0 {
			why = fmt.Sprintf("of %d the first is skipped for %s: %s", res.Read, list[0].Reason, list[0].Detail)
		}
		return made{}, fmt.Errorf("ingest: the sources give no picture of class %s: %s; %s.skipped.csv has every reason", b.e.Class.Name,
			why, filepath.Join(b.Out, filepath.FromSlash(Ingested)))
	}
	return made{
		Read: res.Read, Done: res.Kept, Skips: res.Manifest.Skipped, Aside: res.Other, Warnings: res.Notices(&req),
		Outputs: []string{Ingested + ".yaml", Ingested + ".skipped.csv", Ingested + ".duplicates.csv", Ingested + ".aside.csv"},
	}, nil
}

func (b *build) runSplit(context.Context) (made, error) {
	m, digest, err := manifests.Read(b.store, Ingested)
	if err != nil {
		return made{}, err
	}
	p, err := ingest.Split(m, b.Split)
	if err != nil {
		return made{}, err
	}
	if p.Held > 0 && b.Sources.Test != "" {
		return made{}, fmt.Errorf("--test %s: none of its pictures has a mask: want masks of the pictures' names in its folder masks",
			b.Sources.Test)
	}
	out := p.Manifest
	out.Parent = digest
	out.Configure(SplitSettings(b.Split))
	if _, err := manifests.WriteListed(b.store, parted, out); err != nil {
		return made{}, err
	}
	var skips []manifests.Skip
	for _, k := range out.Skipped {
		if k.Reason == ingest.InTest {
			skips = append(skips, k)
		}
	}
	got := made{Read: len(m.Records), Done: len(m.Records) - len(p.Overlaps), Skips: skips, Outputs: []string{parted + ".yaml"}}
	if p.Held > 0 {
		got.Warnings = []string{fmt.Sprintf("no source has a test split, so some pictures with masks were held out to measure on "+
			"(testShare): %d; name test pictures with --test, or train on all with --test-share 0", p.Held)}
	}
	return got, nil
}

// SplitSettings returns what the header of a manifest of the split stage has as its config.
func SplitSettings(o ingest.SplitOptions) []byte {
	return configs.Canonical(append([]any{"split"}, o.Settings()...)...)
}

func (b *build) runTransfer(ctx context.Context) (made, error) {
	m, digest, err := manifests.Read(b.store, parted)
	if err != nil {
		return made{}, err
	}
	res, err := transfer.Run(ctx, m, b.store, b.e.Transfer, b.Workers, b.Progress)
	if err != nil {
		return made{}, err
	}
	for _, line := range res.Mended {
		b.Warn(line)
	}
	got, err := b.transferred(len(m.Records), m.Skipped, digest, res.Manifest)
	got.Warnings = res.Warnings
	return got, err
}

// transferred writes the final manifest, which transfer made of that of the stage split, whose
// number of records, skips and digest are given. Its experts are none of the stage's outputs: who
// deletes them makes nothing anew until something is to be learned from.
func (b *build) transferred(read int, skipped []manifests.Skip, digest manifests.Digest, out *manifests.Manifest) (made, error) {
	out.Parent = digest
	if _, err := manifests.WriteListed(b.store, b.final(), out); err != nil {
		return made{}, err
	}
	// The journal served to resume; its times would make two equal builds differ.
	if err := os.RemoveAll(filepath.Join(b.store.Dir(), ".work", "transfer")); err != nil {
		return made{}, err
	}
	done := 0
	for i := range out.Records {
		if len(out.Records[i].Masks) > 0 {
			done++
		}
	}
	return made{Read: read, Done: done, Skips: NewSkips(out.Skipped, skipped), Outputs: []string{b.final() + ".yaml"}}, nil
}

// NewSkips returns what is in now but not in before.
func NewSkips(now, before []manifests.Skip) []manifests.Skip {
	old := map[manifests.Skip]bool{}
	for _, k := range before {
		old[k] = true
	}
	var out []manifests.Skip
	for _, k := range now {
		if !old[k] {
			out = append(out, k)
		}
	}
	return out
}

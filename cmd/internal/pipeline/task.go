package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/transfer"
)

// A Task is a step of a build that is done by several processes, each of which has the folder of
// the data set, or a part of it. The steps come one after the other; the shards of one may run at
// the same time. What they make together has the bytes of Build.
type Task struct {
	Name  string
	Does  string // in the user's words
	Array bool   // it has shards
	// what it reads beside pictures and masks: beginnings of paths
	Needs []string
	run   func(*taskRun, context.Context) (made, error)
}

// The folders in which tasks keep what other tasks need. All but the experts go with the last task.
const (
	partsDir   = ".work/parts/"    // manifests of shards
	shardsDir  = ".work/shards/"   // features of shards
	journalDir = ".work/transfer/" // of transfer
	modelsDir  = ".work/models/"
	expertsDir = transfer.ExpertsDir + "/"
	boxedPart  = partsDir + "boxed" // the manifest with all masks of the tier bbox
)

// Passing are the beginnings of the paths of what no data set needs any more that is done.
var Passing = []string{partsDir, shardsDir, journalDir, modelsDir}

// Tasks are the steps of a build of a data set, in order.
func Tasks(dataset string) []Task {
	set := []string{dataset + ".yaml", dataset + ".d/", dataset + ".run.yaml", manifests.SumsFile}
	split := []string{parted + ".yaml", parted + ".d/", manifests.SumsFile}
	features := slices.Concat(set, []string{"vocabulary/"})
	models := slices.Concat(features, []string{built.dir + "/", modelsDir})
	round := func(tier manifests.Tier, learn bool) func(*taskRun, context.Context) (made, error) {
		return func(t *taskRun, ctx context.Context) (made, error) { return t.transfer(ctx, tier, learn) }
	}
	return []Task{
		{"ingest", "read pictures and masks", true, nil, (*taskRun).ingest},
		{"split", "write the manifest, remove test pictures from training", false, []string{partsDir + "ingest/"}, (*taskRun).split},
		{"learn-bbox", "learn the models of masks in boxes", false, slices.Concat(split, []string{expertsDir, journalDir}),
			round(manifests.BBox, true)},
		{"bbox", "make masks in boxes", true, slices.Concat(split, []string{expertsDir}), round(manifests.BBox, false)},
		{"learn-label", "join them, learn the models of masks without boxes", false,
			slices.Concat(split, []string{partsDir + "bbox/", expertsDir, journalDir}), round(manifests.Label, true)},
		{"label", "make masks without boxes", true, []string{boxedPart, expertsDir}, round(manifests.Label, false)},
		{"masks", "join them, write the manifest", false,
			slices.Concat(set, split, []string{"stages/", boxedPart, partsDir + "label/", expertsDir}), (*taskRun).masks},
		{"features", "describe superpixels", true, features, (*taskRun).features},
		{"join", "join the features", false, slices.Concat(features, []string{shardsDir}), (*taskRun).join},
		{"train", "train models", true, models, (*taskRun).train},
		{"table", "train the rest, measure on test pictures, write the report", false,
			slices.Concat(models, []string{"stages/", ".work/ingest.yaml", ".work/features.yaml"}), (*taskRun).table},
	}
}

// Of returns the number of shards of a task in a build of n.
func (t Task) Of(n int) int {
	if t.Array {
		return n
	}
	return 1
}

// A Worker runs tasks in a store.
type Worker struct {
	Request                  // its Out is not used
	Store   *manifests.Store // the whole folder, or what the task needs of it
	Run     manifests.Digest // the plan
	Shards  int              // of every task that has any
}

// Do runs a task, or one of its shards. It ends at once if it was done before and what it made is
// there, or the whole build is done. With a *RedoError other shards have to be run again first.
func (w *Worker) Do(ctx context.Context, task Task, shard Shard) (TaskReport, error) {
	t := &taskRun{build: newBuild(w.Request, w.Store), w: w, shard: shard}
	if r, err := ReadReport(w.Store, task.Name, shard.I, shard.Of, false); err == nil && r.Run == w.Run {
		last, err := ReadReport(w.Store, "table", 0, 1, false)
		if err == nil && last.Run == w.Run || t.held(r) == nil {
			return r, nil
		}
	}
	started := time.Now()
	got, err := task.run(t, ctx)
	sources := task.Name == "ingest" || task.Name == "split" // these skip what cannot be read there
	if err == nil && !sources {
		err = whole(got.Skips)
	}
	var outputs map[string]manifests.Digest
	if err == nil {
		outputs, err = t.digests(got.Outputs)
	}
	if err == nil {
		err = w.Store.Flush()
	}
	host, _ := os.Hostname()
	r := TaskReport{Run: w.Run, Task: task.Name, Shard: shard.I, Of: shard.Of, Host: host, Ended: time.Now().UTC().Format(time.RFC3339),
		Seconds: time.Since(started).Seconds(), Read: got.Read, Done: got.Done, Skips: got.Skips, Warnings: got.Warnings,
		Outputs: outputs}
	return r, err
}

// whole returns an error if a picture, mask or array that a record needs could not be read: who
// waits has to mend it and run again, else a data set or model would depend on a disk or server
// that failed for a moment.
func whole(skips []manifests.Skip) error {
	k, found := firstDamaged(skips, dense.Skip)
	if !found {
		return nil
	}
	return fmt.Errorf("what a record needs cannot be read: %s: %s: put it back or mend it, then run this again", k.Record, k.Detail)
}

// held compares what a task made, but for what is not read here, with its report.
func (t *taskRun) held(r TaskReport) error {
	for p, want := range r.Outputs {
		got, err := t.digest(p)
		if err == nil && got != want {
			err = errors.New("is not what the task wrote")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// A RedoError tells that what shards of other tasks made is missing or damaged: without their
// reports, whose paths are given, they are run again.
type RedoError struct {
	Reports []string
	Err     error
}

func (e *RedoError) Error() string {
	return e.Err.Error() + ": run it again, or the same hdseg build --runner, which runs what is left"
}

func (e *RedoError) Unwrap() error { return e.Err }

// redo returns a RedoError about one shard, or about a task that has not run at all.
func redo(task string, i, of int, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("it has to run first, or again: %w", err)
	}
	return &RedoError{[]string{ReportPath(task, i, of, false)}, fmt.Errorf("task %s, shard %d of %d: %w", task, i, of, err)}
}

// from reads a manifest that another task wrote.
func (t *taskRun) from(name, by string) (*Dataset, error) {
	set, err := t.dataset(name)
	if err != nil {
		err = redo(by, 0, 1, err)
	}
	return set, err
}

// A taskRun is one task at work.
type taskRun struct {
	*build
	w     *Worker
	shard Shard
	parts []TaskReport // of the tasks whose results it joins
}

// joined reads the reports of all shards of a task: one that is missing, or of another plan, is an
// error.
func (t *taskRun) joined(task string) (reports []TaskReport, err error) {
	all := Tasks(t.e.Dataset)
	of := all[slices.IndexFunc(all, func(k Task) bool { return k.Name == task })].Of(t.w.Shards)
	for i := range of {
		r, err := ReadReport(t.store, task, i, of, false)
		if err == nil && r.Run != t.w.Run {
			err = errors.New("it is of another plan")
		}
		if err == nil {
			if err = t.held(r); errors.Is(err, fs.ErrNotExist) {
				err = nil // it is not read here, or who reads it says so
			}
		}
		if err != nil {
			return nil, redo(task, i, of, err)
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// stage runs a stage of the build with what other tasks made of it, and counts their time as its.
func (t *taskRun) stage(ctx context.Context, name string, run func(context.Context) (made, error), tasks ...string) (made, error) {
	for _, task := range tasks {
		reports, err := t.joined(task)
		if err != nil {
			return made{}, err
		}
		t.parts = append(t.parts, reports...)
	}
	all := t.stages()
	s := all[slices.IndexFunc(all, func(s stage) bool { return s.name == name })]
	if run != nil {
		s.run = run
	}
	r, err := t.run(ctx, s)
	for _, p := range t.parts {
		t.times.Stages[name] += p.Seconds
	}
	t.parts = nil
	if err == nil {
		err = t.times.write(t.store, t.e.Dataset, t.Workers)
	}
	return made{Read: r.Read, Done: r.Done, Skips: r.Skips, Warnings: r.Warnings}, err
}

func partPath(task string, i, of int) string {
	return fmt.Sprintf("%s%s/%d-of-%d", partsDir, task, i, of)
}

func (t *taskRun) ingest(ctx context.Context) (made, error) {
	req := IngestRequest(t.e, t.Sources, t.Workers)
	var out bytes.Buffer
	n, err := ingest.RunShard(ctx, req, t.store, IngestProgress(t.Progress), t.shard.I, t.shard.Of, &out)
	if err == nil {
		err = t.store.Replace(partPath("ingest", t.shard.I, t.shard.Of), out.Bytes())
	}
	return made{Read: n, Done: n, Outputs: []string{partPath("ingest", t.shard.I, t.shard.Of)}}, err
}

// lean holds memory down, for some processor time, until the function that it returns is called:
// who joins shards has the manifest of all records, at times two of them.
func lean() (end func()) {
	was := debug.SetGCPercent(40)
	return func() { debug.SetGCPercent(was) }
}

func (t *taskRun) split(ctx context.Context) (made, error) {
	defer lean()()
	join := func(ctx context.Context, req ingest.Request, s *manifests.Store, progress ingest.Progress) (*ingest.Result, error) {
		var shards []io.Reader
		for i := range t.w.Shards {
			data, err := s.Read(partPath("ingest", i, t.w.Shards), "")
			if err != nil {
				return nil, redo("ingest", i, t.w.Shards, err)
			}
			shards = append(shards, bytes.NewReader(data))
		}
		res, err := ingest.Join(ctx, req, s, progress, shards)
		if errors.Is(err, ingest.ErrShards) {
			all := &RedoError{Err: err}
			for i := range t.w.Shards {
				all.Reports = append(all.Reports, ReportPath("ingest", i, t.w.Shards, false))
			}
			err = all
		}
		return res, err
	}
	first, err := t.stage(ctx, "ingest", func(ctx context.Context) (made, error) { return t.ingestBy(ctx, join) }, "ingest")
	if err != nil {
		return first, err
	}
	got, err := t.stage(ctx, "split", nil)
	got.Skips, got.Warnings = slices.Concat(first.Skips, got.Skips), slices.Concat(first.Warnings, got.Warnings)
	return got, err
}

// transfer does a shard of a round, or only learns its models: those of the tier label when the
// masks of the tier bbox are joined.
func (t *taskRun) transfer(ctx context.Context, round manifests.Tier, learn bool) (made, error) {
	from, by := parted, "split"
	if round == manifests.Label {
		from, by = boxedPart, "learn-label"
	}
	if round == manifests.Label && learn {
		if err := t.boxed(); err != nil {
			return made{}, err
		}
	}
	set, err := t.from(from, by)
	if err != nil {
		return made{}, err
	}
	part := transfer.Part{Round: round, Index: t.shard.I, Count: t.shard.Of, LearnOnly: learn}
	res, err := transfer.RunPart(ctx, set.Manifest, t.store, t.e.Transfer, part, t.Workers, t.Progress)
	if err != nil {
		return made{}, err
	}
	for _, line := range res.Mended {
		t.Warn(line)
	}
	out := res.Manifest
	got := made{Read: len(out.Records), Done: len(res.CPUms), Skips: NewSkips(out.Skipped, set.Manifest.Skipped), Warnings: res.Warnings}
	if learn {
		got.Read, got.Outputs = 0, res.Experts
		return got, nil
	}
	if out.Parent = set.Digest; round == manifests.Label {
		out.Parent = set.Manifest.Parent
	}
	name := partPath(string(round), t.shard.I, t.shard.Of)
	got.Outputs = []string{name + ".yaml"}
	_, err = manifests.Write(t.store, name, out)
	return got, err
}

// joinRound returns the manifest that the shards of a round, which have ended, make together of a
// manifest.
func (t *taskRun) joinRound(m *manifests.Manifest, round manifests.Tier) (*manifests.Manifest, error) {
	of := t.w.Shards
	return transfer.Merge(m, round, of, func(i int) (transfer.Shard, error) {
		name := partPath(string(round), i, of)
		s, _, err := manifests.Read(t.store, name)
		if err != nil {
			err = redo(string(round), i, of, err)
		}
		return transfer.Shard{Name: name + ".yaml", Manifest: s}, err
	})
}

// boxed writes the manifest that the label tier learns from.
func (t *taskRun) boxed() error {
	defer lean()()
	if _, err := t.joined("bbox"); err != nil {
		return err
	}
	set, err := t.from(parted, "split")
	if err != nil {
		return err
	}
	out, err := t.joinRound(set.Manifest, manifests.BBox)
	if err == nil {
		_, err = manifests.Write(t.store, boxedPart, out)
	}
	return err
}

// masks writes the final manifest, and learns the vocabulary of features if there is one.
func (t *taskRun) masks(ctx context.Context) (made, error) {
	defer lean()()
	got, err := t.stage(ctx, "transfer", func(context.Context) (made, error) {
		split, err := t.from(parted, "split")
		if err != nil {
			return made{}, err
		}
		// the rest is large
		before, skips, digest := len(split.Manifest.Records), split.Manifest.Skipped, split.Digest
		boxed, err := t.from(boxedPart, "learn-label")
		if err != nil {
			return made{}, err
		}
		out, err := t.joinRound(boxed.Manifest, manifests.Label)
		if err != nil {
			return made{}, err
		}
		got, err := t.transferred(before, skips, digest, out)
		for _, p := range t.parts {
			got.Warnings = append(got.Warnings, p.Warnings...)
		}
		got.Warnings = slices.Compact(got.Warnings)
		return got, err
	}, "learn-bbox", "bbox", "learn-label", "label")
	if err != nil || !t.e.Feature.NeedsVocabulary() {
		return got, err
	}
	set, err := t.dataset(t.final())
	if err != nil {
		return got, err
	}
	_, err = built.learn(ctx, t.e, set, t.Workers, t.Progress)
	return got, err
}

// train makes every Of-th of the models that take long; the last task reads them.
func (t *taskRun) train(ctx context.Context) (made, error) {
	set, err := t.from(t.final(), "masks")
	if err != nil {
		return made{}, err
	}
	var own []lscrf.Spec
	n := 0
	for _, s := range t.specs(set.Manifest) {
		if t.e.Train.Sums(s) {
			continue
		}
		if n%t.shard.Of == t.shard.I {
			own = append(own, s)
		}
		n++
	}
	if len(own) == 0 {
		return made{}, nil
	}
	f, err := OpenFeatures(t.e, set)
	if err != nil {
		return made{}, redo("join", 0, 1, err)
	}
	defer f.Close()
	trainer := NewTrainer(t.e, f, set, t.Workers)
	got := made{Read: trainer.Source.Len()}
	trainer.Kept = StoreKept(t.store, func(line string) { got.Warnings = append(got.Warnings, line) })
	trainer.Loss = t.Loss
	// what is left out the last task says
	_, err = bench.Train(ctx, trainer, own, ModelProgress(t.Progress, len(own)), func(lscrf.Spec, *lscrf.Trained) error {
		got.Done++
		return nil
	})
	return got, err
}

// table does what is left of a build.
func (t *taskRun) table(ctx context.Context) (got made, err error) {
	t.times.Command, t.times.Folder = t.Command, t.Folder
	joins := []string{"train"} // by the stage of this name
	for _, name := range []string{"train", "evaluate", "bench"} {
		one, err := t.stage(ctx, name, nil, joins...)
		joins = nil
		if err != nil {
			return got, err
		}
		got.Read, got.Done = one.Read, one.Done
		got.Skips, got.Warnings = append(got.Skips, one.Skips...), append(got.Warnings, one.Warnings...)
	}
	for _, dir := range Passing {
		if err := os.RemoveAll(filepath.Join(t.store.Dir(), filepath.FromSlash(dir))); err != nil {
			return got, err
		}
	}
	return got, nil
}

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hdseg/cmd/internal/pipeline"
	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/transfer"
)

// A Place is where a build lies: a folder that all machines see, or a bucket.
type Place struct {
	Dir    string         // of a folder
	Bucket *remote.Bucket // of s3://...
}

// mostKept is how many bytes of pictures and masks a machine keeps that it fetched from buckets.
const mostKept = 20 << 30

// A desk is a store to work in: the place itself, or a folder with what was fetched of a bucket.
type desk struct {
	*manifests.Store
	x     *remote.Exchange // nil for a folder
	close func()
}

// open returns the store of a place. What it needs of a bucket is fetched. It makes no folder of a
// place.
func (p Place) open(ctx context.Context, needs ...string) (*desk, error) {
	if p.Bucket == nil {
		open := manifests.OpenStore
		if _, err := os.Stat(p.Dir); errors.Is(err, fs.ErrNotExist) {
			open = manifests.ViewStore
		}
		s, err := open(p.Dir)
		return &desk{s, nil, func() {}}, err
	}
	const prefix = "hdseg-task-"
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range left { // of tasks that were killed
		_ = manifests.Discard(dir)
	}
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	release, err := manifests.Occupy(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	kept := cmp.Or(os.Getenv("HDSEG_CACHE"), filepath.Join(os.TempDir(), fmt.Sprintf("hdseg-cache-%d", os.Getuid())))
	d := &desk{close: func() { os.RemoveAll(dir); release() }}
	if d.Store, err = manifests.OpenStore(dir); err == nil {
		d.x, err = remote.NewExchange(ctx, p.Bucket, d.Store, kept, mostKept)
	}
	if err == nil {
		err = d.fetch(ctx, needs...)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *desk) fetch(ctx context.Context, needs ...string) error {
	if d.x == nil {
		return nil
	}
	return d.x.Fetch(ctx, needs...)
}

// entries holds one small file for each image that transfer has finished. They are sent as one.
const entries = ".work/transfer/image/"

func (d *desk) send(ctx context.Context) error {
	if d.x == nil {
		return nil
	}
	return d.x.Send(ctx, func(p string) bool { return p == planFile || strings.HasPrefix(p, entries) })
}

// Init puts a plan into a place.
func (p Place) Init(ctx context.Context, plan *Plan) error {
	if p.Bucket == nil {
		if err := cmp.Or(pipeline.Ours(p.Dir), os.MkdirAll(p.Dir, 0o777)); err != nil {
			return err
		}
	}
	d, err := p.open(ctx, planFile)
	if err != nil {
		return err
	}
	defer d.close()
	if err := plan.Save(d.Store); err != nil || d.x == nil {
		return err
	}
	return d.x.Send(ctx, func(p string) bool { return p != planFile })
}

// planned opens a place with the plan that lies there.
func (p Place) planned(ctx context.Context, needs ...string) (*desk, *Plan, error) {
	d, err := p.open(ctx, append(needs, planFile)...)
	if err != nil {
		return nil, nil, err
	}
	plan, err := readPlan(d.Store)
	if err != nil {
		d.close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no build is planned there: hdseg build --runner plans one", p)
	}
	return d, plan, err
}

// String names the place as the user does.
func (p Place) String() string {
	if p.Bucket != nil {
		return strings.TrimSuffix(p.Bucket.String(), "/")
	}
	return p.Dir
}

// How a task is run.
type How struct {
	Workers  int
	Warn     func(line string)
	Progress func(phase string) func(done, total int)
	Log      string // where its output goes, "" if it is not known
}

// every is how often what a task has made is sent to a bucket meanwhile: so much is lost at most if
// its machine dies.
const every = 20 * time.Second

// Run does one task, or one of its shards, of the plan that lies there. What it made, and a report,
// lie there when it returns; so does what it had made when it failed or was stopped.
func (p Place) Run(ctx context.Context, task string, shard pipeline.Shard, how How) (pipeline.TaskReport, error) {
	var none pipeline.TaskReport
	d, plan, err := p.planned(ctx)
	if err != nil {
		return none, err
	}
	defer d.close()
	t, err := plan.find(task)
	if err != nil {
		return none, err
	}
	switch of := plan.Of(t); {
	case plan.Version != manifests.Version || plan.Revision != manifests.Revision():
		return none, fmt.Errorf("%s: was planned by hdseg %s %s, and this is %s %s: tasks of different programs are not joined", p, plan.Version,
			plan.Revision, manifests.Version, manifests.Revision())
	case !t.Array:
		shard = pipeline.Shard{I: 0, Of: 1}
	case shard.Of == 0:
		return none, fmt.Errorf("task %s: has %d shards: want --shard i/%d, or HDSEG_SHARD or the number of an array job in the "+
			"environment", task, of, of)
	case shard.Of != of:
		return none, fmt.Errorf("task %s: got %d shards, but the build is planned with %d", task, shard.Of, of)
	}
	return p.run(ctx, d, plan, t, shard, how)
}

func (p Place) run(ctx context.Context, d *desk, plan *Plan, t pipeline.Task, shard pipeline.Shard, how How) (r pipeline.TaskReport,
	err error) {
	own := fmt.Sprintf("%s%s/%d-of-%d", pipeline.ReportDir, t.Name, shard.I, shard.Of)
	reports := []string{pipeline.ReportDir}
	if t.Array { // its own, and that of the end
		reports = []string{own, pipeline.ReportPath("table", 0, 1, false)}
	}
	if err := d.fetch(ctx, append(reports, t.Needs...)...); err != nil {
		return r, err
	}
	// is what it made before still there?
	if was, err := pipeline.ReadReport(d.Store, t.Name, shard.I, shard.Of, false); err == nil {
		if err := d.fetch(ctx, slices.Collect(maps.Keys(was.Outputs))...); err != nil {
			return r, err
		}
	}
	j := journal{d, own + ".journal"}
	if err := j.open(); err != nil {
		return r, err
	}
	req, err := plan.request()
	if err != nil {
		return r, err
	}
	req.Workers, req.Warn, req.Progress = how.Workers, how.Warn, how.Progress
	if d.x != nil {
		req.Workers++ // one waits for the bucket while the others work
	}
	w := &pipeline.Worker{Request: req, Store: d.Store, Run: plan.Digest(), Shards: plan.Shards}
	stop := j.keep(ctx, how.Warn)
	r, err = w.Do(ctx, t, shard)
	stop()
	if r.Workers == 0 { // it was not done before
		r.Workers, r.CPU = how.Workers, pipeline.CPUTime().Seconds()
	}
	return r, p.end(ctx, d, j, t, r, err, how)
}

// forget removes the reports of shards that have to be done again, if an error tells so.
func (p Place) forget(ctx context.Context, d *desk, failed error) error {
	var e *pipeline.RedoError
	if !errors.As(failed, &e) {
		return nil
	}
	for _, report := range e.Reports {
		if err := os.Remove(filepath.Join(d.Dir(), filepath.FromSlash(report))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if d.x == nil {
		return nil
	}
	return d.x.Remove(ctx, e.Reports...)
}

// end sends what a task made, and then its report.
func (p Place) end(ctx context.Context, d *desk, j journal, t pipeline.Task, r pipeline.TaskReport, failed error, how How) error {
	var err error
	if failed != nil {
		var cancel func()
		// it may have been stopped
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), every)
		defer cancel()
		r.Error, r.Log = failed.Error(), how.Log
		err = errors.Join(p.forget(ctx, d, failed), j.pack())
	}
	if err == nil {
		err = d.send(ctx)
	}
	if err == nil && d.x != nil {
		err = d.x.Prune(ctx, transfer.ExpertsDir+"/")
	}
	if err == nil {
		err = r.Write(d.Store)
	}
	if err == nil {
		err = d.send(ctx)
	}
	if err != nil || failed != nil || d.x == nil {
		return errors.Join(failed, err)
	}
	if t.Name != "table" { // the last one
		return d.x.Remove(ctx, pipeline.ReportPath(t.Name, r.Shard, r.Of, true), j.path)
	}
	return d.x.Remove(ctx, pipeline.Passing...)
}

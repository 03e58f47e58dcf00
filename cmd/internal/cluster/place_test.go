package cluster

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hdseg/cmd/internal/demo"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/remote/s3test"
)

// try ends a test at an error.
func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drawn is a small world, with linear models and trees to train.
func drawn(t *testing.T) pipeline.Request {
	t.Helper()
	o := demo.Defaults()
	o.Manual, o.Others, o.Boxes, o.Labels, o.Tests, o.LongPx, o.Faults = 10, 2, 8, 6, 5, 160, true
	w, err := demo.Draw(filepath.Join(t.TempDir(), "sources"), o, func(int, int) {})
	try(t, err)
	e, err := configs.Load("horseseg", "bench.models=[linear, trees]", "train.trees.trees=4", "bench.samples=50")
	try(t, err)
	return pipeline.Request{
		Experiment: e, Sources: ingest.Request{VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar}, Test: w.TestDir},
		Workers: 2, Warn: func(string) {}, Ended: func(pipeline.StageReport) {},
		Progress: func(string) func(int, int) { return func(int, int) {} }, MadeBy: "hdseg build -o OUT",
	}
}

func how(t *testing.T) How {
	return How{Workers: 1, Warn: func(line string) { t.Log(line) }, Progress: func(string) func(int, int) { return func(int, int) {} }, Log: "a log"}
}

// bucketAt is the place of a build on a server, with a cache of its own.
func bucketAt(t *testing.T, url string) *remote.Bucket {
	t.Helper()
	t.Setenv("HDSEG_CACHE", t.TempDir())
	o := remote.Defaults()
	o.Endpoint = url
	b, err := remote.Open(t.Context(), "s3://"+s3test.Bucket+"/run", o)
	try(t, err)
	return b
}

// The tasks of a plan, in shards of any order, make in a folder and in a bucket what one build makes, byte for byte; a shard that is stopped goes on,
// one that fails is told until it succeeds, and nothing of other plans is joined.
func TestPlaces(t *testing.T) {
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("SKIPPED: takes long; set HDSEG_LONG=1")
	}
	req := drawn(t)
	req.Out = filepath.Join(t.TempDir(), "plain")
	if _, err := pipeline.Build(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	srv := s3test.Start(t)
	b := bucketAt(t, srv.URL)
	folder := filepath.Join(t.TempDir(), "store")
	for name, c := range map[string]struct {
		place Place
		dir   string
	}{"folder": {Place{Dir: folder}, folder}, "bucket": {Place{Bucket: b}, filepath.Join(srv.Root, s3test.Bucket, "run")}} {
		t.Run(name, func(t *testing.T) { inTasks(t, req, c.place, c.dir) })
	}
	// A build in the folder finds all up to date.
	req.Out = folder
	req.Ended = func(r pipeline.StageReport) {
		if !r.UpToDate {
			t.Errorf("%s runs again", r.Name)
		}
	}
	if _, err := pipeline.Build(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

func inTasks(t *testing.T, req pipeline.Request, place Place, dir string) {
	const shards = 3
	p, err := NewPlan(req, shards)
	try(t, err)
	if _, err := place.Run(t.Context(), "ingest", pipeline.Shard{I: 0, Of: shards}, how(t)); err == nil || !strings.Contains(err.Error(), "no build is planned there") {
		t.Errorf("without a plan: %v", err)
	}
	try(t, place.Init(t.Context(), p))
	other, err := NewPlan(req, shards+1)
	try(t, err)
	if err := place.Init(t.Context(), other); err == nil || !strings.Contains(err.Error(), "a build with other --shards (3)") {
		t.Errorf("another plan: %v", err)
	}
	for task, want := range map[string]string{"bbx": "did you mean bbox?", "bbox": "has 3 shards: want --shard i/3"} {
		if _, err := place.Run(t.Context(), task, pipeline.Shard{}, how(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", task, err, want)
		}
	}
	for task, first := range map[string]string{"split": "ingest", "bbox": "split", "label": "learn-label", "masks": "learn-bbox", "features": "masks", "join": "features",
		"train": "masks", "table": "train"} { // in the wrong order
		if _, err := place.Run(t.Context(), task, pipeline.Shard{Of: shards}, how(t)); err == nil || !strings.Contains(err.Error(), "task "+first+", shard 0 of ") ||
			!strings.Contains(err.Error(), "it has to run first") {
			t.Errorf("%s before %s: %v", task, first, err)
		}
	}
	for _, k := range p.Tasks() {
		of := p.Of(k)
		damage(t, place, k.Name, dir, p)
		if k.Name == "split" { // a shard of the task before is missing
			hidden := filepath.Join(dir, pipeline.ReportPath("ingest", 1, of*shards, false))
			away := filepath.Join(filepath.Dir(hidden), "away")
			try(t, os.Rename(hidden, away))
			if _, err := place.Run(t.Context(), k.Name, pipeline.Shard{}, how(t)); err == nil || !strings.Contains(err.Error(), "task ingest, shard 1 of 3: it has to run first") {
				t.Errorf("a missing shard: %v", err)
			}
			all := status(t, place)
			if all[1].Done != 0 || len(all[1].Failed) != 1 || all[1].Failed[0].Log != "a log" || all[0].Done != 2 {
				t.Errorf("status: %+v", all[:2])
			}
			try(t, os.Rename(away, hidden))
		}
		for i := of - 1; i >= 0; i-- {
			if k.Name == "bbox" && i == 1 {
				stopped(t, place, k.Name, i, of)
			}
			r, err := place.Run(t.Context(), k.Name, pipeline.Shard{I: i, Of: of}, how(t))
			if err != nil {
				t.Fatalf("%s %d/%d: %v", k.Name, i, of, err)
			}
			again, err := place.Run(t.Context(), k.Name, pipeline.Shard{I: i, Of: of}, how(t))
			if err != nil || again.Ended != r.Ended || again.Seconds != r.Seconds {
				t.Errorf("%s %d/%d once more: %+v, %v; want the report of before", k.Name, i, of, again, err)
			}
		}
	}
	for _, s := range status(t, place) {
		if s.Done != s.Shards || len(s.Failed) > 0 {
			t.Errorf("status: %+v", s)
		}
	}
	want, got := files(t, req.Out), files(t, dir)
	for p, data := range want {
		if !bytes.Equal(got[p], data) {
			t.Errorf("%s: %d bytes, want %d equal to those of one build", p, len(got[p]), len(data))
		}
	}
	if extra := len(got) - len(want); extra != 0 || len(want) < 80 {
		t.Errorf("%d files, one build makes %d", len(got), len(want))
	}
}

// damage takes away or changes what tasks before one have made; what is missing is made again.
func damage(t *testing.T, place Place, before, dir string, p *Plan) {
	t.Helper()
	again := func(task string, i int) {
		t.Helper()
		if _, err := place.Run(t.Context(), task, pipeline.Shard{I: i, Of: p.Shards}, how(t)); err != nil {
			t.Errorf("%s, shard %d, again: %v", task, i, err)
		}
	}
	name := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	switch before {
	case "learn-label": // who is started again sees for itself that its part is gone
		try(t, os.Remove(name(".work/parts/bbox/2-of-3.yaml")))
		again("bbox", 2)
	case "masks": // who joins it finds out
		list, err := filepath.Glob(name(".work/parts/label/1-of-3.d/0000.*"))
		if err != nil || len(list) != 1 || os.Remove(list[0]) != nil {
			t.Fatal(list, err)
		}
		if _, err := place.Run(t.Context(), before, pipeline.Shard{}, how(t)); err == nil || !strings.Contains(err.Error(), "task label, shard 1 of 3: ") ||
			!strings.Contains(err.Error(), "run it again") {
			t.Errorf("a part is gone: %v", err)
		}
		if all := status(t, place); all[5].Task != "label" || all[5].Done != 2 {
			t.Errorf("a shard whose part is gone: %+v", all[5])
		}
		again("label", 1)
	case "join":
		if place.Bucket != nil {
			return // an object has its digest
		}
		index := name(".work/shards/0-of-3/features/index.json")
		try(t, os.WriteFile(index, []byte("{}"), 0o666))
		if _, err := place.Run(t.Context(), before, pipeline.Shard{}, how(t)); err == nil || !strings.Contains(err.Error(), "task features, shard 0 of 3: ") {
			t.Errorf("features are damaged: %v", err)
		}
		again("features", 0)
		data, err := os.ReadFile(name(planFile))
		if err != nil || os.WriteFile(name(planFile), bytes.Replace(data, []byte(`"shards": 3`), []byte(`"shards": 7`), 1), 0o666) != nil {
			t.Fatal(err)
		}
		if _, _, err := place.Status(t.Context()); err == nil || !strings.Contains(err.Error(), planFile+": is damaged: run the same hdseg build --runner again") {
			t.Errorf("a damaged plan: %v", err)
		}
		if err := place.Init(t.Context(), p); err != nil {
			t.Errorf("the plan once more: %v", err)
		}
	}
}

// stopped runs a shard of transfer that is stopped behind its first image.
func stopped(t *testing.T, place Place, task string, i, of int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := how(t)
	h.Progress = func(phase string) func(int, int) {
		return func(done, _ int) {
			if strings.HasPrefix(phase, "cutting out figures") && done == 1 {
				cancel()
			}
		}
	}
	if _, err := place.Run(ctx, task, pipeline.Shard{I: i, Of: of}, h); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: got %v", err)
	}
	if place.Bucket == nil {
		return
	}
	d, err := place.open(t.Context(), pipeline.ReportDir)
	try(t, err)
	defer d.close()
	try(t, (journal{d, pipeline.ReportDir + task + "/1-of-3.journal"}).open())
	kept := 0
	err = filepath.WalkDir(filepath.Join(d.Dir(), filepath.FromSlash(entries)), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			kept++
		}
		return err
	})
	if err != nil || kept == 0 {
		t.Errorf("the journal of a stopped shard: %d images, %v; want one or more", kept, err)
	}
}

// A bucket that is busy is asked again. One that refuses fails the task, which goes on when it is allowed. What a killed task left in the
// temporary folder the next one removes, and who only looks makes no folder.
func TestBucketFaults(t *testing.T) {
	req := drawn(t)
	srv := s3test.Start(t)
	var n atomic.Int64
	deny := func(method, below string) func(r *http.Request) s3test.Fault {
		return func(r *http.Request) s3test.Fault {
			switch {
			case r.Method == method && strings.HasPrefix(r.URL.Path, "/"+s3test.Bucket+"/run/"+below):
				return s3test.Deny
			case n.Add(1)%5 == 0:
				return s3test.SlowDown
			}
			return s3test.Pass
		}
	}
	proxy := s3test.NewProxy(t, srv, deny("", ""))
	t.Setenv("TMPDIR", t.TempDir())
	b := bucketAt(t, proxy.URL)
	p, err := NewPlan(req, 2)
	try(t, err)
	place := Place{Bucket: b}
	try(t, place.Init(t.Context(), p))
	left := filepath.Join(os.TempDir(), "hdseg-task-7")
	for _, dir := range []string{left, left + "7"} {
		try(t, os.MkdirAll(filepath.Join(dir, ".tmp"), 0o777))
	}
	try(t, os.WriteFile(filepath.Join(left, ".tmp", "building"), nil, 0o666))
	release, err := manifests.Occupy(left + "7") // one that works
	try(t, err)
	defer release()
	if _, err := place.Run(t.Context(), "ingest", pipeline.Shard{I: 0, Of: 2}, how(t)); err != nil || proxy.Injected(s3test.SlowDown) == 0 {
		t.Errorf("a busy bucket: %v, %d times", err, proxy.Injected(s3test.SlowDown))
	}
	if there, _ := filepath.Glob(filepath.Join(os.TempDir(), "hdseg-task-*")); len(there) != 1 || there[0] != left+"7" {
		t.Errorf("in the temporary folder: %v, want that of the one that works", there)
	}
	for what, c := range map[string]struct{ method, below string }{"the plan": {"GET", planFile}, "pictures": {"PUT", "images/"}} {
		proxy.Set(deny(c.method, c.below))
		_, err := place.Run(t.Context(), "ingest", pipeline.Shard{I: 1, Of: 2}, how(t))
		if err == nil || !strings.Contains(err.Error(), "s3://"+s3test.Bucket+"/run/"+c.below) || !strings.Contains(err.Error(), "access denied: these credentials may not do this: use others") {
			t.Errorf("%s are refused: %v", what, err)
		}
	}
	proxy.Set(deny("", ""))
	if _, err := place.Run(t.Context(), "ingest", pipeline.Shard{I: 1, Of: 2}, how(t)); err != nil {
		t.Errorf("when it is allowed: %v", err)
	}
	nowhere := Place{Dir: filepath.Join(t.TempDir(), "nowhere")}
	if _, _, err := nowhere.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "no build is planned there") {
		t.Errorf("where nothing is: %v", err)
	}
	if n, err := nowhere.Images(t.Context(), p, func(string, int, int) {}); err != nil || n < 20 {
		t.Errorf("pictures of a build that has not begun: %d, %v", n, err)
	}
	if _, err := os.Stat(nowhere.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("who looks makes a folder: %v", err)
	}
}

func status(t *testing.T, place Place) []Progress {
	t.Helper()
	_, all, err := place.Status(t.Context())
	try(t, err)
	return all
}

// files are those of a data set but for times and reports of runs.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		p := filepath.ToSlash(rel)
		if err != nil || strings.HasSuffix(p, ".run.yaml") || strings.HasPrefix(p, ".work/run") || strings.HasPrefix(p, ".tmp/") {
			return err
		}
		out[p], err = os.ReadFile(name)
		return err
	})
	try(t, err)
	return out
}

// The estimate is images times time; small shards are advised against.
func TestCosts(t *testing.T) {
	p := plan(t, 8)
	costs := p.Costs(Times{Ingest: 0.01, Transfer: 0.1, Features: 0.05, Train: 40}, 8000, 2)
	i := slices.IndexFunc(costs, func(c Cost) bool { return c.Task == "features" })
	if c := costs[i]; c.Images != 8000 || c.Core != 8000*0.05+8*startup || c.Seconds != startup+8000*0.05/16 {
		t.Errorf("features: %+v", c)
	}
	if got, want := Advice(costs, 2), "--shards 4 would do"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Advice(p.Costs(Times{Transfer: 1}, 80000, 2), 2); got != "" {
		t.Errorf("got %q for shards that are worth it", got)
	}
}

// A record of a build gives its times per image.
func TestReadTimes(t *testing.T) {
	s, err := manifests.OpenStore(t.TempDir())
	try(t, err)
	try(t, s.Replace("horseseg.run.yaml", []byte("workers: 2\nstages: {ingest: 5, transfer: 20, features: 10, train: 3, evaluate: 1, bench: 1}\n")))
	for stage, n := range map[string]string{"ingest": "100", "split": "90", "transfer": "80", "features": "50"} {
		try(t, s.Replace(".work/"+stage+".yaml", []byte("key: \"\"\nread: "+n+"\ndone: 1\noutputs: {}\n")))
	}
	got, err := ReadTimes(filepath.Join(s.Dir(), "horseseg.run.yaml"))
	want := Times{Ingest: 0.1, Transfer: 0.25, Features: 0.4, Learn: 20, Train: 10, From: "horseseg, 90 records"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := ReadTimes(filepath.Join(s.Dir(), "horseseg.yaml")); err == nil || !strings.Contains(err.Error(), "want the record of a build") {
		t.Errorf("another file: %v", err)
	}
}

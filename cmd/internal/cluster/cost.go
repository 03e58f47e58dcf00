package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/pipeline"
	"hdseg/ingest"
)

// Times are what a build takes of a core, in seconds: for each image, and once for learning the
// models of transfer and for all models of the table.
type Times struct {
	Ingest, Transfer, Features float64 // for each image
	Learn, Train               float64
	From                       string // what they were measured on
}

// Measured are the times of a HorseSeg of 437 images on two cores; see cmd/CLUSTERS.md.
var Measured = Times{0.003, 0.075, 0.023, 100, 7, "437 images of horses, on 2 cores of a virtual machine"}

// startup is what a task takes before its first image, in seconds: the scheduler, the program, the
// manifest and the models of transfer. Below worthwhile seconds of work a shard is not worth it.
const (
	startup    = 6.0
	worthwhile = 60.0
)

// ReadTimes returns the times of a build that was done, by the record of its run (NAME.run.yaml),
// and the numbers of images in the stages' own memory beside it.
func ReadTimes(file string) (Times, error) {
	s, name, record, err := pipeline.ReadRun(file)
	if err != nil {
		return Times{}, err
	}
	read := func(stage string) int { return max(1, pipeline.ReadOf(s, stage)) }
	core := func(stage string) float64 { return float64(record.Stages[stage] * float64(record.Workers)) }
	t := Times{From: fmt.Sprintf("%s, %d records", name, read("split"))}
	t.Ingest, t.Features = core("ingest")/float64(read("ingest")), core("features")/float64(read("features"))
	// The record does not tell learning apart: it takes as long as elsewhere, and half of all at most.
	t.Learn = min(Measured.Learn, core("transfer")/2)
	t.Transfer = (core("transfer") - t.Learn) / float64(read("transfer"))
	t.Train = core("train") + core("evaluate") + core("bench")
	if t.Ingest+t.Transfer+t.Features == 0 {
		return t, fmt.Errorf("%s: has no times of a build", file)
	}
	return t, nil
}

// A Cost is what a task is expected to take.
type Cost struct {
	Task    string  `json:"task"` // name of the step
	Shards  int     `json:"shards"`
	Images  int     `json:"images"`
	Core    float64 `json:"core_seconds"`  // of all shards together
	Seconds float64 `json:"shard_seconds"` // of one shard, on its cores
}

// Costs estimates what the tasks of a plan take: images times time per image.
func (p *Plan) Costs(t Times, images, workers int) (out []Cost) {
	for _, k := range p.Tasks() {
		n, per, fixed := images, 0.0, 0.0
		switch k.Name {
		case "ingest":
			per = t.Ingest
		case "bbox", "label": // each has some of the images
			n, per = images/2, t.Transfer
		case "features":
			per = t.Features
		case "learn-bbox", "learn-label":
			n, fixed = 0, t.Learn/2
		case "train":
			n, fixed = 0, t.Train
		default:
			n = 0
		}
		c := Cost{Task: k.Name, Shards: p.Of(k), Images: n, Core: float64(float64(n)*per) + fixed}
		c.Seconds = startup + c.Core/float64(c.Shards*workers)
		c.Core += float64(startup * float64(c.Shards))
		out = append(out, c)
	}
	return out
}

// Advice says how many shards would do, "" if the plan has no more.
func Advice(costs []Cost, workers int) string {
	most := 0.0 // work of the largest task
	for _, c := range costs {
		most = max(most, c.Core-float64(startup*float64(c.Shards)))
	}
	shards := slices.MaxFunc(costs, func(a, b Cost) int { return a.Shards - b.Shards }).Shards
	enough := max(1, int(math.Ceil(most/float64(workers)/worthwhile)))
	if shards <= enough {
		return ""
	}
	return fmt.Sprintf("a shard would work for less than a minute, and a task takes about %.0f s to start: --shards %d would do", startup,
		enough)
}

// Images counts the pictures of a build: those of the manifest, if it is there, else those that the
// sources list.
func (p Place) Images(ctx context.Context, plan *Plan, progress ingest.Progress) (int, error) {
	d, err := p.open(ctx, "stages/split.yaml")
	if err != nil {
		return 0, err
	}
	defer d.close()
	var head struct {
		Records int `yaml:"records"`
	}
	data, err := d.Read("stages/split.yaml", "")
	if err == nil && yaml.Unmarshal(data, &head) == nil {
		return head.Records, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	req, err := plan.request()
	if err != nil {
		return 0, err
	}
	in := pipeline.IngestRequest(req.Experiment, req.Sources, 1)
	in.Restore = false
	return ingest.Count(ctx, in, progress)
}

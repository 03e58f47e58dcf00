package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/annotate/learn"
	"hdseg/annotate/web"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/transfer"
)

// learnCuts begins to learn what the page's cuts go by, which may take a minute; until then they go
// by colors alone. What it returns waits for the end.
func (a *app) learnCuts(ctx context.Context, s *web.Server, set *pipeline.Dataset, arrays *feature.Dense) (wait func()) {
	return inBackground(func() {
		err := s.Learn(func() (*transfer.Cutter, error) {
			c, skips, err := transfer.NewCutter(ctx, set.Manifest, set.Store, arrays, a.workers, nil)
			for _, k := range skips {
				fmt.Fprintln(a.stderr, "warning: cuts learn nothing from", k.Record+":", k.Detail)
			}
			return c, err
		})
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(a.stderr, "warning: cuts go by colors alone:", err)
		}
	})
}

// inBackground runs f in the background. What it returns waits for the end.
func inBackground(f func()) (wait func()) {
	var running sync.WaitGroup
	running.Go(f)
	return running.Wait
}

// learnModel lets a linear model learn what people accept, in the background, until ctx ends. What
// it returns waits for the end.
func (a *app) learnModel(ctx context.Context, c *campaign.Campaign, arrays *feature.Dense) (wait func()) {
	follow := func() error {
		p := configs.Preset{}
		if arrays != nil {
			p = p.WithArrays()
			own := *arrays // the cuts learn from them at the same time
			arrays = &own
		}
		if err := dense.Sign(ctx, arrays, c.Manifest, a.workers); err != nil {
			return err
		}
		e, err := p.Load("horseseg") // its features and training are those of every class
		if err != nil {
			return err
		}
		e.Feature.Dense = arrays
		set := &pipeline.Dataset{Store: c.Store, Manifest: c.Manifest, Digest: c.Digest}
		f, err := pipeline.MakeFeatures(ctx, pipeline.Shard{}, e, set, a.workers,
			func(string) func(done, total int) { return func(int, int) {} })
		if err != nil {
			return err
		}
		defer f.Close()
		t := pipeline.NewTrainer(e, f, set, a.workers)
		t.About.Class, t.About.Dim = c.Manifest.Class.Name, f.Dim
		l, err := learn.New(c, t.Source, t.About, t.Options, func(id string, err error) {
			fmt.Fprintln(a.stderr, "warning: the model learns nothing from", id+":", err)
		})
		if err == nil {
			l.Run(ctx, time.Second)
		}
		return err
	}
	return inBackground(func() {
		if err := follow(); err != nil && ctx.Err() == nil {
			fmt.Fprintln(a.stderr, "warning: no model learns:", err)
		}
	})
}

// Package learn keeps a model of a campaign's masks up to date while people work: what is accepted
// comes in, what is reopened goes out, and every picture gets a second proposal.
package learn

import (
	"context"
	"fmt"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/regress"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Learner learns from the manual masks of the training pictures, each as it was accepted or,
// where nothing was, as the data set has it.
type Learner struct {
	campaign *campaign.Campaign
	src      lscrf.Source
	setup    lscrf.Setup
	at       map[string]int // graphs of src by record id
	model    *lscrf.Running
	in       map[string]known // by record id
	warn     func(id string, err error)
}

// A known mask is one that was learned from, or, without labels, one that cannot be.
type known struct {
	mask     manifests.Digest
	labels   []uint8
	accepted bool
}

// New prepares a learner. src has the graphs of the training pictures with their masks, about what
// they were made with: Labels, Setup and Dim. warn is told of pictures from which nothing is
// learned.
func New(c *campaign.Campaign, src lscrf.Source, about lscrf.Model, o lscrf.TrainOptions,
	warn func(id string, err error)) (*Learner, error) {
	l := &Learner{campaign: c, src: src, setup: about.Setup, at: map[string]int{}, model: lscrf.NewRunning(about, o),
		in: map[string]known{}, warn: warn}
	for i := range src.Len() {
		g, err := src.Graph(i)
		if err != nil {
			return nil, err
		}
		l.at[g.ID] = i
	}
	return l, nil
}

// Run follows the campaign until the context ends. It looks for changes again and again after a
// pause.
func (l *Learner) Run(ctx context.Context, pause time.Duration) {
	for seen := -1; ctx.Err() == nil; {
		if now := l.campaign.Version(); now != seen {
			seen = now
			l.follow(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// follow brings the model up to date, and gives it to the campaign if it changed.
func (l *Learner) follow(ctx context.Context) {
	accepted := l.campaign.Accepted()
	changed := false
	for i := range l.campaign.Manifest.Records {
		r := &l.campaign.Manifest.Records[i]
		if r.Split != manifests.Train {
			continue
		}
		mask, ok := accepted[r.ID]
		want := known{mask: mask.SHA256, accepted: ok}
		if !ok {
			mask, _ = r.MaskOf(manifests.Manual)
			want.mask = mask.SHA256
		}
		if was := l.in[r.ID]; was.mask == want.mask && was.accepted == want.accepted {
			continue
		}
		changed = true
		if err := l.replace(r, mask, want); err != nil {
			l.warn(r.ID, err)
		}
		if ctx.Err() != nil {
			return
		}
	}
	if changed {
		l.publish(ctx)
	}
}

// replace takes out what is known of a record, and takes a mask in.
func (l *Learner) replace(r *manifests.Record, mask manifests.Mask, want known) error {
	was := l.in[r.ID]
	l.in[r.ID] = want
	g, sp, err := l.graph(r)
	if err != nil {
		return err
	}
	if was.labels != nil {
		if err := l.model.Remove(g, was.labels); err != nil {
			return err
		}
	}
	if want.mask == "" {
		delete(l.in, r.ID)
		return nil
	}
	if want.labels, err = l.labels(r, g, sp, mask); err != nil {
		return err
	}
	if err := l.model.Add(g, want.labels); err != nil {
		return err
	}
	l.in[r.ID] = want
	return nil
}

// graph returns a record's graph: what src has, or of the picture, and then its superpixels too.
func (l *Learner) graph(r *manifests.Record) (*lscrf.Graph, *superpixel.Map, error) {
	if i, ok := l.at[r.ID]; ok {
		g, err := l.src.Graph(i)
		return g, nil, err
	}
	defer load.Hold(r, raster.Segmenting)()
	im, err := load.Image(l.campaign.Store, r)
	if err != nil {
		return nil, nil, err
	}
	g, sp, _, err := lscrf.NewGraph(r.ID, im, l.setup)
	return g, sp, err
}

// labels returns the label of every superpixel of a picture by a mask of it. Without the
// superpixels sp it makes them.
func (l *Learner) labels(r *manifests.Record, g *lscrf.Graph, sp *superpixel.Map, mask manifests.Mask) ([]uint8, error) {
	if own, ok := r.MaskOf(manifests.Manual); ok && own.SHA256 == mask.SHA256 && g.Labels[manifests.Manual] != nil {
		return g.Labels[manifests.Manual], nil
	}
	defer load.Hold(r, raster.Segmenting)()
	m, err := load.Mask(l.campaign.Store, r, mask)
	if err != nil {
		return nil, err
	}
	if sp == nil {
		im, err := load.Image(l.campaign.Store, r)
		if err != nil {
			return nil, err
		}
		sp = superpixel.Segment(im, l.setup.Superpixel)
	}
	if sp.N != g.N {
		return nil, fmt.Errorf("got %d superpixels, want the %d of its features", sp.N, g.N)
	}
	return superpixel.Majority(sp, m), nil
}

// publish solves the model and compares its masks with the proposals of pictures that it does not
// know.
func (l *Learner) publish(ctx context.Context) {
	out := &campaign.Learned{Differs: map[string]float64{}}
	for _, k := range l.in {
		switch {
		case k.labels == nil:
		case k.accepted:
			out.Accepted++
		default:
			out.Set++
		}
	}
	if l.model.Images() == 0 {
		l.campaign.SetLearned(out)
		return
	}
	m := l.model.Model()
	for i := range l.campaign.Manifest.Records {
		r := &l.campaign.Manifest.Records[i]
		at, ok := l.at[r.ID]
		if _, known := l.in[r.ID]; !ok || known || r.Split != manifests.Train {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		g, err := l.src.Graph(at)
		if err != nil || g.Labels[r.Tier] == nil {
			continue
		}
		p, err := m.Predict(g)
		if err != nil {
			l.warn(r.ID, err)
			continue
		}
		out.Differs[r.ID] = Differs(g, p.Labels, g.Labels[r.Tier])
	}
	out.Mask = func(r *manifests.Record) (*raster.Mask, error) {
		defer load.Hold(r, raster.Segmenting)()
		im, err := load.Image(l.campaign.Store, r)
		if err != nil {
			return nil, err
		}
		return m.Mask(r.ID, im)
	}
	l.campaign.SetLearned(out)
}

// Differs tells how far two labelings of a graph's superpixels disagree: 1 minus the intersection
// over union of their figures in pixels, 0 to 1. Superpixels that either leaves out do not count.
func Differs(g *lscrf.Graph, a, b []uint8) float64 {
	var both, any int64
	for i, v := range b {
		if v == regress.Skip {
			continue
		}
		if a[i] == 1 && v == 1 {
			both += int64(g.Sizes[i])
		}
		if a[i] == 1 || v == 1 {
			any += int64(g.Sizes[i])
		}
	}
	if any == 0 {
		return 0
	}
	return 1 - float64(both)/float64(any)
}

package transfer

import (
	"context"
	"fmt"
	"image"
	"math"

	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/transfer/pool"
	"hdseg/transfer/proposal"
)

// A finder looks for objects in a picture of which only the class is known: it proposes windows, and the objects of the
// sources that look most like a window vote for the mask in it (Kuettel and Ferrari 2012). It is only read once learned.
type finder struct {
	pool  *pool.Pool // objects, where the expert's own holds whole pictures
	ridge *pool.Ridge
	model *proposal.Model
}

// leastVote is the share of the best window's weight below which a window's vote is not worth its time.
const leastVote = 0.01

// search proposes windows of a picture, given what is believed of its pixels, and returns the mean of the masks that are voted for in
// them, by weight; 0 where no window is. It adds the votes of sources.
func (e *expert) search(im *raster.RGB, soft []float32, exclude func(id string) bool, votes map[string]float64) []float32 {
	windows := e.finder.model.Propose(sceneOf(im, soft, e.o))
	var boxes []image.Rectangle
	for _, w := range windows {
		if w.Weight < leastVote*windows[0].Weight {
			break
		}
		boxes = append(boxes, w.Box)
	}
	out := make([]float32, len(soft))
	sum := 0.0
	for i, p := range ask(e.finder.pool, e.finder.ridge, im, boxes, exclude) {
		w := windows[i]
		sum += w.Weight
		for _, v := range p.Voters {
			votes[v.ID] += v.Weight * w.Weight
		}
		mask := raster.ResizeField(p.Soft, p.Size, p.Size, w.Box.Dx(), w.Box.Dy())
		for y := w.Box.Min.Y; y < w.Box.Max.Y; y++ {
			to := out[y*im.Width+w.Box.Min.X:][:w.Box.Dx()]
			for x, v := range mask[(y-w.Box.Min.Y)*w.Box.Dx():][:w.Box.Dx()] {
				to[x] += float32(w.Weight) * v
			}
		}
	}
	for i := range out {
		out[i] /= float32(max(sum, 1e-12))
	}
	return out
}

// sceneOf prepares a picture for proposals.
func sceneOf(im *raster.RGB, soft []float32, o Options) *proposal.Scene {
	free := raster.NewMask(im.Width, im.Height)
	for i := range free.Pix {
		free.Pix[i] = raster.Void
	}
	at, expected := border(soft, free)
	return proposal.NewScene(im, soft, at, expected, o.Proposal)
}

// join adds the log odds of two soft masks, each by its weight.
func join(a, b []float32, wa, wb float64) []float32 {
	out := make([]float32, len(a))
	for i := range out {
		out[i] = float32(1 / (1 + math.Exp(-wa*softOdds(a[i])-wb*softOdds(b[i]))))
	}
	return out
}

// softOdds returns the log odds of a probability, bounded as if a little of both labels had been seen besides.
func softOdds(p float32) float64 {
	const little = 0.02
	return math.Log((float64(p) + little) / (1 - float64(p) + little))
}

// find learns the finder, of ModelWindows sources at most, and adds it to the assembly; not with too few sources.
func (l *learner) find(ctx context.Context, a *assembly) error {
	o := l.o.Proposal
	if len(a.group) < 2*o.Folds {
		return nil
	}
	type object struct {
		sample *proposal.Sample
		pool   *pool.Pool
	}
	f := &finder{pool: pool.New(l.o.Pool)}
	every := (len(a.good) + l.o.ModelWindows - 1) / l.o.ModelWindows
	var samples []*proposal.Sample
	seen := map[string]bool{} // groups
	err := manifests.Each(ctx, l.workers, len(a.good), func(ctx context.Context, i int) (*object, error) {
		s := a.good[i]
		im, mask, err := s.load(l.store)
		if err != nil {
			return nil, err
		}
		out := &object{pool: pool.New(l.o.Pool)}
		objects := pool.Windows(mask, l.o.Pool.MinAreaPx)
		for _, r := range objects {
			out.pool.AddWindow(s.record.ID, im, mask, r)
		}
		if i%every != 0 {
			return out, nil
		}
		soft := a.without(s).guess(im, []image.Rectangle{image.Rect(0, 0, im.Width, im.Height)}, s.isSource)[0].soft
		out.sample = proposal.NewSample(sceneOf(im, soft, l.o), objects, a.group[s.group()], o)
		return out, nil
	}, func(i int, s *object, err error) error {
		l.tick()
		if err != nil {
			return err
		}
		if s.sample != nil {
			samples = append(samples, s.sample)
			seen[a.good[i].group()] = true
		}
		f.pool.Append(s.pool)
		return nil
	})
	if err != nil || f.pool.Len() == 0 || len(seen) < o.Folds {
		return err
	}
	if f.ridge, err = f.pool.Fit(); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	found, err := proposal.Train(samples, o, l.workers, func() bool { return ctx.Err() == nil })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	f.model = found.Model
	a.expert.finder, a.found = f, found
	return nil
}

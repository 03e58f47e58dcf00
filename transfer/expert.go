package transfer

import (
	"context"
	"fmt"
	"image"
	"os"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer/appearance"
	"hdseg/transfer/pool"
)

// An expert is all that one tier's masks are made with. It is only read once learned.
type expert struct {
	o      Options
	tier   manifests.Tier
	head   *regress.MLP // see heads; nil without arrays, and of a second expert, which has the first's
	pool   *pool.Pool
	ridge  *pool.Ridge
	model  *appearance.Model // nil without ClassModel, or with too few sources to learn one
	second *expert           // of the label tier: one of boxes, without a grader
	grader *grader           // nil of a cutter
	clicks *appearance.Model // of a cutter: of whole pictures with a click; nil as model
	digest manifests.Digest
	path   string // in the store
}

// window prepares a window for the model.
func window(im picture, r image.Rectangle, p pool.Prior) appearance.Window {
	return appearance.Window{Image: im.RGB, Dense: im.dense, Box: r, Prior: p.Soft, Size: pool.MaskSide, Cut: pool.Touches(im.RGB, r)}
}

// A learner makes the expert of one tier, or of a cutter.
type learner struct {
	store   *manifests.Store
	o       Options
	tier    manifests.Tier
	version string
	workers int
	cutter  bool // the expert is a cutter's
	clicks  bool // the class model is one for pictures with a click
	key     manifests.Digest
	heads   *heads // nil before assemble, and without arrays
	phase   Progress
	skips   []manifests.Skip // sources that could not be read
	small   []string         // ids of those without an object
	damaged bool             // what the store had of the expert is not what was written
}

// learn makes the expert of sources, or recalls it: it is kept in the store, so that runs with the
// same sources, a run that was killed, or each of several shards, do not learn it again. One that
// was learned without sources that can be read now is not recalled.
func (l *learner) learn(ctx context.Context, all []source) (e *expert, err error) {
	l.key = l.keyOf(all)
	if e, err := l.recall(all); e != nil || err != nil {
		return e, err
	}
	a, err := l.assemble(ctx, all)
	if err != nil {
		return nil, err
	}
	if e = a.expert; l.cutter {
		err = l.learnClicks(ctx, a)
	} else {
		e.grader, err = l.calibrate(ctx, a)
	}
	if err == nil {
		err = l.keep(e)
	}
	if err != nil {
		return nil, err
	}
	a.drop(l.store)
	return e, nil
}

// drop removes the class models that the journal keeps until what they are for is kept.
func (a *assembly) drop(store *manifests.Store) {
	for part := a; part != nil; part = part.second {
		for _, p := range part.kept {
			if name, err := store.Path(p); err == nil {
				_ = os.Remove(name)
			}
		}
	}
}

// An assembly is an expert without its grader, with what stands in for its models where they must
// not have seen a group of sources.
type assembly struct {
	expert  *expert
	good    []source       // those that could be read
	group   map[string]int // of good; see groupsOf
	second  *assembly      // of the label tier
	heads   *heads
	trained *appearance.Trained
	kept    []string // store paths of class models, until the expert is kept
}

// without returns an expert whose models have not seen the group of a source. Its pools have; see
// source.isSource.
func (a *assembly) without(s source) *expert {
	e := *a.expert
	if e.head != nil {
		e.head = a.heads.without(s)
	}
	group, ok := a.group[s.group()]
	if !ok {
		group = -1 // of a source that could not be used here
	}
	if a.trained != nil {
		e.model = a.trained.Without(group)
	}
	if a.second != nil {
		e.second = a.second.without(s)
	}
	return &e
}

// assemble makes the expert of sources but for its grader.
func (l *learner) assemble(ctx context.Context, all []source) (*assembly, error) {
	a := &assembly{expert: &expert{o: l.o, tier: l.tier}}
	e := a.expert
	var err error
	if e.pool, a.good, err = l.gather(ctx, all); err != nil {
		return nil, err
	}
	a.group = groupsOf(a.good)
	if l.heads == nil {
		if l.heads, err = l.learnHeads(ctx, all); err != nil {
			return nil, err
		}
		if l.heads != nil {
			a.heads, e.head = l.heads, l.heads.Model
		}
	}
	if e.ridge, err = e.pool.Fit(); err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	if a.trained, err = l.train(ctx, a); err != nil {
		return nil, err
	}
	if a.trained != nil {
		e.model = a.trained.Model
	}
	if l.tier == manifests.Label {
		boxed := *l
		boxed.tier, boxed.cutter, boxed.skips, boxed.small = manifests.BBox, false, nil, nil // l has them
		// without a grader it needs no models that have not seen a source
		if l.cutter {
			boxed.key = boxed.keyOf(all)
			if e.second, err = boxed.recall(all); err != nil {
				return nil, err
			}
			if e.second != nil {
				e.second.grader, e.second.head = nil, nil // as of one that is assembled
				return a, nil
			}
		}
		boxed.phase = func(name string) func(done, total int) { return l.phase(name + " for a second look") }
		if a.second, err = boxed.assemble(ctx, all); err != nil {
			return nil, err
		}
		e.second = a.second.expert
	}
	return a, nil
}

// train learns the class model, nil without ClassModel or with too few sources. A model is kept, so
// that a run that is stopped before the expert is finished goes on with it.
func (l *learner) train(ctx context.Context, a *assembly) (*appearance.Trained, error) {
	o, kind := l.model()
	if !l.o.ClassModel || len(a.group) < 2*o.Folds {
		return nil, nil
	}
	what := []any{l.tier, l.key}
	for _, s := range a.good {
		what = append(what, s.record.ID)
	}
	key := workPath(kind, what)
	data, ok, err := readKept(l.store, key)
	if err != nil {
		return nil, err
	}
	a.kept = append(a.kept, key)
	if ok {
		if t, err := appearance.DecodeHeld(data, o); err == nil { // else it is torn
			return t, nil
		}
	}
	t, err := l.fit(ctx, a)
	if t == nil || err != nil {
		return nil, err
	}
	return t, l.store.Replace(key, appearance.EncodeHeld(t))
}

// model returns the options of the class model and the kind of its key.
func (l *learner) model() (appearance.Options, string) {
	if l.clicks {
		return l.o.ofClicks(), "clicks"
	}
	return l.o.modelOf(l.tier), "model"
}

// fit learns the class model from the windows of sources, nil with too few.
func (l *learner) fit(ctx context.Context, a *assembly) (*appearance.Trained, error) {
	o, _ := l.model()
	e, good := a.expert, a.good
	// a mirrored window is no window of its own
	windows := e.pool.Len() / 2
	every := (windows + l.o.ModelWindows - 1) / l.o.ModelWindows // pictures
	var samples []*appearance.Sample
	seen := map[string]bool{} // groups
	show := l.phase("describing superpixels of masks")
	err := manifests.Each(ctx, l.workers, len(good), func(ctx context.Context, i int) ([]*appearance.Sample, error) {
		if i%every != 0 {
			return nil, nil
		}
		defer load.Hold(good[i].record, raster.Decoding)()
		im, mask, err := good[i].load(l.store, l.o)
		if err != nil {
			return nil, err
		}
		im = im.seenBy(l.heads.without(good[i]))
		var out []*appearance.Sample
		if o.Click {
			return l.clicked(a, i, im, mask), nil
		}
		for _, r := range sourceWindows(mask, l.tier, l.o) {
			prior := e.ridge.Vote(pool.Describe(im.RGB, r), good[i].isSource)
			out = append(out, appearance.NewSample(window(im, r, prior), mask, a.group[good[i].group()], o))
		}
		return out, nil
	}, func(i int, s []*appearance.Sample, err error) error {
		show(i+1, len(good))
		samples = append(samples, s...)
		if len(s) > 0 {
			seen[good[i].group()] = true
		}
		return err
	})
	if err != nil || len(seen) < o.Folds {
		return nil, err
	}
	show = l.phase("learning the class model")
	trained, err := appearance.Train(samples, o, l.workers, func(done, total int) bool {
		show(done, total)
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	return trained, nil
}

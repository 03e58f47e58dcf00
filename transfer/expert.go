package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"

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
	pool   *pool.Pool
	ridge  *pool.Ridge
	model  *appearance.Model // nil without ClassModel, or with too few sources to learn one
	second *expert           // of the label tier: one of boxes, without a grader
	grader *grader
	digest manifests.Digest
}

// window prepares a window for the model.
func window(im picture, r image.Rectangle, p pool.Prior) appearance.Window {
	return appearance.Window{Image: im.RGB, Dense: im.dense, Box: r, Prior: p.Soft, Size: pool.MaskSide, Cut: pool.Touches(im.RGB, r)}
}

// A learner makes the expert of one tier.
type learner struct {
	store   *manifests.Store
	o       Options
	tier    manifests.Tier
	version string
	workers int
	clicks  bool // the class model is one for pictures with a click
	phase   Progress
	skips   []manifests.Skip // sources that could not be read
	small   []string         // ids of those without an object
}

// learn makes the expert of sources, or recalls it: it is kept in the store's .work folder, so that
// a run that was killed, or each of several shards, does not learn it again. One that was learned
// without sources that can be read now is not recalled.
func (l *learner) learn(ctx context.Context, all []source) (*expert, error) {
	key, err := l.key("expert", all)
	if err != nil {
		return nil, err
	}
	if e, ok, err := l.recall(key, all); ok || err != nil {
		return e, err
	}
	a, err := l.assemble(ctx, all)
	if err != nil {
		return nil, err
	}
	if a.expert.grader, err = l.calibrate(ctx, a); err != nil {
		return nil, err
	}
	if err := l.keep(key, a.expert); err != nil {
		return nil, err
	}
	a.drop(l.store)
	return a.expert, nil
}

// drop removes the class models that the store keeps until what they are for is kept.
func (a *assembly) drop(store *manifests.Store) {
	for part := a; part != nil; part = part.second {
		if name, err := store.Path(part.kept); part.kept != "" && err == nil {
			_ = os.Remove(name)
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
	trained *appearance.Trained
	kept    string // store path of trained, until the expert is kept
}

// without returns an expert whose models have not seen the group of a source. Its pools have; see
// source.isSource.
func (a *assembly) without(s source) *expert {
	e := *a.expert
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
		boxed.tier, boxed.skips, boxed.small = manifests.BBox, nil, nil // l has them
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
	key, err := l.key(kind, a.good)
	if err != nil {
		return nil, err
	}
	data, ok, err := readJournal(l.store, key)
	if err != nil {
		return nil, err
	}
	a.kept = key
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

// key names an expert or a class model by everything that it depends on.
func (l *learner) key(kind string, all []source) (string, error) {
	what := []any{l.tier, l.version}
	for _, s := range all {
		what = append(what, s.record.ID, s.record.Image.SHA256, s.record.Image.Orientation, s.mask.SHA256, s.group())
	}
	return journalKey(kind, append(what, manifests.Sum(l.o.Canonical())))
}

// An expertFile is an expert as the store keeps it.
type expertFile struct {
	Pool   []byte
	Model  []byte // empty for none
	Found  []byte // this and the next are null: they keep the digests of version 0.2.0
	Finder []byte
	Second *expertFile `json:",omitempty"`
	Grader *grader     `json:",omitempty"` // not of a second one
	Skips  []manifests.Skip
	Small  []string `json:",omitempty"`
}

// encode returns the file's bytes and the expert's digest, which does not tell why a source is not
// in it.
func (f expertFile) encode() ([]byte, manifests.Digest, error) {
	skips, small := f.Skips, f.Small
	f.Skips, f.Small = nil, nil
	data, err := json.Marshal(f)
	if err != nil {
		return nil, "", fmt.Errorf("transfer: expert: %w", err)
	}
	sum := manifests.Sum(data)
	if len(skips)+len(small) > 0 {
		f.Skips, f.Small = skips, small
		if data, err = json.Marshal(f); err != nil {
			return nil, "", fmt.Errorf("transfer: expert: %w", err)
		}
	}
	return data, sum, nil
}

func (e *expert) file() *expertFile {
	f := &expertFile{Pool: e.pool.Encode(), Grader: e.grader}
	if e.model != nil {
		f.Model = e.model.Encode()
	}
	if e.second != nil {
		f.Second = e.second.file()
	}
	return f
}

// expert returns what file wrote of an expert of a tier but for its grader. Its error is that the
// file is torn, or of another version.
func (f *expertFile) expert(o Options, t manifests.Tier) (*expert, error) {
	e := &expert{o: o, tier: t, grader: f.Grader}
	var err error
	if e.pool, e.ridge, err = decodePool(f.Pool); err != nil {
		return nil, err
	}
	if len(f.Model) > 0 {
		if e.model, err = appearance.Decode(f.Model, o.modelOf(t)); err != nil {
			return nil, err
		}
	}
	if f.Second != nil {
		if e.second, err = f.Second.expert(o, manifests.BBox); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func decodePool(data []byte) (*pool.Pool, *pool.Ridge, error) {
	p, err := pool.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	r, err := p.Fit()
	return p, r, err
}

func (l *learner) keep(key string, e *expert) error {
	f := e.file()
	f.Skips, f.Small = l.skips, l.small
	data, sum, err := f.encode()
	if err != nil {
		return err
	}
	e.digest = sum
	return l.store.Replace(key, data)
}

func (l *learner) recall(key string, all []source) (*expert, bool, error) {
	data, ok, err := readJournal(l.store, key)
	if !ok || err != nil {
		return nil, false, err
	}
	var f expertFile
	if json.Unmarshal(data, &f) != nil || f.Grader == nil || !f.Grader.valid() {
		return nil, false, nil // torn, or of another version; it is learned again
	}
	missed := map[string]bool{}
	for _, k := range f.Skips {
		missed[k.Record] = true
	}
	for _, s := range all {
		if !missed[s.record.ID] {
			continue
		}
		if _, _, err := s.load(l.store, l.o); err == nil {
			return nil, false, nil // it can be read again
		}
	}
	e, err := f.expert(l.o, l.tier)
	if err != nil {
		return nil, false, nil
	}
	if _, e.digest, err = f.encode(); err != nil {
		return nil, false, err
	}
	l.skips, l.small = f.Skips, f.Small
	return e, true, nil
}

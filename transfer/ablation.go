package transfer

import (
	"context"
	"errors"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
)

// A Piece is a part of the method that an ablation turns on or replaces.
type Piece struct {
	Name string
	only manifests.Tier // the tier that it concerns; "" for both
	set  func(o *Options, full Options)
}

// Pieces are the rows of an ablation table. Each of the first keeps what stands before it, up to the whole method; the
// last two change one thing of that.
var Pieces = []Piece{
	{Name: "nearest-neighbor prior", set: func(o *Options, full Options) {
		o.Pool.Vote, o.ClassModel, o.Lean, o.Proposals, o.Staged = pool.VoteNearest, false, false, false, false
		o.SecondLook = false // masks are the same without
		o.Cut.ColorWeight, o.Cut.Gamma, o.Cut.Domain = 0, 0, cut.Pixels
		o.SceneCut.ColorWeight, o.SceneCut.Gamma, o.SceneCut.Domain = 0, 0, cut.Pixels
	}},
	{Name: "ridge prior", set: func(o *Options, full Options) { o.Pool.Vote = full.Pool.Vote }},
	{Name: "+ colour models", set: func(o *Options, full Options) {
		o.Cut.ColorWeight, o.SceneCut.ColorWeight = full.Cut.ColorWeight, full.SceneCut.ColorWeight
	}},
	{Name: "+ pairwise terms", set: func(o *Options, full Options) { o.Cut.Gamma, o.SceneCut.Gamma = full.Cut.Gamma, full.SceneCut.Gamma }},
	{Name: "+ class model", set: func(o *Options, full Options) { o.ClassModel = full.ClassModel }},
	{Name: "+ division by expected IoU", only: manifests.Label, set: func(o *Options, full Options) { o.Lean = full.Lean }},
	{Name: "+ object proposals", only: manifests.Label, set: func(o *Options, full Options) { o.Proposals = true }},
	{Name: "+ staged sources", only: manifests.Label, set: func(o *Options, full Options) {
		o.Proposals, o.Staged = full.Proposals, full.Staged // proposals stay only where they are asked for
		o.SecondLook = full.SecondLook
	}},
	{Name: "superpixels for pixels", set: func(o *Options, full Options) { o.Cut.Domain, o.SceneCut.Domain = cut.Superpixels, cut.Superpixels }},
	{Name: "superpixels, rough borders", set: func(o *Options, full Options) { o.Cut.BandPx, o.SceneCut.BandPx = 0, 0 }},
}

// An AblationRow is the quality of a tier's masks with one piece more.
type AblationRow struct {
	Piece   string `json:"piece"`
	Skipped int    `json:"skipped"`  // records that could not be segmented
	NoTruth int    `json:"no_truth"` // records left out for want of a true mask; see Report
	Row
}

// Ablate makes the masks of the bbox and label tiers (of one, if round is not "") once for each of Pieces, compares them with those
// in truthDir as Evaluate does, and keeps none. Records without a true mask are not segmented. Staged sources are the masks that m has for
// the bbox tier. The result, but for times, does not depend on workers; the cost is at most that of a Run per piece. progress
// (may be nil) is told after every step.
func Ablate(ctx context.Context, m *manifests.Manifest, store *manifests.Store, truthDir string, o Options, round manifests.Tier, workers int, progress func(done, total int)) ([]AblationRow, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	type step struct {
		piece string
		ablation
	}
	var steps []step
	for _, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		with := o
		for _, p := range Pieces {
			if (round == "" || round == tier) && (p.only == "" || p.only == tier) {
				p.set(&with, o)
				steps = append(steps, step{p.Name, ablation{m: m, store: store, truthDir: truthDir, o: with, tier: tier, workers: workers}})
			}
		}
	}
	var out []AblationRow
	skipped := 0
	for i := range steps {
		s := &steps[i]
		if i > 0 && s.tier == steps[i-1].tier && s.learnsAs(&steps[i-1].ablation) {
			s.expert = steps[i-1].expert
		}
		row, err := s.row(ctx)
		if err != nil {
			return nil, err
		}
		if row.Piece = s.piece; row.Images > 0 {
			out = append(out, row)
		}
		skipped += row.Skipped
		if progress != nil {
			progress(i+1, len(steps))
		}
	}
	if len(out) == 0 && skipped == 0 {
		targets := 0
		for i := range m.Records {
			if r := &m.Records[i]; isTarget(r) && (round == "" || r.Tier == round) {
				targets++
			}
		}
		return nil, noTruth(m, truthDir, targets)
	}
	return out, nil
}

// An ablation measures one set of options.
type ablation struct {
	m        *manifests.Manifest
	store    *manifests.Store
	truthDir string
	o        Options
	tier     manifests.Tier
	workers  int
	expert   *expert // as learned, or nil
}

// learnsAs tells whether the experts of two sets of options for one tier are the same: they differ in the cut only.
func (a *ablation) learnsAs(b *ablation) bool {
	p, q := a.o, b.o
	p.Cut, q.Cut, p.SceneCut, q.SceneCut, p.Lean, q.Lean = cut.Options{}, cut.Options{}, cut.Options{}, cut.Options{}, false, false
	return p == q
}

// row has no Images if there is no target with a true mask.
func (a *ablation) row(ctx context.Context) (row AblationRow, err error) {
	var targets []*manifests.Record
	for i := range a.m.Records {
		r := &a.m.Records[i]
		if r.Tier != a.tier || !isTarget(r) {
			continue
		}
		truth, err := truthOf(r, a.truthDir)
		if err != nil {
			return row, err
		}
		if truth == nil {
			row.NoTruth++
			continue
		}
		targets = append(targets, r)
	}
	if len(targets) == 0 {
		return row, nil
	}
	if a.expert == nil {
		l := &learner{store: a.store, o: a.o, tier: a.tier, version: a.m.Version, workers: a.workers, tick: func() {}}
		learned, err := l.assemble(ctx, sourcesOf(a.m, a.tier, a.o))
		if err != nil {
			return row, err
		}
		a.expert = learned.expert
	}
	e := *a.expert
	e.o = a.o
	var scores []Score
	err = manifests.Each(ctx, a.workers, len(targets), func(ctx context.Context, i int) (*Score, error) {
		return a.score(&e, targets[i])
	}, func(i int, s *Score, err error) error {
		if skip := new(skipError); errors.As(err, &skip) {
			row.Skipped++
			return nil
		}
		if err == nil {
			scores = append(scores, *s)
		}
		return err
	})
	if err != nil || len(scores) == 0 {
		return row, err
	}
	row.Row = newRow(a.m.Class.Name, a.tier, "", scores)
	return row, nil
}

// score segments one record and compares.
func (a *ablation) score(e *expert, r *manifests.Record) (*Score, error) {
	truth, err := truthOf(r, a.truthDir)
	if err != nil {
		return nil, err
	}
	p, ms, err := e.segment(a.store, r)
	if err != nil {
		return nil, err
	}
	s, err := compare(r, a.tier, truth, p.mask)
	if err != nil {
		return nil, err
	}
	s.cpuMs = metric.Of(ms)
	return s, nil
}

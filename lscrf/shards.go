package lscrf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Partial is the statistics of some shards of a training set. Partials of all shards, merged in
// any order and grouping, are those of one pass over the whole, and give the same models bit for
// bit.
type Partial struct {
	Shards []int // which of Of, ascending
	Of     int
	About  Model // Class, Labels, Setup, Manifest and Dim are what the statistics depend on
	stats  *Statistics
}

// CollectShard makes the statistics of one shard: src holds its images alone.
func CollectShard(ctx context.Context, t *Trainer, shard, of int, pairs bool, progress func(done, total int)) (*Partial, error) {
	if err := t.scan(ctx); err != nil {
		return nil, err
	}
	p := &Partial{Shards: []int{shard}, Of: of, About: t.About, stats: &Statistics{pairs: pairs}}
	p.About.Options, p.About.Dim = TrainDefaults(), t.About.Setup.Dim()
	if t.dim > 0 {
		p.About.Dim = t.dim
	}
	if t.Source.Len() == 0 { // more shards than images
		return p, nil
	}
	var err error
	p.stats, err = Collect(ctx, t.Source, len(t.About.Labels), pairs, t.About.seesCells(), t.Workers, progress)
	return p, err
}

// NeedsImages returns an error that names the first setting for which training needs the images,
// which statistics do not have, and what to set instead.
func (o TrainOptions) NeedsImages() error {
	const text = "train.%s needs the images, which statistics do not have: --set train.%[1]s=0, or train on one machine"
	switch {
	case o.TreeFeatures.On():
		return fmt.Errorf(text, "treeFeatures.folds")
	case o.ChooseFolds > 0:
		return fmt.Errorf(text, "chooseFolds")
	case o.Solver == regress.SGD:
		return errors.New("train.solver=sgd needs the images, which statistics do not have: --set train.solver=cg, or train on one machine")
	}
	return nil
}

// Merge adds the statistics of o, which may be changed. It refuses statistics of other data or
// settings, and a shard that is already there.
func (p *Partial) Merge(o *Partial) error {
	if p.Of != o.Of || p.stats.pairs != o.stats.pairs {
		return fmt.Errorf("shards of %d and of %d, or with and without edges", p.Of, o.Of)
	}
	a, err := p.About.body()
	if err != nil {
		return err
	}
	b, err := o.About.body()
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return errors.New("statistics of another manifest, or of other superpixels or features")
	}
	for _, s := range o.Shards {
		if slices.Contains(p.Shards, s) {
			return fmt.Errorf("shard %d/%d is given twice", s, p.Of)
		}
	}
	p.Shards = slices.Sorted(slices.Values(slices.Concat(p.Shards, o.Shards)))
	p.stats.merge(o.stats)
	return nil
}

// Images returns the number of images by the tiers that they have masks of, joined by '+'.
func (p *Partial) Images() map[string]int {
	out := map[string]int{}
	for _, g := range p.stats.strata {
		if g.tier == g.has[0] { // an image is in the strata of all its tiers
			out[Mix(g.has).Plus()] += g.images
		}
	}
	return out
}

// Train fits a linear model. It is an error if shards are missing.
func (p *Partial) Train(s Spec, o TrainOptions) (*Trained, error) {
	var missing []string
	for i := range p.Of {
		if !slices.Contains(p.Shards, i) {
			missing = append(missing, fmt.Sprintf("%d/%d", i, p.Of))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("train: the statistics lack --shard %s: merge those of all shards first", strings.Join(missing, ", "))
	}
	if s.Model != Linear || s.Terms == Pairwise && !p.stats.pairs {
		return nil, fmt.Errorf("train: these statistics cannot train a %s model with %s terms", s.Model, s.Terms)
	}
	needs := o
	if !o.chooses(s) {
		needs.ChooseFolds = 0 // this model has nothing to choose
	}
	if err := needs.NeedsImages(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if sum, _, _ := p.stats.sum(s.Tiers, Unary); sum == nil {
		return nil, fmt.Errorf("train: no image has a mask of the tiers %s", s.Tiers)
	}
	about := p.About
	about.become(s, o)
	got := &Trained{Model: &about}
	p.stats.fit(got)
	return got, nil
}

// partialMagic starts a statistics file, which goes on like a model file: the header as JSON, and
// then per stratum its own statistics as regress writes them, each with its length before it.
const partialMagic = "hdseg statistics 1\n"

// ErrPartial is wrapped by the errors of UnmarshalBinary.
var ErrPartial = errors.New("not a statistics file of this version, or damaged")

type partialHeader struct {
	Shards []int
	Of     int
	Pairs  bool
	About  json.RawMessage
	Groups []groupHeader
}

// A groupHeader names a stratum. Fold is 0; version 0.2.0 wrote others with train.lambdas.
type groupHeader struct {
	Has    []manifests.Tier
	Tier   manifests.Tier
	Fold   int
	Images int
}

// MarshalBinary returns the file form: equal statistics have equal bytes, whatever they were merged
// from.
func (p *Partial) MarshalBinary() ([]byte, error) {
	about, err := p.About.body()
	if err != nil {
		return nil, err
	}
	h := partialHeader{Shards: p.Shards, Of: p.Of, Pairs: p.stats.pairs, About: about}
	for _, g := range p.stats.strata {
		h.Groups = append(h.Groups, groupHeader{g.has, g.tier, 0, g.images})
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := block([]byte(partialMagic), header)
	for _, g := range p.stats.strata {
		for _, terms := range p.stats.terms() {
			b, err := g.stats[terms].MarshalBinary()
			if err != nil {
				return nil, err
			}
			out = block(out, b)
		}
	}
	return seal(out), nil
}

// UnmarshalBinary reads a statistics file and refuses one that was cut short or edited.
func (p *Partial) UnmarshalBinary(data []byte) error {
	rest, err := unseal(partialMagic, data)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrPartial, err)
	}
	head, rest := next(rest)
	var h partialHeader
	if err := json.Unmarshal(head, &h); err != nil {
		return fmt.Errorf("%w: %v", ErrPartial, err)
	}
	q := Partial{Shards: h.Shards, Of: h.Of, stats: &Statistics{pairs: h.Pairs}}
	if err = q.About.fromBody(h.About); err == nil {
		err = q.About.settings()
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrPartial, err)
	}
	for _, gh := range h.Groups {
		one := &Statistics{strata: []*stratum{{has: gh.Has, tier: gh.Tier, images: gh.Images, stats: map[string]*regress.Stats{},
			spent: map[string]time.Duration{}}}}
		for _, terms := range q.stats.terms() {
			s := new(regress.Stats)
			var b []byte
			if b, rest = next(rest); b == nil {
				return fmt.Errorf("%w: a part is missing", ErrPartial)
			}
			if err := s.UnmarshalBinary(b); err != nil {
				return fmt.Errorf("%w: %w", ErrPartial, err)
			}
			one.strata[0].stats[terms] = s
		}
		q.stats.merge(one)
	}
	*p = q
	return nil
}

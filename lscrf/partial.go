package lscrf

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Partial is the statistics of some shards of a training set. Partials of all shards, merged in any order and
// grouping, are those of one pass over the whole, and give the same models bit for bit.
type Partial struct {
	Shards []int // which of Of, ascending
	Of     int
	About  Model // Class, Labels, Setup, Manifest, Dim and Options are what the statistics depend on
	stats  *Statistics
}

// CollectShard makes the statistics of one shard: src holds its images alone.
func CollectShard(ctx context.Context, t *Trainer, shard, of int, pairs bool, progress func(done, total int)) (*Partial, error) {
	if err := t.scan(ctx); err != nil {
		return nil, err
	}
	p := &Partial{Shards: []int{shard}, Of: of, About: t.About, stats: &Statistics{pairs: pairs}}
	p.About.Options, p.About.Dim = statisticsOptions(t.Options), t.About.Setup.Dim()
	if t.dim > 0 {
		p.About.Dim = t.dim
	}
	if t.Source.Len() == 0 { // more shards than images
		return p, nil
	}
	var err error
	p.stats, err = Collect(ctx, t.Source, t.Options, t.Alike, len(t.About.Labels), pairs, t.Workers, progress)
	return p, err
}

// statisticsOptions are the options that statistics depend on; the others have their defaults.
func statisticsOptions(o TrainOptions) TrainOptions {
	d := TrainDefaults()
	d.Orientation, d.Lambdas, d.Folds, d.MinQuality = o.Orientation, o.Lambdas, o.Folds, o.MinQuality
	return d
}

// StatisticsFault returns the first setting that statistics cannot serve, since training then needs the images, and what
// to set instead.
func (o TrainOptions) StatisticsFault() error {
	for _, f := range []struct {
		fault       bool
		name, value string
	}{
		{o.TreeFeatures.On(), "treeFeatures.folds", "0"},
		{o.Context > 0, "context", "0"},
		{o.Sampling != SampleAll, "sampling", SampleAll},
		{o.Choose.On(), "choose.folds", "0"},
	} {
		if f.fault {
			return fmt.Errorf("train.%s needs the images, which statistics do not have: --set train.%s=%s, or train on one machine", f.name, f.name, f.value)
		}
	}
	return nil
}

// Merge adds the statistics of o, which may be changed. It refuses statistics of other data or settings, and a
// shard that is already there.
func (p *Partial) Merge(o *Partial) error {
	if p.Of != o.Of || p.stats.pairs != o.stats.pairs {
		return fmt.Errorf("shards of %d and of %d, or with and without edges", p.Of, o.Of)
	}
	a, err := p.settings()
	if err != nil {
		return err
	}
	b, err := o.settings()
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return errors.New("statistics of another manifest, or of other superpixels, features, orientation, least quality or number of folds")
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

// settings returns what two partials must share.
func (p *Partial) settings() ([]byte, error) { return p.About.body() }

// Train fits a linear model. The options may differ from those of the statistics in everything that they do not
// depend on. It is an error if shards are missing.
func (p *Partial) Train(s Spec, o TrainOptions) (*Trained, error) {
	var missing []int
	for i := range p.Of {
		if !slices.Contains(p.Shards, i) {
			missing = append(missing, i)
		}
	}
	have := p.About.Options
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("train: of %d shards these are missing: %v", p.Of, missing)
	case s.Model != Linear || s.Terms == Pairwise && !p.stats.pairs:
		return nil, fmt.Errorf("train: these statistics cannot train a %s model with %s terms", s.Model, s.Terms)
	case o.Orientation != have.Orientation || o.parts() != have.parts():
		return nil, errors.New("train: the statistics were made with another orientation or number of folds")
	case o.MinQuality != 0 && o.MinQuality != have.MinQuality:
		return nil, fmt.Errorf("train: the statistics were made with train.minQuality %g, which cannot become %g", have.MinQuality, o.MinQuality)
	}
	o.MinQuality = have.MinQuality
	needs := o
	if !o.chooses(s) {
		needs.Choose = ChooseOptions{} // this model has nothing to choose
	}
	if err := needs.StatisticsFault(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	about := p.About
	about.become(s, o)
	got := &Trained{Model: &about}
	if p.stats.mix(s.Tiers, Unary).images == 0 {
		return nil, fmt.Errorf("train: no image has a mask of the tiers %s", s.Tiers)
	}
	p.stats.fit(got)
	return got, nil
}

// partialMagic starts a statistics file, which goes on like a model file: the header as JSON, and then per group its own
// statistics as regress writes them, each with its length before it.
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

type groupHeader struct {
	Has    []manifests.Tier
	Tier   manifests.Tier
	Fold   int
	Images int
}

// MarshalBinary returns the file form: equal statistics have equal bytes, whatever they were merged from.
func (p *Partial) MarshalBinary() ([]byte, error) {
	about, err := p.About.body()
	if err != nil {
		return nil, err
	}
	h := partialHeader{Shards: p.Shards, Of: p.Of, Pairs: p.stats.pairs, About: about}
	for _, g := range p.stats.groups {
		h.Groups = append(h.Groups, groupHeader{g.has, g.tier, g.fold, g.images})
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := []byte(partialMagic)
	block := func(b []byte) {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(b)))
		out = append(out, b...)
	}
	block(header)
	for _, g := range p.stats.groups {
		for _, terms := range p.stats.terms() {
			b, err := g.parts[terms].stats.MarshalBinary()
			if err != nil {
				return nil, err
			}
			block(b)
		}
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// terms returns the kinds of statistics of every group.
func (s *Statistics) terms() []string {
	if s.pairs {
		return []string{Unary, Pairwise}
	}
	return []string{Unary}
}

// UnmarshalBinary reads a statistics file and refuses one that was cut short or edited.
func (p *Partial) UnmarshalBinary(data []byte) error {
	end := len(data) - sha256.Size
	if end < len(partialMagic) || string(data[:len(partialMagic)]) != partialMagic || sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return fmt.Errorf("%w: got %d bytes", ErrPartial, len(data))
	}
	rest := data[len(partialMagic):end]
	block := func() []byte {
		if len(rest) < 8 {
			return nil
		}
		n := binary.LittleEndian.Uint64(rest)
		if n > uint64(len(rest)-8) {
			return nil
		}
		b := rest[8 : 8+n]
		rest = rest[8+n:]
		return b
	}
	var h partialHeader
	if err := json.Unmarshal(block(), &h); err != nil {
		return fmt.Errorf("%w: %v", ErrPartial, err)
	}
	q := Partial{Shards: h.Shards, Of: h.Of, stats: &Statistics{pairs: h.Pairs}}
	err := q.About.fromBody(h.About)
	if err == nil {
		err = q.About.settings()
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrPartial, err)
	}
	for _, gh := range h.Groups {
		g := &group{has: gh.Has, tier: gh.Tier, fold: gh.Fold, images: gh.Images, parts: map[string]*part{}}
		for _, terms := range q.stats.terms() {
			s := new(regress.Stats)
			if err := s.UnmarshalBinary(block()); err != nil {
				return fmt.Errorf("%w: %w", ErrPartial, err)
			}
			g.parts[terms] = &part{stats: s}
		}
		q.stats.groups = append(q.stats.groups, g)
	}
	*p = q
	return nil
}

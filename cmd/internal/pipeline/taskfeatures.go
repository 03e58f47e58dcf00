package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"

	"hdseg/lscrf/tools/cache"
	"hdseg/manifests"
)

// inRun returns the place of a shard's features, which are made with the vocabulary of all.
func (s Shard) inRun() place {
	p := s.place()
	p.vocabulary = built.vocabulary
	return p
}

func (t *taskRun) features(ctx context.Context) (made, error) {
	set, err := t.from(t.final(), "masks")
	if err != nil {
		return made{}, err
	}
	p := t.shard.inRun()
	setup, err := p.setup(t.e, t.store)
	if err != nil {
		return made{}, err
	}
	f, err := p.extract(ctx, t.e, set, setup, t.Workers, t.Progress)
	if err != nil {
		return made{}, err
	}
	return f.made(cache.IndexPath(p.dir)), f.Close()
}

// join does the stage features by joining those of all shards.
func (t *taskRun) join(ctx context.Context) (made, error) {
	return t.stage(ctx, "features", t.joinFeatures, "features")
}

// joinFeatures writes the features of all shards in the manifest's order.
func (t *taskRun) joinFeatures(ctx context.Context) (made, error) {
	defer lean()()
	set, err := t.from(t.final(), "masks")
	if err != nil {
		return made{}, err
	}
	m := set.Manifest
	// what else they say is not needed, and large
	for i, any := 0, make([]manifests.Mask, 1); i < len(m.Records); i++ {
		r := &m.Records[i]
		*r = manifests.Record{ID: r.ID, Split: r.Split, Masks: any[:min(1, len(r.Masks))]}
	}
	debug.FreeOSMemory()
	setup, err := built.setup(t.e, t.store)
	if err != nil {
		return made{}, err
	}
	key, err := built.key(set.Digest, t.e, setup)
	if err != nil {
		return made{}, err
	}
	var shards []*Features
	for i := range t.w.Shards {
		f, err := Shard{i, t.w.Shards}.inRun().open(t.e, set)
		if err != nil {
			return made{}, redo("features", i, t.w.Shards, err)
		}
		defer f.Close()
		shards = append(shards, f)
	}
	skipped := map[string]manifests.Skip{}
	for _, p := range t.parts {
		for _, k := range p.Skips {
			skipped[k.Record] = k
		}
	}
	f, err := t.inOrder(ctx, m, cache.NewWriter(t.store, built.dir, setup.Dim(), key), shards, skipped)
	if err != nil {
		return made{}, err
	}
	f.Setup = setup
	return f.made(f.outputs()...), f.Close()
}

// inOrder writes the images of shards into one cache, and opens it.
func (t *taskRun) inOrder(ctx context.Context, m *manifests.Manifest, w *cache.Writer, shards []*Features,
	skipped map[string]manifests.Skip) (*Features, error) {
	var skips []manifests.Skip
	next, show := make([]int, len(shards)), t.Progress("joining features")
	for i := range m.Records {
		show(i+1, len(m.Records))
		r, k := &m.Records[i], i%len(shards)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(r.Masks) == 0 {
			continue
		}
		if next[k] < shards[k].Len() {
			im, err := shards[k].Get(next[k])
			if err != nil {
				return nil, redo("features", k, len(shards), err)
			}
			if im.ID == r.ID && im.Split == r.Split {
				if err := w.Add(im); err != nil {
					return nil, err
				}
				if next[k]++; next[k]%16 == 0 {
					shards[k].Forget(next[k] - 1)
				}
				continue
			}
		}
		skip, ok := skipped[r.ID]
		if !ok {
			return nil, redo("features", k, len(shards), fmt.Errorf("it lacks %s", r.ID))
		}
		skips = append(skips, skip)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	c, err := cache.Open(t.store, built.dir)
	return &Features{Cache: c, Store: t.store, Dir: built.dir, Skips: skips}, err
}

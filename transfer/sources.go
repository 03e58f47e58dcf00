package transfer

import (
	"context"
	"errors"

	"hdseg/manifests"
	"hdseg/transfer/pool"
)

// sources returns the pool of all training records that have a manual mask, in the manifest's order.
func sources(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o Options, workers int, tick func()) (*pool.Pool, []manifests.Skip, error) {
	var from []*manifests.Record
	inTest := manifests.TestOverlap(m)
	for i := range m.Records {
		r := &m.Records[i]
		if !isSource(r) {
			continue
		}
		// Before the split stage a training copy of a test picture may still be here; it must not vote.
		if _, by := inTest(r); by == "" {
			from = append(from, r)
		}
	}
	all := pool.New(o.Pool)
	var skips []manifests.Skip
	err := manifests.Each(ctx, workers, len(from), func(ctx context.Context, i int) (*pool.Pool, error) {
		r := from[i]
		im, err := loadImage(store, r, o.Limits)
		if err != nil {
			return nil, err
		}
		ref, _ := r.MaskOf(manifests.Manual)
		mask, err := loadMask(store, r, ref)
		if err != nil {
			return nil, err
		}
		p := pool.New(o.Pool)
		p.Add(r.ID, r.Synset, im, mask)
		return p, nil
	}, func(i int, p *pool.Pool, err error) error {
		tick()
		if skip := new(skipError); errors.As(err, &skip) {
			skips = append(skips, manifests.Skip{Record: from[i].ID, Reason: skip.code, Detail: skip.Error()})
			return nil
		}
		if err != nil {
			return err
		}
		all.Append(p)
		return nil
	})
	return all, skips, err
}

// isSource tells whether a record's mask may be transferred: never one of the test split.
func isSource(r *manifests.Record) bool {
	_, ok := r.MaskOf(manifests.Manual)
	return ok && r.Split == manifests.Train
}

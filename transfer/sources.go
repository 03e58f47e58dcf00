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
	inTest := testTwin(m)
	for i := range m.Records {
		if r := &m.Records[i]; isSource(r) && !inTest(r) {
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

// testTwin tells whether a record is also in the test split, by id, bytes or pixels: before the split stage a
// training copy of a test picture may still be in the manifest, and must not vote.
func testTwin(m *manifests.Manifest) func(*manifests.Record) bool {
	ids, digests := map[string]bool{}, map[manifests.Digest]bool{}
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Test {
			ids[r.ID], digests[r.Image.SHA256], digests[r.Image.Pixels] = true, true, true
		}
	}
	delete(digests, "") // not known is not equal
	return func(r *manifests.Record) bool {
		return ids[r.ID] || digests[r.Image.SHA256] || digests[r.Image.Pixels]
	}
}

package lscrf

import (
	"context"
	"fmt"

	"hdseg/ingest/load"
	"hdseg/lscrf/superpixel"
	"hdseg/manifests"
)

// Extract makes the graph of every record that has a mask and hands it to emit, in the manifest's
// order whatever the number of workers. A record whose image or mask cannot be read is skipped.
func Extract(ctx context.Context, m *manifests.Manifest, store *manifests.Store, setup Setup, workers int, progress func(done, total int), emit func(*manifests.Record, *Graph) error) ([]manifests.Skip, error) {
	var todo []*manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; len(r.Masks) > 0 {
			todo = append(todo, r)
		}
	}
	var skips []manifests.Skip
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (*Graph, error) { return graphOf(store, todo[i], setup) },
		func(i int, g *Graph, err error) error {
			progress(i+1, len(todo))
			if err != nil {
				skips = append(skips, unreadable(todo[i], err))
				return nil
			}
			return emit(todo[i], g)
		})
	return skips, err
}

// graphOf returns the graph of a record with the labels of each of its tiers.
func graphOf(store *manifests.Store, r *manifests.Record, setup Setup) (*Graph, error) {
	img, err := load.Image(store, r)
	if err != nil {
		return nil, err
	}
	g, sp := NewGraph(r.ID, img, setup)
	g.Labels = map[manifests.Tier][]uint8{}
	for _, t := range r.Tiers() {
		mask, ok := r.MaskOf(t)
		if !ok {
			continue
		}
		px, err := load.Mask(store, r, mask)
		if err != nil {
			return nil, err
		}
		g.Labels[t] = superpixel.Majority(sp, px)
	}
	return g, nil
}

func errNoMask(r *manifests.Record) error {
	return fmt.Errorf("%s: the test record has no manual mask", r.ID)
}

func unreadable(r *manifests.Record, err error) manifests.Skip {
	return manifests.Skip{Record: r.ID, Reason: "unreadable", Detail: err.Error()}
}

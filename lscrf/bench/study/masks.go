package study

import (
	"context"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// A MaskAccuracy compares a tier's masks with the manual masks of the same training images.
type MaskAccuracy struct {
	Tier     manifests.Tier `json:"tier"`
	Images   int            `json:"images"`
	IoUMean  metric.Value   `json:"iou_mean"`
	IoU      metric.Value   `json:"iou_pooled"`
	PerClass metric.Value   `json:"per_class_pooled"` // %
}

// CompareMasks reads the masks of all records that have a manual one and another.
func CompareMasks(ctx context.Context, m *manifests.Manifest, store *manifests.Store) ([]MaskAccuracy, error) {
	counts := map[manifests.Tier][]*metric.Confusion{}
	var tiers []manifests.Tier
	for i := range m.Records {
		r := &m.Records[i]
		manual, ok := r.MaskOf(manifests.Manual)
		if !ok || r.Split != manifests.Train {
			continue
		}
		for _, t := range r.Tiers() {
			mask, ok := r.MaskOf(t)
			if !ok || t == manifests.Manual {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			truth, err := load.Mask(store, r, manual)
			if err != nil {
				return nil, err
			}
			px, err := load.Mask(store, r, mask)
			if err != nil {
				return nil, err
			}
			c := metric.NewConfusion(2)
			c.Add(truth.Pix, px.Pix)
			if counts[t] == nil {
				tiers = append(tiers, t)
			}
			counts[t] = append(counts[t], c)
		}
	}
	slices.SortFunc(tiers, compareTiers)
	out := []MaskAccuracy{}
	for _, t := range tiers {
		pool := metric.Pool(2, counts[t])
		mean, _ := metric.Mean(metric.PerImage(counts[t], metric.FigureIoU))
		out = append(out, MaskAccuracy{t, len(counts[t]), mean, metric.FigureIoU(pool), metric.PerClassAccuracy(pool).Scale(100)})
	}
	return out, nil
}

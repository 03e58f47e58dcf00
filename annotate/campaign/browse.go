package campaign

import (
	"time"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// ModelTier names the mask that a model makes, beside those of the manifest's tiers.
const ModelTier manifests.Tier = "model"

// A Compared is what a model makes of the test pictures.
type Compared struct {
	// IoU is that of the model's mask with the true one, by the id of the record.
	IoU map[string]float64
	// Digest is that of the model: pages keep what was drawn of it by this.
	Digest manifests.Digest
	// Mask makes the model's mask. Several goroutines may call it.
	Mask func(r *manifests.Record) (*raster.Mask, error)
}

// Browse returns the records of a manifest to look at: nothing of a campaign is read, and nothing
// can be changed. With model, which may be nil, the worst of its pictures come first.
func Browse(s *manifests.Store, m *manifests.Manifest, digest manifests.Digest, model *Compared) *Campaign {
	c := &Campaign{Name: m.Dataset, Manifest: m, Digest: digest, Store: s, SelfReview: true, byKey: map[string]*Item{}, now: time.Now}
	for i := range m.Records {
		r := &m.Records[i]
		it := &Item{Key: Key(r.ID), Record: r, viewed: true, lines: map[string]*Line{}}
		if c.byKey[it.Key] != nil { // before split, training may have it too
			it.Key = Key(r.ID + " " + string(r.Split))
		}
		if model != nil && r.Split == manifests.Test {
			if iou, ok := model.IoU[r.ID]; ok {
				it.iou, it.model = &iou, model
			}
		}
		c.items, c.byKey[it.Key] = append(c.items, it), it
	}
	return c
}

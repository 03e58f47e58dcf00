package campaign

import (
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

// A Learned is what a model makes of the pictures that learns while people work.
type Learned struct {
	// Accepted counts the masks that were accepted here and that it learned from, Set those of the
	// data set.
	Accepted int `json:"accepted"`
	Set      int `json:"set"`
	// Differs tells, by the id of the record, how far its mask and the proposal disagree: 1 minus
	// their intersection over union, 0 to 1.
	Differs map[string]float64 `json:"-"`
	// Mask makes its mask; nil while it knows nothing. Several goroutines may call it.
	Mask func(r *manifests.Record) (*raster.Mask, error) `json:"-"`
}

// SetLearned replaces what the model makes of the pictures. l is not changed any more.
func (c *Campaign) SetLearned(l *Learned) { c.learned.Store(l) }

// Version counts what happened since the campaign was opened.
func (c *Campaign) Version() int { return int(c.changes.Load()) }

// Accepted returns the masks that are accepted now, by the ids of their records.
func (c *Campaign) Accepted() map[string]manifests.Mask {
	out := map[string]manifests.Mask{}
	for _, it := range c.items {
		it.mu.Lock()
		l := it.line(Main)
		if r := l.Revision(l.Head); l.State == Accepted && r != nil {
			out[it.Record.ID] = r.mask(it.Record)
		}
		it.mu.Unlock()
	}
	return out
}

// guess returns what the model makes of an item for those who work on a line; nil where there is
// none, or it is not shown to them.
func (it *Item) guess(line string) *Learned {
	if it.learned == nil || !it.shown(line, ModelTier) {
		return nil
	}
	return it.learned.Load()
}

// modeled makes the mask of a model for those who work on a line of an item; nil where there is
// none, or it is not shown to them.
func (it *Item) modeled(line string) maker {
	if it.model != nil {
		return func() (*raster.Mask, error) { return it.model.Mask(it.Record) }
	}
	if k := it.guess(line); k != nil && k.Mask != nil {
		return func() (*raster.Mask, error) { return k.Mask(it.Record) }
	}
	return nil
}

package transfer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hdseg/ingest/raster"
	"hdseg/manifests"
	"hdseg/transfer/pool"
)

// A Result is what Run made.
type Result struct {
	Manifest *manifests.Manifest
	CPUms    map[string]float64 // processor time per record id, of the run that made its mask
}

// Run gives every training record of the bbox and label tiers a mask of that tier and returns the new manifest,
// whose masks lie in the store. Sources are the training records with a manual mask; records of the test split
// are never read. A record that cannot be used is listed in Skipped and keeps what it had; a mask that a person
// revised is left alone. progress (may be nil) is told after every image, sources included.
//
// The result does not depend on workers. Each finished image is noted in the store's .work folder, so that the
// same call after an interruption resumes there. m is not changed; Parent is left for the caller to set.
func Run(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o Options, workers int, progress func(done, total int)) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	config, err := o.Digest()
	if err != nil {
		return nil, err
	}
	out := &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	out.Stage, out.Config = "transfer", config
	var targets []int
	total := 0
	for i := range m.Records {
		if r := &m.Records[i]; isTarget(r) {
			targets = append(targets, i)
			total++
		} else if isSource(r) {
			total++
		}
	}
	done := 0
	tick := func() {
		done++
		if progress != nil {
			progress(done, total)
		}
	}
	src, skips, err := sources(ctx, m, store, o, workers, tick)
	if err != nil {
		return nil, err
	}
	w := &worker{store: store, pool: src, poolDigest: src.Digest(), o: o, config: config, version: m.Version}
	res := &Result{Manifest: out, CPUms: map[string]float64{}}
	err = manifests.Each(ctx, workers, len(targets), func(ctx context.Context, i int) (entry, error) {
		return w.record(&m.Records[targets[i]])
	}, func(i int, e entry, err error) error {
		tick()
		r := &out.Records[targets[i]]
		if skip := new(skipError); errors.As(err, &skip) {
			skips = append(skips, manifests.Skip{Record: r.ID, Reason: skip.code, Detail: skip.Error()})
			return nil
		}
		if err != nil {
			return err
		}
		r.Masks = withMask(r.Masks, e.Mask)
		res.CPUms[r.ID] = e.CPUms
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Skipped = append(slices.Clone(m.Skipped), skips...)
	slices.SortFunc(out.Skipped, func(a, b manifests.Skip) int {
		if c := strings.Compare(a.Record, b.Record); c != 0 {
			return c
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	return res, nil
}

// isTarget tells whether Run makes a mask for a record.
func isTarget(r *manifests.Record) bool {
	if r.Split != manifests.Train || r.Tier != manifests.BBox && r.Tier != manifests.Label {
		return false
	}
	old, ok := r.MaskOf(r.Tier)
	return !ok || strings.HasPrefix(old.WasGeneratedBy, activity)
}

// activity begins the name of what generated a mask: transfer/bbox or transfer/label.
const activity = "transfer/"

// withMask returns the masks with one of Revision 0 in place of an earlier transfer's.
func withMask(old []manifests.Mask, m manifests.Mask) []manifests.Mask {
	out := slices.DeleteFunc(slices.Clone(old), func(k manifests.Mask) bool { return k.Tier == m.Tier })
	out = append(out, m)
	slices.SortFunc(out, func(a, b manifests.Mask) int {
		if c := strings.Compare(string(a.Tier), string(b.Tier)); c != 0 {
			return c
		}
		return a.Revision - b.Revision
	})
	return out
}

// A worker makes the masks of single records; it is shared by all goroutines and only read.
type worker struct {
	store      *manifests.Store
	pool       *pool.Pool
	poolDigest manifests.Digest
	o          Options
	config     manifests.Digest
	version    string
}

// record makes, stores and notes the mask of one record, or recalls it.
func (w *worker) record(r *manifests.Record) (entry, error) {
	k, err := key(r, w.poolDigest, w.config)
	if err != nil {
		return entry{}, err
	}
	if e, ok, err := recall(w.store, k); ok || err != nil {
		return e, err
	}
	windows, err := windowsOf(r)
	if err != nil {
		return entry{}, err
	}
	im, err := loadImage(w.store, r, w.o.Limits)
	if err != nil {
		return entry{}, err
	}
	clock := startCPU()
	p := propose(im, windows, w.pool, func(id string) bool { return id == r.ID }, w.o)
	e := entry{CPUms: clock.stop()}
	path, sum, err := w.store.Put("masks/"+string(r.Tier), r.ID, "png", raster.EncodeMaskPNG(p.mask))
	if err != nil {
		return entry{}, err
	}
	e.Mask = manifests.Mask{Tier: r.Tier, Path: path, SHA256: sum, Quality: p.quality, Status: p.status}
	_, e.Mask.Figure, e.Mask.Void = p.mask.Areas()
	e.Mask.Provenance = manifests.Provenance{
		WasGeneratedBy:  activity + string(r.Tier),
		Used:            []manifests.Digest{r.Image.SHA256, w.poolDigest},
		WasAttributedTo: "hdseg@" + w.version,
	}
	for _, v := range p.voters {
		e.Mask.WasDerivedFrom = append(e.Mask.WasDerivedFrom, v.ID)
	}
	return e, e.record(w.store, k)
}

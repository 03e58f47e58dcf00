package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Result is what Run made.
type Result struct {
	Manifest *manifests.Manifest
	CPUms    map[string]float64 // processor time per record id, of the run that made its mask
	Warnings []string           // what a user should know although the masks were made
	Experts  []string           // store paths of what the masks were made with
	Mended   []string           // lines on damaged experts; the masks are what they would be without
}

// A Progress is called when a phase begins, with its name in the user's words. It returns what is
// called with the count of the phase: done never falls, and total stays the same.
type Progress func(phase string) func(done, total int)

// Run gives every training record of the bbox and label tiers a mask of that tier and returns the
// new manifest, whose masks lie in the store. Sources are the training records with a manual mask,
// and for the label tier the good masks of the bbox tier, which comes first; records of the test
// split are never read. A record that cannot be used is listed in Skipped and keeps what it had; a
// mask that a person revised is left alone. Without a source masks are made all the same, as those
// inside boxes are worth looking at: each carries a status, and Warnings says it. progress (may be
// nil) is called with the name of each phase, and what it returns after every step of the phase.
//
// The result does not depend on workers. What was learned is kept in the store, see ExpertsDir, and
// each finished image is noted in its .work folder, so that the same call after an interruption
// resumes there. m is not changed; Parent is left for the caller to set.
func Run(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o Options, workers int,
	progress Progress) (*Result, error) {
	return RunPart(ctx, m, store, o, Part{}, workers, progress)
}

// RunPart is Run restricted to a part of the work; see Part and Merge.
func RunPart(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o Options, part Part, workers int,
	progress Progress) (*Result, error) {
	if progress == nil {
		progress = func(string) func(done, total int) { return func(int, int) {} }
	}
	if err := part.validate(m, o); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := o.anyArray(m); err != nil {
		return nil, err
	}
	out := &manifests.Manifest{Header: m.Header, Records: m.Records}
	if !part.LearnOnly {
		out.Records = slices.Clone(m.Records) // they get masks
	}
	out.Stage = "transfer"
	out.Configure(o.Canonical())
	out.Skipped = earlierSkips(m, part.Round)
	res := &Result{Manifest: out, CPUms: map[string]float64{}}
	if part.Round == manifests.Label && o.Staged {
		res.warnUnmasked(m)
	}
	var small []string // sources without an object
	for _, tier := range rounds(part.Round) {
		r := round{store: store, o: o, part: part, config: out.Config, tier: tier, workers: workers, version: m.Version}
		r.small, r.progress = &small, progress
		if err := r.run(ctx, res); err != nil {
			return nil, err
		}
	}
	res.warnSmall(small, o)
	part.cut(m, out)
	sortSkips(out)
	return res, nil
}

// sortSkips sorts skips and drops what stands twice: a bad source may have been met in both rounds,
// and each shard has those of its input.
func sortSkips(out *manifests.Manifest) {
	slices.SortFunc(out.Skipped, func(a, b manifests.Skip) int { return a.Compare(&b) })
	out.Skipped = slices.Compact(out.Skipped)
}

// isTarget tells whether Run makes a mask for a record.
func isTarget(r *manifests.Record) bool {
	if r.Split != manifests.Train || r.Tier != manifests.BBox && r.Tier != manifests.Label {
		return false
	}
	old, ok := r.MaskOf(r.Tier)
	return !ok || old.Transferred()
}

// withMask returns the masks with one of Revision 0 in place of an earlier transfer's.
func withMask(old []manifests.Mask, m manifests.Mask) []manifests.Mask {
	out := slices.DeleteFunc(slices.Clone(old), func(k manifests.Mask) bool { return k.Tier == m.Tier })
	out = append(out, m)
	slices.SortFunc(out, func(a, b manifests.Mask) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), a.Revision-b.Revision)
	})
	return out
}

// A round makes the masks of one tier.
type round struct {
	store   *manifests.Store
	o       Options
	part    Part
	config  manifests.Digest
	tier    manifests.Tier
	workers int
	version string
	small   *[]string // sources without an object, of all rounds so far
	expert  *expert

	progress Progress
}

// run adds the tier's masks, skips and times to res.
func (w *round) run(ctx context.Context, res *Result) error {
	out := res.Manifest
	targets := targetsOf(out, w.tier)
	if len(targets) == 0 {
		return nil
	}
	all := sourcesOf(out, w.tier, w.o)
	of := len(targets)
	targets = w.part.share(targets)
	l := &learner{store: w.store, o: w.o, tier: w.tier, version: w.version, workers: w.workers}
	l.phase = func(name string) func(done, total int) { return w.progress(fmt.Sprintf("%s (tier %s)", name, w.tier)) }
	var err error
	if w.expert, err = l.learn(ctx, all); err != nil {
		return err
	}
	if l.damaged {
		res.Mended = append(res.Mended, w.expert.path+": was not what transfer wrote, and was learned again")
	}
	res.Experts = append(res.Experts, w.expert.path)
	out.Skipped = append(out.Skipped, l.skips...)
	*w.small = append(*w.small, l.small...)
	if w.expert.pool.Len() == 0 {
		res.warnNoSource(w.tier, of)
	}
	if w.part.LearnOnly {
		return nil
	}
	show := l.phase("cutting out figures")
	return manifests.Each(ctx, w.workers, len(targets), func(ctx context.Context, i int) (entry, error) {
		return w.record(&out.Records[targets[i]])
	}, func(i int, e entry, err error) error {
		show(i+1, len(targets))
		r := &out.Records[targets[i]]
		if e := new(skipError); errors.As(err, &e) {
			out.Skipped = append(out.Skipped, skip(w.store, r.ID, e))
			return nil
		}
		if err != nil {
			return err
		}
		r.Masks = withMask(r.Masks, e.Mask)
		res.CPUms[r.ID] = e.CPUms
		return nil
	})
}

// record makes, stores and notes the mask of one record, or recalls it.
func (w *round) record(r *manifests.Record) (entry, error) {
	k := imageKey(r, w.expert.digest, w.config, w.version)
	if e, ok, err := recall(w.store, k); ok || err != nil {
		return e, err
	}
	defer load.Hold(r, raster.Segmenting)()
	p, ms, err := w.expert.segment(w.store, r)
	if err != nil {
		return entry{}, err
	}
	e := entry{CPUms: ms}
	path, sum, err := w.store.Put("masks/"+string(r.Tier), r.ID, "png", raster.EncodeMaskPNG(p.mask))
	if err != nil {
		return entry{}, err
	}
	e.Mask = manifests.Mask{Tier: r.Tier, Path: path, SHA256: sum, Quality: p.quality, Status: p.status}
	_, e.Mask.Figure, e.Mask.Void = p.mask.Areas()
	e.Mask.Provenance = manifests.Provenance{
		WasGeneratedBy:  manifests.TransferActivity + string(r.Tier),
		Used:            []manifests.Digest{r.Image.SHA256, w.expert.digest},
		WasAttributedTo: "hdseg@" + w.version,
	}
	for _, v := range p.voters {
		e.Mask.WasDerivedFrom = append(e.Mask.WasDerivedFrom, v.ID)
	}
	return e, e.record(w.store, k)
}

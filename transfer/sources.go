package transfer

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"

	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer/pool"
	"hdseg/transfer/wordnet"
)

// A source is a record whose mask may be transferred.
type source struct {
	record *manifests.Record
	mask   manifests.Mask
	alike  map[string]string // see manifests.Alike
}

// group names the pictures that are alike. In cross-fits they stay on one side, so that a picture
// is never judged by what was learned from its twin.
func (s source) group() string { return groupOf(s.alike, s.record.ID) }

func groupOf(alike map[string]string, id string) string {
	if g, ok := alike[id]; ok {
		return g
	}
	return id
}

// groupsOf numbers the groups of sources by the first of each.
func groupsOf(all []source) map[string]int {
	out := map[string]int{}
	for i, s := range all {
		if _, ok := out[s.group()]; !ok {
			out[s.group()] = i
		}
	}
	return out
}

// sourcesOf returns the sources of a tier in the manifest's order: training records with a manual
// mask, and for the label tier, if staged, the nearest of those whose transferred bbox mask is
// predicted to be good. Records of the test split, and copies of their pictures, which may still be
// there before the split stage, are never among them.
func sourcesOf(m *manifests.Manifest, tier manifests.Tier, o Options) []source {
	var out, staged []source
	inTest, alike := manifests.TestOverlap(m), manifests.Alike(m.Records)
	for i := range m.Records {
		r := &m.Records[i]
		if r.Split != manifests.Train {
			continue
		}
		if _, by := inTest(r); by != "" {
			continue
		}
		if ref, ok := r.MaskOf(manifests.Manual); ok {
			out = append(out, source{r, ref, alike})
		} else if ref, ok := r.MaskOf(manifests.BBox); ok && tier == manifests.Label && o.Staged {
			if ref.Status == "" && ref.Figure > 0 && (ref.Revision > 0 || ref.Quality >= o.SourceQuality) {
				staged = append(staged, source{r, ref, alike})
			}
		}
	}
	return append(out, nearest(staged, targetSynsets(m, tier), o.StagedSources)...)
}

// targetSynsets returns the synsets of the records that get masks of a tier.
func targetSynsets(m *manifests.Manifest, tier manifests.Tier) []string {
	var out []string
	for i := range m.Records {
		if r := &m.Records[i]; r.Tier == tier && isTarget(r) && !slices.Contains(out, r.Synset) {
			out = append(out, r.Synset)
		}
	}
	return out
}

// nearest returns n sources, shared out among the target synsets: each in turn gets the source that
// is fewest WordNet steps from it, the better mask among equals, of those that none has yet. They
// are in the order in which they came.
func nearest(all []source, synsets []string, n int) []source {
	if len(all) <= n {
		return all
	}
	queues := make([][]int, len(synsets))
	for k, synset := range synsets {
		queues[k] = slices.Clone(byDistance(all, synset)[:n]) // all that it can get
	}
	taken := map[int]bool{}
	for len(taken) < n && len(queues) > 0 {
		for k, q := range queues {
			for len(q) > 0 && taken[q[0]] {
				q = q[1:]
			}
			if len(q) > 0 && len(taken) < n {
				taken[q[0]] = true
			}
			queues[k] = q
		}
	}
	var out []source
	for i, s := range all {
		if taken[i] {
			out = append(out, s)
		}
	}
	return out
}

// byDistance returns the indices of sources, those of synsets fewest WordNet steps from one first,
// better masks first among equals.
func byDistance(all []source, synset string) []int {
	known := map[string]int{}
	order, steps := make([]int, len(all)), make([]int, len(all))
	for i, s := range all {
		of := s.record.Synset
		if _, ok := known[of]; !ok {
			known[of] = wordnet.Distance(synset, of)
		}
		order[i], steps[i] = i, known[of]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(steps[i], steps[j]), cmp.Compare(all[j].worth(), all[i].worth()))
	})
	return order
}

// worth is the predicted IoU of a source's mask, more than any for one that a person drew.
func (s source) worth() float64 {
	if s.mask.Revision > 0 {
		return 2
	}
	return s.mask.Quality
}

// isSource tells a source and those alike by their records' ids: what a pool must not answer with
// when the source is asked about.
func (s source) isSource(id string) bool { return groupOf(s.alike, id) == s.group() }

// load reads a source's picture and mask.
func (s source) load(store *manifests.Store, o Options) (picture, *raster.Mask, error) {
	im, err := o.loadPicture(store, s.record)
	if err != nil {
		return im, nil, err
	}
	mask, err := loadMask(store, s.record, s.mask)
	return im, mask, err
}

// loadPlain is load without what the built-in network says, which takes time and is never missing.
func (s source) loadPlain(store *manifests.Store, o Options) (picture, *raster.Mask, error) {
	if !dense.Folder(o.Dense) {
		o.Dense = nil
	}
	return s.load(store, o)
}

// sourceWindows returns where a source's objects are: around each, or the whole picture for the
// label tier.
func sourceWindows(mask *raster.Mask, tier manifests.Tier, o Options) []image.Rectangle {
	if tier == manifests.BBox {
		return pool.Windows(mask, o.Pool.MinAreaPx)
	}
	if _, figure, _ := mask.Areas(); figure < o.Pool.MinAreaPx {
		return nil
	}
	return []image.Rectangle{image.Rect(0, 0, mask.Width, mask.Height)}
}

// gather returns the pool of all sources and those that could be read.
func (l *learner) gather(ctx context.Context, all []source) (*pool.Pool, []source, error) {
	sum := pool.New(l.o.Pool)
	var good []source
	show := l.phase("reading masks to learn from")
	err := manifests.Each(ctx, l.workers, len(all), func(ctx context.Context, i int) (*pool.Pool, error) {
		defer load.Hold(all[i].record, raster.Decoding)()
		im, mask, err := all[i].loadPlain(l.store, l.o)
		if err != nil {
			return nil, err
		}
		p := pool.New(l.o.Pool)
		for _, r := range sourceWindows(mask, l.tier, l.o) {
			p.AddWindow(all[i].record.ID, im.RGB, mask, r)
		}
		return p, nil
	}, func(i int, p *pool.Pool, err error) error {
		show(i+1, len(all))
		if e := new(skipError); errors.As(err, &e) {
			l.skips = append(l.skips, skip(l.store, all[i].record.ID, e))
			return nil
		}
		if err != nil {
			return err
		}
		if p.Len() > 0 {
			sum.Append(p)
			good = append(good, all[i])
		} else {
			l.small = append(l.small, all[i].record.ID)
		}
		return nil
	})
	return sum, good, err
}

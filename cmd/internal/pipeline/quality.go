package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/bench/study"
	"hdseg/manifests"
)

// Qualities returns the predicted quality of the newest mask of every training image and tier, where it has one.
func Qualities(m *manifests.Manifest) map[string]study.TierQuality {
	out := map[string]study.TierQuality{}
	newest(m, func(r *manifests.Record, k *manifests.Mask) {
		if out[r.ID] == nil {
			out[r.ID] = study.TierQuality{}
		}
		if k.Quality > 0 {
			out[r.ID][k.Tier] = k.Quality
		}
	})
	return out
}

// newest calls do for the newest mask of every training image and tier.
func newest(m *manifests.Manifest, do func(r *manifests.Record, k *manifests.Mask)) {
	for i := range m.Records {
		r := &m.Records[i]
		if r.Split != manifests.Train {
			continue
		}
		for _, t := range r.Tiers() {
			if k, ok := r.MaskOf(t); ok {
				do(r, &k)
			}
		}
	}
}

// trusted tells whether a mask is trained on: drawn by people, or predicted to be as good as least.
func trusted(t manifests.Tier, quality, least float64) bool {
	return t == manifests.Manual || quality >= least
}

// atLeast leaves the masks of a source that are predicted to be worse than least out.
func atLeast(src lscrf.Source, m *manifests.Manifest, least float64) lscrf.Source {
	if least == 0 {
		return src
	}
	q := Qualities(m)
	return lscrf.Masks(src, func(id string, t manifests.Tier) bool { return trusted(t, q[id][t], least) })
}

// LeftOut says how many masks of each tier train.minQuality leaves out; nothing if it is 0.
func LeftOut(m *manifests.Manifest, least float64) []string {
	all, out, unknown := map[manifests.Tier]int{}, map[manifests.Tier]int{}, map[manifests.Tier]int{}
	newest(m, func(_ *manifests.Record, k *manifests.Mask) {
		all[k.Tier]++
		if trusted(k.Tier, k.Quality, least) {
			return
		}
		out[k.Tier]++
		if k.Quality == 0 {
			unknown[k.Tier]++
		}
	})
	var lines []string
	for _, t := range slices.Sorted(maps.Keys(out)) {
		line := fmt.Sprintf("train.minQuality %g leaves out %d of %d %s masks", least, out[t], all[t], t)
		if n := unknown[t]; n > 0 {
			line += fmt.Sprintf(", %d of them because nothing predicts their IoU", n)
		}
		lines = append(lines, line)
	}
	return lines
}

// Doubted says which masks that models are trained on have a status, that is a reason to distrust them; "" if none has. Without
// models it looks at all tiers.
func Doubted(m *manifests.Manifest, least float64, models []lscrf.Spec) string {
	used := map[manifests.Tier]bool{}
	for _, s := range models {
		for _, t := range s.Tiers.Unweighted() {
			used[t] = true
		}
	}
	all, why := map[manifests.Tier]int{}, map[manifests.Tier]map[string]int{}
	newest(m, func(_ *manifests.Record, k *manifests.Mask) {
		if len(used) > 0 && !used[k.Tier] || !trusted(k.Tier, k.Quality, least) {
			return
		}
		all[k.Tier]++
		if k.Status != "" {
			if why[k.Tier] == nil {
				why[k.Tier] = map[string]int{}
			}
			why[k.Tier][k.Status]++
		}
	})
	var tiers []string
	for _, t := range slices.Sorted(maps.Keys(why)) {
		n, reasons := 0, []string(nil)
		for _, s := range slices.Sorted(maps.Keys(why[t])) {
			n += why[t][s]
			reasons = append(reasons, fmt.Sprintf("%d %s", why[t][s], s))
		}
		tiers = append(tiers, fmt.Sprintf("%d of %d %s masks (%s)", n, all[t], t, strings.Join(reasons, ", ")))
	}
	if len(tiers) == 0 {
		return ""
	}
	return "trained on as any other, though their status says to distrust them: " + strings.Join(tiers, ", ") + "; --min-quality leaves out those that are predicted to be bad, but no manual one"
}

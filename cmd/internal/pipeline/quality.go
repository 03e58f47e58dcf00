package pipeline

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/manifests"
)

// Masked counts the training images that have a mask of each tier. With usable, the mask must have
// figure, and no status, which is a reason to distrust it, unless it was cut out of a box.
func Masked(m *manifests.Manifest, usable bool) map[manifests.Tier]int {
	images := map[manifests.Tier]int{}
	for _, k := range trainingMasks(m) {
		if !usable || k.Figure > 0 && (k.Status == "" || k.Tier == manifests.BBox) {
			images[k.Tier]++
		}
	}
	return images
}

// trainingMasks iterates over the newest mask of each tier of every training image.
func trainingMasks(m *manifests.Manifest) iter.Seq2[*manifests.Record, manifests.Mask] {
	return func(yield func(*manifests.Record, manifests.Mask) bool) {
		for i := range m.Records {
			r := &m.Records[i]
			for _, t := range r.Tiers() {
				if k, ok := r.MaskOf(t); ok && r.Split == manifests.Train && !yield(r, k) {
					return
				}
			}
		}
	}
}

// Specs returns the models of the table of a data set; see bench.Options.For.
func Specs(e *configs.Experiment, m *manifests.Manifest) []lscrf.Spec {
	return e.Bench.For(slices.Collect(maps.Keys(Masked(m, false)))).Specs()
}

// specs are the models that a build trains: none where no mask can teach one anything.
func (b *build) specs(m *manifests.Manifest) []lscrf.Spec {
	if len(Masked(m, true)) == 0 {
		return nil
	}
	return Specs(b.e, m)
}

// Doubted says how many training masks of the tiers of some models have a status, which is a reason
// to distrust them; "" if none has. Without models it looks at all tiers.
func Doubted(m *manifests.Manifest, models []lscrf.Spec) string {
	used := map[manifests.Tier]bool{}
	for _, s := range models {
		for _, t := range s.Tiers {
			used[t] = true
		}
	}
	all, why := map[manifests.Tier]int{}, map[manifests.Tier]map[string]int{}
	for _, k := range trainingMasks(m) {
		if len(used) > 0 && !used[k.Tier] {
			continue
		}
		if all[k.Tier]++; k.Status != "" {
			if why[k.Tier] == nil {
				why[k.Tier] = map[string]int{}
			}
			why[k.Tier][k.Status]++
		}
	}
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
	return "trained on as any other, though their status says to distrust them: " + strings.Join(tiers, ", ")
}

package pipeline

import (
	"fmt"
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
	for i := range m.Records {
		for _, t := range m.Records[i].Tiers() {
			k, ok := m.Records[i].MaskOf(t)
			if !ok || m.Records[i].Split != manifests.Train {
				continue
			}
			if !usable || k.Figure > 0 && (k.Status == "" || t == manifests.BBox) {
				images[t]++
			}
		}
	}
	return images
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
	for i := range m.Records {
		r := &m.Records[i]
		for _, t := range r.Tiers() {
			k, ok := r.MaskOf(t)
			if !ok || r.Split != manifests.Train || len(used) > 0 && !used[t] {
				continue
			}
			if all[t]++; k.Status != "" {
				if why[t] == nil {
					why[t] = map[string]int{}
				}
				why[t][k.Status]++
			}
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

package transfer

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests"
)

func (res *Result) warn(format string, args ...any) {
	res.Warnings = append(res.Warnings, fmt.Sprintf(format, args...))
}

// warnNoSource says that nothing voted for the masks of a tier. It is no error: what colours alone
// find in a box is worth a look, and every such mask carries a status.
func (res *Result) warnNoSource(tier manifests.Tier, targets int) {
	if tier == manifests.Label {
		res.warn("no training image has a mask that can vote: the masks of the %d label images are guesses, as no mask of a person "+
			"supports them, each with a status; do not train on them: ingest images with masks first", targets)
		return
	}
	res.warn("no training image has a manual mask that can vote: the masks of the %d bbox images come from their boxes and "+
		"colours alone, each with a status: ingest images with masks first", targets)
}

// warnUnmasked says that boxed images from which the label tier would learn have no masks.
func (res *Result) warnUnmasked(m *manifests.Manifest) {
	skipped := transferSkips(m)
	n, of, first := 0, 0, ""
	for i := range m.Records {
		r := &m.Records[i]
		if r.Tier != manifests.BBox || !isTarget(r) {
			continue
		}
		of++
		if _, ok := r.MaskOf(manifests.BBox); !ok && !skipped[r.ID] {
			if n++; n == 1 {
				first = r.ID
			}
		}
	}
	if n > 0 {
		res.warn("%d of %d bbox images have no mask from which the label tier could learn, the first is %s: make round bbox "+
			"first (--round bbox), merge all its shards and begin from that manifest", n, of, first)
	}
}

// maxNamed bounds the ids in a warning.
const maxNamed = 10

// warnSmall names the sources that vote for nothing, as their masks have no object; each once.
func (res *Result) warnSmall(small []string, o Options) {
	slices.Sort(small)
	small = slices.Compact(small)
	if len(small) == 0 {
		return
	}
	more := ""
	if n := len(small) - maxNamed; n > 0 {
		small, more = small[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	res.warn("these do not vote, as their masks have no object of %d pixels (transfer.pool.minAreaPx): %s%s", o.Pool.MinAreaPx,
		strings.Join(small, ", "), more)
}

package metric

import (
	"cmp"
	"math/bits"
	"slices"
)

// A Best is the most that any labeling of whole parts of pictures (superpixels) reaches, as
// fractions. Each score is by itself: the labelings that reach them differ.
type Best struct {
	PerClass Value `json:"per_class"` // mean of the recalls of the labels in truth
	Pixel    Value `json:"pixel"`     // the majority of each part
	IoU      Value `json:"iou"`       // of label 1; none for other than two labels
}

// Parts hold the true pixels of the parts of all pictures, which are scored together: N[i*Labels+l]
// pixels of part i have true label l. Void is counted nowhere.
type Parts struct {
	Labels int
	N      []int64
}

// Best returns the exact maximum of every score over all labelings of the parts, which is found
// without trying them:
//   - a pixel of label l adds 1/total(l) to per-class accuracy and 1/all to pixel accuracy,
//     whatever the other parts are given, so each part takes the label that adds most;
//   - IoU is TP/(P+FP), and TP - q(P+FP) is largest where the parts with n1 > q n0 are figure.
//     So for the maximum q the figure is the parts above a share of figure pixels, and one sweep
//     over the shares meets it.
//
// Undefined without pixels; IoU also without pixels of label 1.
func (p *Parts) Best() Best {
	totals := make([]int64, p.Labels)
	for i, n := range p.N {
		totals[i%p.Labels] += n
	}
	var all, right int64
	recalled := make([]int64, p.Labels)
	for part := range slices.Chunk(p.N, p.Labels) {
		most, best := int64(0), 0
		for l, n := range part {
			most = max(most, n)
			if totals[l] > 0 && (totals[best] == 0 || above(n, totals[l], part[best], totals[best]) > 0) {
				best = l
			}
		}
		right += most
		recalled[best] += part[best]
	}
	recalls := make([]Value, p.Labels)
	for l, n := range totals {
		all += n
		recalls[l] = Ratio(recalled[l], n)
	}
	b := Best{Pixel: Ratio(right, all)}
	b.PerClass, _ = Mean(recalls)
	if p.Labels == 2 {
		b.IoU = p.bestIoU(totals[1])
	}
	return b
}

// bestIoU sweeps the parts from the largest share of label 1 down.
func (p *Parts) bestIoU(total int64) Value {
	parts := slices.Collect(slices.Chunk(p.N, 2))
	slices.SortFunc(parts, func(a, b []int64) int { return -above(a[1], a[0]+a[1], b[1], b[0]+b[1]) })
	var in, false1 int64
	best := Ratio(0, total)
	for _, n := range parts {
		in, false1 = in+n[1], false1+n[0]
		if v := Ratio(in, total+false1); v.V > best.V && best.OK {
			best = v
		}
	}
	return best
}

// above compares a/b with c/d exactly; numbers are not negative, and 0/0 is 0.
func above(a, b, c, d int64) int {
	if b == 0 || d == 0 {
		return cmp.Compare(min(a, b), min(c, d))
	}
	h1, l1 := bits.Mul64(uint64(a), uint64(d))
	h2, l2 := bits.Mul64(uint64(c), uint64(b))
	return cmp.Or(cmp.Compare(h1, h2), cmp.Compare(l1, l2))
}

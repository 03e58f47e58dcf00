package metric

import (
	"fmt"
	"math"
)

// BoundaryTolerance is the usual tolerance of BoundaryF as a fraction of the picture's diagonal
// (Csurka, Larlus and Perronnin, "What is a good evaluation measure for semantic
// segmentation?", BMVC 2013, section 3.2). DAVIS (Perazzi et al., CVPR 2016) takes 0.008.
const BoundaryTolerance = 0.0075

// Diagonal returns fraction times the length of a picture's diagonal, in pixels.
func Diagonal(width, height int, fraction float64) float64 {
	return fraction * math.Hypot(float64(width), float64(height))
}

// A Boundary compares two contours: Precision is the fraction of the predicted contour's
// pixels within the tolerance of the true contour, Recall the fraction of the true one's
// within the tolerance of the predicted one, F = 2PR/(P+R). With only one contour F is 0, with
// neither it is undefined.
type Boundary struct{ Precision, Recall, F Value }

// BoundaryF scores the contour of one label. Both maps are width*height, pixel (x, y) at
// y*width+x; distances are Euclidean, at most tolerancePx >= 0 counts as met.
//
// The contour of a map is its pixels of the label with a 4-neighbor, inside the picture, that
// is not of the label; the picture's frame is no contour. A void pixel of truth counts as
// the nearest labeled pixel's label (a tie is not the label), so that the contour runs along
// the middle of the void band that VOC draws around objects; contour pixels of either map that lie
// in void farther than the tolerance from any labeled pixel are left out. A void pixel of
// predicted is not the label. The cost is a few passes over the picture.
func BoundaryF(truth, predicted []uint8, width, height int, label uint8, tolerancePx float64) Boundary {
	n := width * height
	if width < 1 || height < 1 || len(truth) != n || len(predicted) != n {
		panic(fmt.Sprintf("metric: maps of %d and %d pixels, want %d x %d", len(truth), len(predicted), width, height))
	}
	if label == Void || !(tolerancePx >= 0) {
		panic(fmt.Sprintf("metric: label %d with tolerance %v px, want a label and 0 or more", label, tolerancePx))
	}
	limit := int64(math.Min(tolerancePx*tolerancePx, float64(far-1)))
	inTruth, inPredicted := make([]bool, n), make([]bool, n)
	void := false
	for i := range truth {
		inTruth[i] = truth[i] == label
		inPredicted[i] = predicted[i] == label
		void = void || truth[i] == Void
	}
	var skip []bool
	if void {
		skip = fillVoid(truth, inTruth, width, height, label, limit)
	}
	a, b := contour(inTruth, skip, width, height), contour(inPredicted, skip, width, height)
	recall, precision := met(a, b, width, height, limit), met(b, a, width, height, limit)
	out := Boundary{Precision: precision, Recall: recall}
	switch {
	case precision.OK && recall.OK && precision.V+recall.V > 0:
		out.F = Of(2 * precision.V * recall.V / (precision.V + recall.V))
	case precision.OK || recall.OK:
		out.F = Of(0)
	}
	return out
}

// fillVoid gives void pixels the nearest label in the map in and returns which of them are farther
// from a labeled pixel than the limit, a squared distance.
func fillVoid(truth []uint8, in []bool, width, height int, label uint8, limit int64) (skip []bool) {
	n := len(truth)
	other := make([]bool, n)
	for i, t := range truth {
		other[i] = t != label && t != Void
	}
	toLabel, toOther := squaredDistance(in, width, height), squaredDistance(other, width, height)
	skip = make([]bool, n)
	for i, t := range truth {
		if t == Void {
			in[i] = toLabel[i] < toOther[i]
			skip[i] = min(toLabel[i], toOther[i]) > limit
		}
	}
	return skip
}

// contour marks the pixels of a map that touch its complement; nil skip leaves none out.
func contour(in, skip []bool, width, height int) []bool {
	out := make([]bool, len(in))
	for y := range height {
		for x := range width {
			i := y*width + x
			if !in[i] || skip != nil && skip[i] {
				continue
			}
			out[i] = x > 0 && !in[i-1] || x+1 < width && !in[i+1] ||
				y > 0 && !in[i-width] || y+1 < height && !in[i+width]
		}
	}
	return out
}

// met returns the fraction of a's pixels within the squared limit of b; undefined if a is empty.
func met(a, b []bool, width, height int, limit int64) Value {
	d := squaredDistance(b, width, height)
	var total, hit int64
	for i, in := range a {
		if in {
			total++
			if d[i] <= limit {
				hit++
			}
		}
	}
	return Ratio(hit, total)
}

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
// predicted is not the label. The cost is a pass over both maps and a few over a sixty-fourth of
// their sizes, times the tolerance, plus the square of the tolerance for void wider than it.
func BoundaryF(truth, predicted []uint8, width, height int, label uint8, tolerancePx float64) Boundary {
	n := width * height
	if width < 1 || height < 1 || len(truth) != n || len(predicted) != n {
		panic(fmt.Sprintf("metric: maps of %d and %d pixels, want %d x %d", len(truth), len(predicted), width, height))
	}
	if label == Void || !(tolerancePx >= 0) {
		panic(fmt.Sprintf("metric: label %d with tolerance %v px, want a label and 0 or more", label, tolerancePx))
	}
	limit := int64(math.Min(tolerancePx*tolerancePx, 1<<40))
	inTruth, void := pixelsOf(truth, width, height, label), pixelsOf(truth, width, height, Void)
	inPredicted := pixelsOf(predicted, width, height, label)
	var deep bitmap
	if void.count() > 0 {
		deep = fillVoid(&inTruth, &void, limit)
	}
	a, b := inTruth.contour(), inPredicted.contour()
	for i, w := range deep.bits {
		a.bits[i] &^= w
		b.bits[i] &^= w
	}
	recall, precision := met(a, b, limit), met(b, a, limit)
	out := Boundary{Precision: precision, Recall: recall}
	switch {
	case precision.OK && recall.OK && precision.V+recall.V > 0:
		out.F = Of(2 * precision.V * recall.V / (precision.V + recall.V))
	case precision.OK || recall.OK:
		out.F = Of(0)
	}
	return out
}

// met returns the fraction of a's pixels within the squared limit of b; undefined if a is empty.
func met(a, b bitmap, limit int64) Value {
	near := b.near(limit)
	return Ratio(a.common(&near), a.count())
}

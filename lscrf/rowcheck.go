package lscrf

import (
	"fmt"
	"math"

	"hdseg/lscrf/tools/metric"
)

// Check returns an error if a row that was read from a file contradicts itself: a score that follows from its counts is not
// the one that it has, or one is out of its range. A row without counts can only be asked for ranges.
func (r *Row) Check() error {
	for name, v := range map[string]metric.Value{"per_class_pooled": r.PerClassPooled, "per_class_mean": r.PerClassMean, "pixel": r.Pixel} {
		if v.OK && !(v.V >= 0 && v.V <= 100) {
			return fmt.Errorf("%s: got %v, want 0..100", name, v.V)
		}
	}
	for name, v := range map[string]metric.Value{"iou_pooled": r.IoUPooled, "iou_mean": r.IoUMean, "boundary_f": r.BoundaryF} {
		if v.OK && !(v.V >= 0 && v.V <= 1) {
			return fmt.Errorf("%s: got %v, want 0..1", name, v.V)
		}
	}
	if !(r.TrainSeconds >= 0 && r.PredictMS >= 0) || r.Images < 0 || r.Unsolved < 0 || r.Unsolved > r.TestImages {
		return fmt.Errorf("got %v s of training, %v ms per image, %d images trained on and %d of %d unsolved, want none below 0", r.TrainSeconds, r.PredictMS, r.Images, r.Unsolved, r.TestImages)
	}
	if len(r.Counts) == 0 {
		return nil
	}
	s := &Score{Labels: r.Counts[0].Labels, Images: r.Counts}
	for i, c := range r.Counts {
		if c.Labels != s.Labels {
			return fmt.Errorf("counts: image %d has %d labels, the first one %d", i, c.Labels, s.Labels)
		}
	}
	if len(r.FoldScores) > 0 { // the images stand in the order of folds
		for _, f := range r.FoldScores {
			if f.Images < 0 || f.Images > len(s.Images)-len(s.Fold) || f.Fold < 0 || f.Fold > len(s.Images) {
				return fmt.Errorf("folds: fold %d has %d images, want as many in all as there are counts: %d", f.Fold, f.Images, len(s.Images))
			}
			for range f.Images {
				s.Fold = append(s.Fold, f.Fold)
			}
		}
		if len(s.Fold) != len(s.Images) {
			return fmt.Errorf("folds: got %d images in all, want %d, of as many as there are counts", len(s.Fold), len(s.Images))
		}
	}
	want := scoresOf(s)
	if r.TestImages != want.TestImages {
		return fmt.Errorf("test_images: got %d, its counts are of %d", r.TestImages, want.TestImages)
	}
	for _, v := range []struct {
		name      string
		got, want metric.Value
	}{
		{"per_class_pooled", r.PerClassPooled, want.PerClassPooled}, {"per_class_mean", r.PerClassMean, want.PerClassMean}, {"pixel", r.Pixel, want.Pixel},
		{"iou_pooled", r.IoUPooled, want.IoUPooled}, {"iou_mean", r.IoUMean, want.IoUMean},
		{"per_class_pooled_sd", r.PerClassPooledSD, want.PerClassPooledSD}, {"pixel_sd", r.PixelSD, want.PixelSD},
	} {
		if !same(v.got, v.want) {
			return fmt.Errorf("%s: got %s, its counts give %s", v.name, v.got.Format(4), v.want.Format(4))
		}
	}
	if len(want.FoldScores) != len(r.FoldScores) {
		return fmt.Errorf("folds: got %d, of which %d have images", len(r.FoldScores), len(want.FoldScores))
	}
	for i, f := range want.FoldScores {
		if g := r.FoldScores[i]; g.Fold != f.Fold || !same(g.Pixel, f.Pixel) || !same(g.PerClassPooled, f.PerClassPooled) {
			return fmt.Errorf("folds: fold %d has other scores than its counts give: pixel %s, want %s; per class %s, want %s", g.Fold, g.Pixel.Format(4), f.Pixel.Format(4), g.PerClassPooled.Format(4), f.PerClassPooled.Format(4))
		}
	}
	return nil
}

// same tells whether two scores are equal but for the order in which a sum was made.
func same(a, b metric.Value) bool {
	return a.OK == b.OK && (!a.OK || math.Abs(a.V-b.V) <= 1e-9*max(1, math.Abs(b.V)))
}

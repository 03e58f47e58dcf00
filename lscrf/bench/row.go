package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Row is one line of the results table: a model trained on a mix of tiers, measured on the
// test split. Accuracies are percents, IoU and boundary F fractions; undefined ones are null.
type Row struct {
	Class   string           `json:"class"`
	Tiers   []manifests.Tier `json:"tiers"`
	Model   string           `json:"model"`   // one of lscrf.Kinds, or oracle
	Terms   string           `json:"terms"`   // unary | pairwise
	Balance string           `json:"balance"` // none | paper
	Images  int              `json:"images"`  // trained on; in cross-validation the mean over folds

	// mean of the labels' recalls over all test pixels
	PerClassPooled metric.Value `json:"per_class_pooled"`
	PerClassMean   metric.Value `json:"per_class_mean"` // mean over test images of the same
	Pixel          metric.Value `json:"pixel"`
	// of the figure; of more than two labels the mean
	IoUPooled metric.Value `json:"iou_pooled"`
	IoUMean   metric.Value `json:"iou_mean"`
	// of the figure, mean over test images; none for more than two labels
	BoundaryF metric.Value `json:"boundary_f"`

	// Standard deviations over the folds of a cross-validation, of the pooled scores of each; none
	// for a test split.
	PerClassPooledSD metric.Value `json:"per_class_pooled_sd"`
	PixelSD          metric.Value `json:"pixel_sd"`
	// FoldScores are the parts of a cross-validation; none for a test split.
	FoldScores []FoldScore `json:"folds,omitempty"`

	// 95% bootstrap intervals over test images.
	PerClassPooledCI [2]metric.Value `json:"per_class_pooled_ci"`
	PerClassMeanCI   [2]metric.Value `json:"per_class_mean_ci"`
	PixelCI          [2]metric.Value `json:"pixel_ci"`
	IoUPooledCI      [2]metric.Value `json:"iou_pooled_ci"`
	IoUMeanCI        [2]metric.Value `json:"iou_mean_ci"`
	BoundaryFCI      [2]metric.Value `json:"boundary_f_ci"`
	PredictMSCI      [2]metric.Value `json:"predict_ms_ci"` // none where no time was taken

	TestImages int `json:"test_images"` // images that were measured
	Unsolved   int `json:"unsolved"`    // test images whose labeling is not proved optimal
	// by the clock, with all workers: statistics of the row's images and the solution
	TrainSeconds float64 `json:"train_seconds"`
	PredictMS    float64 `json:"predict_ms"` // per image, from features to labels
	Counts       Counts  `json:"counts,omitempty"`
}

// A FoldScore is the score of a row on the images that one fold held out, in percent.
type FoldScore struct {
	Fold           int           `json:"fold"`
	Images         int           `json:"images"` // held out
	Pixel          metric.Value  `json:"pixel"`
	PerClassPooled metric.Value  `json:"per_class_pooled"`
	Chosen         *lscrf.Choice `json:"chosen,omitempty"` // by training on the other images
}

// Spec returns the model that the row is of.
func (r *Row) Spec() lscrf.Spec {
	return lscrf.Spec{Tiers: r.Tiers, Model: r.Model, Terms: r.Terms, Balance: r.Balance}
}

// Name names the row for people: "manual + bbox, linear, pairwise".
func (r *Row) Name() string { return lscrf.Mix(r.Tiers).String() + ", " + r.Model + ", " + r.Terms }

// A Column is one score of a row, with its interval.
type Column struct {
	Name  string  // in JSON and CSV
	Title string  // for people
	Most  float64 // 100 for percents, 1 for fractions
	Value metric.Value
	CI    [2]metric.Value
}

// Decimals is the number of decimals that people read.
func (c Column) Decimals() int {
	if c.Most == 1 {
		return 3
	}
	return 1
}

// Columns returns the scores of a row.
func (r *Row) Columns() []Column {
	return []Column{
		{"per_class_pooled", "per class", 100, r.PerClassPooled, r.PerClassPooledCI},
		{"per_class_mean", "per class, mean", 100, r.PerClassMean, r.PerClassMeanCI},
		{"pixel", "pixel", 100, r.Pixel, r.PixelCI},
		{"iou_pooled", "IoU", 1, r.IoUPooled, r.IoUPooledCI},
		{"iou_mean", "IoU, mean", 1, r.IoUMean, r.IoUMeanCI},
		{"boundary_f", "boundary F", 1, r.BoundaryF, r.BoundaryFCI},
	}
}

// deviations returns the standard deviations over folds.
func (r *Row) deviations() []Column {
	return []Column{{Name: "per_class_pooled_sd", Most: 100, Value: r.PerClassPooledSD}, {Name: "pixel_sd", Most: 100, Value: r.PixelSD}}
}

// choose adds what the folds chose.
func (r *Row) choose(all []FoldChoice) {
	for _, c := range all {
		for i := range r.FoldScores {
			if r.FoldScores[i].Fold == c.Fold {
				r.FoldScores[i].Chosen = &c.Choice
			}
		}
	}
}

// scoresOf fills the columns that follow from the counts, without intervals.
func scoresOf(s *Score) Row {
	iouOf := figureIoU(s.Labels)
	pooled := metric.Pool(s.Labels, s.Images)
	r := Row{
		PerClassPooled: metric.PerClassAccuracy(pooled).Scale(100),
		Pixel:          metric.PixelAccuracy(pooled).Scale(100),
		IoUPooled:      iouOf(pooled),
		TestImages:     len(s.Images),
		Counts:         s.Images,
	}
	mean, _ := metric.Mean(metric.PerImage(s.Images, metric.PerClassAccuracy))
	r.PerClassMean = mean.Scale(100)
	r.IoUMean, _ = metric.Mean(metric.PerImage(s.Images, iouOf))
	r.FoldScores = s.byFold()
	r.PerClassPooledSD = deviation(r.FoldScores, func(f FoldScore) metric.Value { return f.PerClassPooled })
	r.PixelSD = deviation(r.FoldScores, func(f FoldScore) metric.Value { return f.Pixel })
	return r
}

// figureIoU is the IoU of the figure; of more than two labels the mean.
func figureIoU(labels int) func(*metric.Confusion) metric.Value {
	if labels > 2 {
		return metric.MeanIoU
	}
	return metric.FigureIoU
}

// rowOf fills the measured columns.
func rowOf(s *Score, often metric.Resampling, seed uint64) Row {
	iouOf := figureIoU(s.Labels)
	perClass := metric.PerImage(s.Images, metric.PerClassAccuracy)
	iou := metric.PerImage(s.Images, iouOf)
	r := scoresOf(s)
	r.Unsolved, r.PredictMS = s.Unsolved, s.PredictMS()
	r.BoundaryF, _ = metric.Mean(s.Boundary)
	if len(s.Images) > 1 { // a single image tells nothing of others
		// the same resamples for every row
		rng := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
		r.PerClassPooledCI = metric.BootstrapPooled(s.Images, often, rng(), metric.PerClassAccuracy).Ends(100)
		r.PerClassMeanCI = metric.BootstrapMean(perClass, often, rng()).Ends(100)
		r.PixelCI = metric.BootstrapPooled(s.Images, often, rng(), metric.PixelAccuracy).Ends(100)
		r.IoUPooledCI = metric.BootstrapPooled(s.Images, often, rng(), iouOf).Ends(1)
		r.BoundaryFCI = metric.BootstrapMean(s.Boundary, often, rng()).Ends(1)
		r.IoUMeanCI = metric.BootstrapMean(iou, often, rng()).Ends(1)
		if len(s.ImageMS) > 0 {
			r.PredictMSCI = metric.BootstrapMean(s.ImageMS, often, rng()).Ends(1)
		}
	}
	return r
}

// deviation returns the standard deviation (n-1) of a score over folds; undefined with fewer than
// two.
func deviation(folds []FoldScore, score func(FoldScore) metric.Value) metric.Value {
	var v []metric.Value
	for _, f := range folds {
		v = append(v, score(f))
	}
	return metric.Deviation(v)
}

// byFold returns the scores of the folds that held out any image.
func (s *Score) byFold() []FoldScore {
	if len(s.Fold) == 0 {
		return nil
	}
	var out []FoldScore
	for f := range slices.Max(s.Fold) + 1 {
		var part []*metric.Confusion
		for i, c := range s.Images {
			if s.Fold[i] == f {
				part = append(part, c)
			}
		}
		if len(part) > 0 {
			sum := metric.Pool(s.Labels, part)
			out = append(out, FoldScore{
				Fold: f, Images: len(part),
				Pixel: metric.PixelAccuracy(sum).Scale(100), PerClassPooled: metric.PerClassAccuracy(sum).Scale(100),
			})
		}
	}
	return out
}

// Check returns an error if a row that was read from a file contradicts itself: a score is out of
// its range, or is not the one that follows from its counts.
func (r *Row) Check() error {
	var want Row
	if len(r.Counts) > 0 {
		s := &Score{Labels: r.Counts[0].Labels, Images: r.Counts}
		for i, c := range r.Counts {
			if c.Labels != s.Labels {
				return fmt.Errorf("counts: image %d has %d labels, the first one %d", i, c.Labels, s.Labels)
			}
		}
		for _, f := range r.FoldScores { // the images stand in the order of folds
			if f.Images < 0 || f.Images > len(s.Images)-len(s.Fold) || f.Fold < 0 || f.Fold > len(s.Images) {
				return fmt.Errorf("folds: fold %d has %d images, want as many in all as there are counts: %d", f.Fold, f.Images,
					len(s.Images))
			}
			for range f.Images {
				s.Fold = append(s.Fold, f.Fold)
			}
		}
		if n := len(s.Fold); n != len(s.Images) && len(r.FoldScores) > 0 {
			return fmt.Errorf("folds: got %d images in all, want %d, of as many as there are counts", n, len(s.Images))
		}
		want = scoresOf(s)
		if r.TestImages != want.TestImages || len(r.FoldScores) != len(want.FoldScores) {
			return fmt.Errorf("test_images: got %d in %d folds, its counts are of %d in %d", r.TestImages, len(r.FoldScores),
				want.TestImages, len(want.FoldScores))
		}
	}
	known := append(want.Columns(), want.deviations()...)
	for i, c := range append(r.Columns(), r.deviations()...) {
		if c.Value.OK && !(c.Value.V >= 0 && c.Value.V <= c.Most) {
			return fmt.Errorf("%s: got %v, want 0..%v", c.Name, c.Value.V, c.Most)
		}
		if v := known[i].Value; len(r.Counts) > 0 && c.Name != "boundary_f" && !same(c.Value, v) {
			return fmt.Errorf("%s: got %s, its counts give %s", c.Name, c.Value.Format(4), v.Format(4))
		}
	}
	for i, f := range want.FoldScores {
		if g := r.FoldScores[i]; g.Fold != f.Fold || !same(g.Pixel, f.Pixel) || !same(g.PerClassPooled, f.PerClassPooled) {
			return fmt.Errorf("folds: fold %d has other scores than its counts give: pixel %s, want %s; per class %s, want %s",
				g.Fold, g.Pixel.Format(4), f.Pixel.Format(4), g.PerClassPooled.Format(4), f.PerClassPooled.Format(4))
		}
	}
	if !(r.TrainSeconds >= 0 && r.PredictMS >= 0) || r.Images < 0 || r.Unsolved < 0 || r.Unsolved > r.TestImages {
		return fmt.Errorf("got %v s of training, %v ms per image, %d images trained on and %d of %d unsolved, want none below 0",
			r.TrainSeconds, r.PredictMS, r.Images, r.Unsolved, r.TestImages)
	}
	return nil
}

// same tells whether two scores are equal but for the order in which a sum was made.
func same(a, b metric.Value) bool {
	return a.OK == b.OK && (!a.OK || math.Abs(a.V-b.V) <= 1e-9*max(1, math.Abs(b.V)))
}

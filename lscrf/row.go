package lscrf

import (
	"math/rand/v2"

	"hdseg/lscrf/metric"
	"hdseg/manifests"
)

// A Row is one line of the results table: a model trained on a mix of tiers, measured on the
// test split. Accuracies are percents, IoU and boundary F fractions; undefined ones are null.
type Row struct {
	Class   string           `json:"class"`
	Tiers   []manifests.Tier `json:"tiers"`
	Model   string           `json:"model"`   // linear
	Terms   string           `json:"terms"`   // unary | pairwise
	Balance string           `json:"balance"` // none | paper
	Images  int              `json:"images"`  // trained on

	PerClassPooled metric.Value `json:"per_class_pooled"` // mean of the two recalls over all test pixels
	PerClassMean   metric.Value `json:"per_class_mean"`   // mean over test images of the same
	Pixel          metric.Value `json:"pixel"`
	IoUPooled      metric.Value `json:"iou_pooled"` // of the figure
	IoUMean        metric.Value `json:"iou_mean"`
	BoundaryF      metric.Value `json:"boundary_f"` // mean over test images

	// 95% bootstrap intervals over test images.
	PerClassPooledCI [2]metric.Value `json:"per_class_pooled_ci"`
	PerClassMeanCI   [2]metric.Value `json:"per_class_mean_ci"`
	IoUMeanCI        [2]metric.Value `json:"iou_mean_ci"`

	TestImages   int     `json:"test_images"`
	Unsolved     int     `json:"unsolved"`      // test images whose labeling is not proved optimal
	TrainSeconds float64 `json:"train_seconds"` // statistics of the row's images and the solution
	PredictMS    float64 `json:"predict_ms"`    // per image, from features to labels
}

// rowOf fills the measured columns.
func rowOf(s *Score, samples int, seed uint64) Row {
	pooled := metric.Pool(labels, s.Images)
	perClass := metric.PerImage(s.Images, metric.PerClassAccuracy)
	iou := metric.PerImage(s.Images, metric.FigureIoU)
	r := Row{
		PerClassPooled: metric.PerClassAccuracy(pooled).Scale(100),
		Pixel:          metric.PixelAccuracy(pooled).Scale(100),
		IoUPooled:      metric.FigureIoU(pooled),
		TestImages:     len(s.Images),
		Unsolved:       s.Unsolved,
		PredictMS:      s.PredictMS,
	}
	mean, _ := metric.Mean(perClass)
	r.PerClassMean = mean.Scale(100)
	r.IoUMean, _ = metric.Mean(iou)
	r.BoundaryF, _ = metric.Mean(s.Boundary)
	if len(s.Images) > 0 {
		rng := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) } // the same resamples for every row
		r.PerClassPooledCI = ends(metric.BootstrapPooled(s.Images, samples, rng(), metric.PerClassAccuracy), 100)
		r.PerClassMeanCI = ends(metric.BootstrapMean(perClass, samples, rng()), 100)
		r.IoUMeanCI = ends(metric.BootstrapMean(iou, samples, rng()), 1)
	}
	return r
}

func ends(i metric.Interval, scale float64) [2]metric.Value {
	return [2]metric.Value{i.Low.Scale(scale), i.High.Scale(scale)}
}

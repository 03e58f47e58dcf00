package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"hdseg/lscrf/tools/metric"
)

// A row that went through a file is right; whatever is changed in it is found, in a test split and in a cross-validation.
func TestARowIsWhatItsCountsSay(t *testing.T) {
	for _, folds := range [][]int{nil, {0, 0, 2}} {
		s := &Score{Labels: 2, Fold: folds}
		for i := range int64(3) {
			c := metric.NewConfusion(2)
			c.N = []int64{7 + i, 3 - i, 0, 2, 8 - i, 1}
			s.Images, s.Boundary = append(s.Images, c), append(s.Boundary, metric.Of(0.5))
		}
		fresh := func() *Row {
			data, err := json.Marshal(rowOf(s, metric.Times(20), 1))
			if err != nil {
				t.Fatal(err)
			}
			r := new(Row)
			if err := json.Unmarshal(data, r); err != nil {
				t.Fatal(err)
			}
			return r
		}
		if err := fresh().Check(); err != nil {
			t.Errorf("folds %v: as it was written: %v", folds, err)
		}
		changes := map[string]func(r *Row){
			"per_class_pooled: got 99.9000, its counts give": func(r *Row) { r.PerClassPooled.V = 99.9 },
			"per_class_mean":                     func(r *Row) { r.PerClassMean = metric.Value{} },
			"pixel: got 80.0000":                 func(r *Row) { r.Pixel.V = 80 },
			"pixel: got 101, want 0..100":        func(r *Row) { r.Pixel.V = 101 },
			"iou_pooled":                         func(r *Row) { r.IoUPooled.V += 1e-6 },
			"iou_mean":                           func(r *Row) { r.IoUMean.V -= 1e-6 },
			"boundary_f: got -1, want 0..1":      func(r *Row) { r.BoundaryF.V = -1 },
			"test_images: got 4":                 func(r *Row) { r.TestImages = 4 },
			"-1 s of training":                   func(r *Row) { r.TrainSeconds = -1 },
			"image 1 has 3 labels":               func(r *Row) { r.Counts[1] = metric.NewConfusion(3) },
			"per_class_pooled: got":              func(r *Row) { r.Counts[0].N[0]-- },
			"pixel_sd: got 3.0000, its counts":   func(r *Row) { r.PixelSD = metric.Of(3) },
			"folds: ":                            func(r *Row) { r.FoldScores = append(r.FoldScores, FoldScore{Fold: 1, Images: 4}) },
			"folds: got 2 images in all, want 3": func(r *Row) { r.FoldScores = []FoldScore{{Fold: 0, Images: 2}} },
		}
		if folds != nil {
			changes["fold 2 has other scores"] = func(r *Row) { r.FoldScores[1].Pixel.V++ }
			changes["fold 5"] = func(r *Row) { r.FoldScores[1].Fold = 5 }
		}
		for want, change := range changes {
			r := fresh()
			change(r)
			if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("folds %v: want %q, got %v", folds, want, err)
			}
		}
	}
}

// More samples than an interval can use are refused: memory and time would have no bound.
func TestSamplesHaveABound(t *testing.T) {
	for n, ok := range map[int]bool{0: false, 1: true, MaxSamples: true, MaxSamples + 1: false, 2_000_000_000: false} {
		o := Defaults()
		o.Samples = n
		if err := o.Validate(); (err == nil) != ok {
			t.Errorf("%d samples: got %v", n, err)
		}
	}
}

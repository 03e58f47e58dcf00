package bench

import (
	"context"
	"time"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// A Score is how a model did on a list of images, in their order.
type Score struct {
	Labels int                 `json:"labels"`
	Images []*metric.Confusion `json:"images"` // of pixels, void left out
	// F of the figure's contour; undefined for more than two labels
	Boundary []metric.Value `json:"boundary"`
	Fold     []int          `json:"fold,omitempty"` // of each image, in cross-validation
	// milliseconds of regression and inference of each image, on one core
	ImageMS []metric.Value `json:"-"`
	// images whose labeling is not proved to be the energy's minimum
	Unsolved int `json:"unsolved"`
	// of Oracle alone: what the superpixels allow
	Best *metric.Best `json:"best,omitempty"`
}

// Evaluate lets every model predict every image and compares pixels; it returns a score per model.
func Evaluate(ctx context.Context, models []*lscrf.Model, images []Scored, workers int, progress func(done, total int)) ([]*Score, error) {
	scores := make([]*Score, len(models))
	for i, m := range models {
		scores[i] = &Score{Labels: len(m.Labels)}
	}
	type one struct {
		confusion *metric.Confusion
		boundary  metric.Value
		spent     time.Duration
		proved    bool
	}
	err := manifests.Each(ctx, workers, len(images),
		func(_ context.Context, i int) ([]one, error) {
			out := make([]one, len(models))
			for j, m := range models {
				start := time.Now()
				p, err := m.Predict(images[i].Graph)
				if err != nil {
					return nil, err
				}
				out[j].spent, out[j].proved = time.Since(start), p.Status == mrf.Optimal
				out[j].confusion, out[j].boundary = images[i].score(p.Labels, len(m.Labels))
			}
			return out, nil
		},
		func(i int, out []one, err error) error {
			for j, o := range out {
				s := scores[j]
				s.Images = append(s.Images, o.confusion)
				s.Boundary = append(s.Boundary, o.boundary)
				s.ImageMS = append(s.ImageMS, metric.Of(o.spent.Seconds()*1e3))
				if !o.proved {
					s.Unsolved++
				}
			}
			progress(i+1, len(images))
			return err
		})
	return scores, err
}

// PredictMS returns the mean of ImageMS, 0 without images.
func (s *Score) PredictMS() float64 {
	mean, _ := metric.Mean(s.ImageMS)
	return mean.V
}

// Oracle returns the score of labeling every superpixel with the majority of its true pixels: no
// model on these superpixels has more pixels right. Best is how high each score can be by itself,
// which needs other labelings.
func Oracle(images []Scored, labels int) *Score {
	s := &Score{Labels: labels}
	parts := metric.Parts{Labels: labels}
	for i := range images {
		t := &images[i]
		y := superpixel.MajorityLabel(t.Map, t.Truth, labels)
		for j, l := range y {
			if l == metric.Void {
				y[j] = 0 // scored nowhere
			}
		}
		c, f := t.score(y, labels)
		s.Images, s.Boundary = append(s.Images, c), append(s.Boundary, f)
		parts.N = append(parts.N, superpixel.Counts(t.Map, t.Truth, labels)...)
	}
	best := parts.Best()
	s.Best = &best
	return s
}

// score compares a label per superpixel with the true pixels.
func (t *Scored) score(y []uint8, labels int) (*metric.Confusion, metric.Value) {
	px := make([]uint8, len(t.Truth))
	for i, id := range t.Map.Labels {
		px[i] = y[id]
	}
	return t.ScorePixels(px, labels)
}

// ScorePixels compares a label per pixel, in the order of Truth, with the true pixels. The second
// value is F of the figure's contour, undefined for more than two labels.
func (t *Scored) ScorePixels(px []uint8, labels int) (*metric.Confusion, metric.Value) {
	c := metric.NewConfusion(labels)
	c.Add(t.Truth, px)
	if labels > 2 {
		return c, metric.Value{}
	}
	w, h := t.Map.Width, t.Map.Height
	return c, metric.BoundaryF(t.Truth, px, w, h, 1, metric.Diagonal(w, h, metric.BoundaryTolerance)).F
}

package lscrf

import (
	"context"
	"time"

	"hdseg/ingest/load"
	"hdseg/ingest/raster"
	"hdseg/lscrf/metric"
	"hdseg/lscrf/superpixel"
	"hdseg/manifests"
)

// A TestImage is a record of the test split, ready to be scored on pixels.
type TestImage struct {
	*Graph
	Map   *superpixel.Map
	Truth *raster.Mask
}

// LoadTest reads the test split of a manifest. A record that cannot be read is skipped.
func LoadTest(ctx context.Context, m *manifests.Manifest, store *manifests.Store, setup Setup, workers int, progress func(done, total int)) ([]TestImage, []manifests.Skip, error) {
	var todo []*manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Test {
			todo = append(todo, r)
		}
	}
	var images []TestImage
	var skips []manifests.Skip
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (t TestImage, err error) {
			r := todo[i]
			mask, ok := r.MaskOf(manifests.Manual)
			if !ok {
				return t, errNoMask(r)
			}
			if t.Truth, err = load.Mask(store, r, mask); err != nil {
				return t, err
			}
			img, err := load.Image(store, r)
			if err != nil {
				return t, err
			}
			t.Graph, t.Map = NewGraph(r.ID, img, setup)
			return t, nil
		},
		func(i int, t TestImage, err error) error {
			progress(i+1, len(todo))
			if err != nil {
				skips = append(skips, unreadable(todo[i], err))
				return nil
			}
			images = append(images, t)
			return nil
		})
	return images, skips, err
}

// A Score is how a model did on a list of test images, in their order.
type Score struct {
	Images    []*metric.Confusion `json:"images"`   // of pixels, void left out
	Boundary  []metric.Value      `json:"boundary"` // F of the figure's contour
	PredictMS float64             `json:"-"`        // mean milliseconds per image of regression and inference, on one core
	Unsolved  int                 `json:"unsolved"` // images whose labeling is not proved to be the energy's minimum
}

// Evaluate predicts every test image and compares pixels.
func Evaluate(ctx context.Context, model *Model, images []TestImage, workers int) (*Score, error) {
	s := &Score{}
	type one struct {
		confusion *metric.Confusion
		boundary  metric.Value
		spent     time.Duration
		proved    bool
	}
	err := manifests.Each(ctx, workers, len(images),
		func(_ context.Context, i int) (o one, err error) {
			t := &images[i]
			start := time.Now()
			p, err := model.Predict(t.Graph)
			o.spent = time.Since(start)
			if err != nil {
				return o, err
			}
			o.proved = p.Optimal()
			o.confusion, o.boundary = t.score(p.Labels)
			return o, nil
		},
		func(_ int, o one, err error) error {
			if err != nil {
				return err
			}
			s.Images = append(s.Images, o.confusion)
			s.Boundary = append(s.Boundary, o.boundary)
			s.PredictMS += o.spent.Seconds() * 1e3 / float64(len(images))
			if !o.proved {
				s.Unsolved++
			}
			return nil
		})
	return s, err
}

// Oracle returns the score of labeling every superpixel with the majority of its true pixels:
// the best that any model on these superpixels can reach.
func Oracle(images []TestImage) *Score {
	s := &Score{}
	for i := range images {
		t := &images[i]
		y := superpixel.Majority(t.Map, t.Truth)
		for j, l := range y {
			if l == raster.Void {
				y[j] = raster.Ground // scored nowhere
			}
		}
		c, f := t.score(y)
		s.Images, s.Boundary = append(s.Images, c), append(s.Boundary, f)
	}
	return s
}

// score compares a label per superpixel with the true pixels.
func (t *TestImage) score(y []uint8) (*metric.Confusion, metric.Value) {
	px := superpixel.Paint(t.Map, y)
	c := metric.NewConfusion(labels)
	c.Add(t.Truth.Pix, px.Pix)
	tol := metric.Diagonal(px.Width, px.Height, metric.BoundaryTolerance)
	return c, metric.BoundaryF(t.Truth.Pix, px.Pix, px.Width, px.Height, raster.Figure, tol).F
}

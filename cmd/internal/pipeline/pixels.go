package pipeline

import (
	"context"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// A Cutout is what a model makes of a picture for its users.
type Cutout struct {
	Mask    *raster.Mask // label of every pixel
	Figure  []float64    // probability of figure per superpixel; nil for more than two labels
	Optimal bool         // no labeling of superpixels has less energy than the one Mask began with
}

// Cut returns what a model makes of a picture, its graph and its superpixels. Masks of figure and
// ground end at the picture's pixels (cut.Regions), those of more labels at superpixels.
func Cut(mod *lscrf.Model, g *lscrf.Graph, sp *superpixel.Map, img *raster.RGB) (*Cutout, error) {
	e, err := mod.Energy(g)
	if err != nil {
		return nil, err
	}
	best := lscrf.Prediction{Result: new(mrf.Solver).Solve(e)}
	c := &Cutout{Optimal: best.Optimal()}
	if len(mod.Labels) != 2 {
		c.Mask = superpixel.Paint(sp, best.Labels)
		return c, nil
	}
	c.Figure = mod.Figure(e)
	c.Mask = cut.Regions(img, cut.Labeling{Map: sp, Figure: c.Figure, Labels: best.Labels})
	return c, nil
}

// Measured are the scores of a model on test pictures, as tables of one row.
type Measured struct {
	Regions *bench.Table // of masks of whole superpixels, as bench has them
	Pixels  *bench.Table // of the masks of Cut
	Score   *bench.Score // of Pixels, in the order of the pictures
}

// MeasureModel makes the tables of a model from its score on test pictures, records of m.
func MeasureModel(ctx context.Context, mod *lscrf.Model, store *manifests.Store, m *manifests.Manifest, test []bench.Scored,
	score *bench.Score, workers int, progress func(done, total int)) (*Measured, error) {
	spec := lscrf.Spec{Tiers: mod.Tiers, Model: mod.Kind, Terms: mod.Terms, Balance: mod.Options.Balance}
	oracle := bench.Oracle(test, len(mod.Labels))
	table := func(s *bench.Score) (*bench.Table, error) {
		return bench.NewTable(ctx, m.Class.Name, bench.IDs(test), []lscrf.Spec{spec},
			[]bench.Measured{{Spec: spec, Images: mod.Images, Score: s}}, oracle, bench.Defaults().Samples, m.Seed)
	}
	out := &Measured{Score: &bench.Score{Labels: len(mod.Labels), Unsolved: score.Unsolved}}
	err := out.measure(ctx, mod, store, m, test, workers, progress)
	if err == nil {
		out.Regions, err = table(score)
	}
	if err == nil {
		out.Pixels, err = table(out.Score)
	}
	return out, err
}

// measure fills Score.
func (s *Measured) measure(ctx context.Context, mod *lscrf.Model, store *manifests.Store, m *manifests.Manifest, test []bench.Scored,
	workers int, progress func(done, total int)) error {
	records := map[string]*manifests.Record{}
	for i := range m.Records {
		records[m.Records[i].ID] = &m.Records[i]
	}
	type one struct {
		confusion *metric.Confusion
		boundary  metric.Value
	}
	return manifests.Each(ctx, workers, len(test), func(_ context.Context, i int) (o one, err error) {
		t := &test[i]
		defer load.Hold(records[t.ID], raster.Segmenting)()
		img, err := load.Image(store, records[t.ID])
		if err != nil {
			return o, err
		}
		c, err := Cut(mod, t.Graph, t.Map, img)
		if err == nil {
			o.confusion, o.boundary = t.ScorePixels(c.Mask.Pix, s.Score.Labels)
		}
		return o, err
	}, func(i int, o one, err error) error {
		s.Score.Images, s.Score.Boundary = append(s.Score.Images, o.confusion), append(s.Score.Boundary, o.boundary)
		progress(i+1, len(test))
		return err
	})
}

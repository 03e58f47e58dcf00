package report

import (
	"context"
	"math/rand/v2"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
)

// A SceneDifference compares the pairwise and the unary model of a kind in a cross-validation: pixel accuracy of the one minus
// that of the other, in points.
type SceneDifference struct {
	Model    string          `json:"model"`
	Question string          `json:"question"` // "pairwise - unary"
	Pixel    metric.Value    `json:"pixel"`    // pooled over all images
	CI       [2]metric.Value `json:"ci"`       // 95% paired bootstrap of Pixel over blocks
	Blocks   int             `json:"blocks"`   // frames of a film in one fold are a block, single pictures are their own
	Folds    []metric.Value  `json:"folds"`    // of each fold, in the order of the rows' folds
	Mean     metric.Value    `json:"mean"`     // of the folds
	SD       metric.Value    `json:"sd"`       // over the folds (n-1)
}

// SceneDifferences compares the rows of a cross-validation. blocks numbers the block of every image of b.Test. The only error is
// that of ctx.
func SceneDifferences(ctx context.Context, b *lscrf.Bench, blocks []int, samples int, seed uint64) ([]SceneDifference, error) {
	often, out := lscrf.Resampling(ctx, samples), []SceneDifference{}
	for _, pair := range b.Rows {
		if pair.Terms != lscrf.Pairwise {
			continue
		}
		unary, ok := find(b.Rows, lscrf.Mix(pair.Tiers).Key(), pair.Model, lscrf.Unary)
		if !ok {
			continue
		}
		d := SceneDifference{Model: pair.Model, Question: "pairwise - unary", Pixel: pair.Pixel.Sub(unary.Pixel)}
		for i, f := range pair.FoldScores {
			d.Folds = append(d.Folds, f.Pixel.Sub(unary.FoldScores[i].Pixel))
		}
		d.Mean, _ = metric.Mean(d.Folds)
		d.SD = metric.Deviation(d.Folds)
		x, y := pooled(pair.Counts, blocks), pooled(unary.Counts, blocks)
		if d.Blocks = len(x); d.Blocks > 0 {
			i := metric.BootstrapDifference(x, y, often, rand.New(rand.NewPCG(seed, 2)), metric.PixelAccuracy)
			d.CI = [2]metric.Value{i.Low.Scale(100), i.High.Scale(100)}
		}
		out = append(out, d)
	}
	return out, ctx.Err()
}

// pooled returns the sum of the counts of every block.
func pooled(counts lscrf.Counts, blocks []int) []*metric.Confusion {
	var out []*metric.Confusion
	for i, c := range counts {
		for blocks[i] >= len(out) {
			out = append(out, metric.NewConfusion(c.Labels))
		}
		out[blocks[i]].Merge(c)
	}
	return out
}

// folds prints the folds of every kind of model.
func (p *printer) folds(rows []lscrf.Row, differences []SceneDifference) {
	for _, model := range distinct([][]lscrf.Row{rows}, func(r lscrf.Row) string { return r.Model }) {
		unary, pair, either := foldsOf(rows, model)
		if len(either) == 0 {
			continue
		}
		p.printf("\n%-18s  %6s  %6s  %8s  %16s\n", model, "images", "unary", "pairwise", "pairwise - unary")
		for i, f := range either {
			u, v := at(unary, i), at(pair, i)
			p.printf("  fold %-11d  %6d  %6s  %8s  %16s", f.Fold, f.Images, u.Pixel.Format(1), v.Pixel.Format(1), points(v.Pixel.Sub(u.Pixel)))
			if v.Chosen != nil {
				p.printf("  chosen in training: %s", v.Chosen)
			}
			p.printf("\n")
		}
		for _, d := range differences {
			if d.Model == model {
				p.printf("  pairwise - unary: mean of folds %s (sd %s); of all images %s, 95%% interval %s to %s (paired bootstrap over %d blocks)\n",
					points(d.Mean), d.SD.Format(1), points(d.Pixel), points(d.CI[0]), points(d.CI[1]), d.Blocks)
			}
		}
	}
}

func at(r lscrf.Row, i int) lscrf.FoldScore {
	if i < len(r.FoldScores) {
		return r.FoldScores[i]
	}
	return lscrf.FoldScore{}
}

// points prints a difference with its sign.
func points(v metric.Value) string {
	if s := v.Format(1); v.V > 0 {
		return "+" + s
	} else {
		return s
	}
}

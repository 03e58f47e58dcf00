package report

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// stanfordImages and stanfordLabels tell the data set of the paper's Table 1 from others in its
// layout.
const (
	stanfordImages = 715
	stanfordLabels = 8
)

// table1 is the paper's Table 1: pixel accuracy in %, unary and pairwise, with standard deviations
// over five splits.
var table1 = map[string][2]string{
	lscrf.Linear:           {"70.3 (1.0)", "73.4 (1.1)"},
	lscrf.Trees:            {"70.9 (1.1)", "73.3 (1.1)"},
	lscrf.Logistic:         {"70.4 (0.8)", "-"},
	lscrf.Pseudolikelihood: {"-", "71.0 (1.1)"},
	lscrf.Piecewise:        {"-", "72.9 (0.9)"},
}

// A SceneDifference compares the pairwise and the unary model of a kind in a cross-validation:
// pixel accuracy of the one minus that of the other, in points.
type SceneDifference struct {
	Model    string          `json:"model"`
	Question string          `json:"question"` // "pairwise - unary"
	Pixel    metric.Value    `json:"pixel"`    // pooled over all images
	CI       [2]metric.Value `json:"ci"`       // 95% paired bootstrap of Pixel over blocks
	// frames of a film in one fold are a block, single pictures are their own
	Blocks int            `json:"blocks"`
	Folds  []metric.Value `json:"folds"` // of each fold, in the order of the rows' folds
	Mean   metric.Value   `json:"mean"`  // of the folds
	SD     metric.Value   `json:"sd"`    // over the folds (n-1)
}

// SceneDifferences compares the rows of a cross-validation. blocks numbers the block of every image
// of t.Test. The only error is that of ctx.
func SceneDifferences(ctx context.Context, t *bench.Table, blocks []int, samples int, seed uint64) ([]SceneDifference, error) {
	often, out := bench.Resampling(ctx, samples), []SceneDifference{}
	for _, pair := range t.Rows {
		unary := find(t.Rows, mixKey(pair), pair.Model, lscrf.Unary)
		if pair.Terms != lscrf.Pairwise || unary == nil {
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
			d.CI = metric.BootstrapDifference(x, y, often, rand.New(rand.NewPCG(seed, 2)), metric.PixelAccuracy).Ends(100)
		}
		out = append(out, d)
	}
	return out, ctx.Err()
}

// pooled returns the sum of the counts of every block.
func pooled(counts bench.Counts, blocks []int) []*metric.Confusion {
	var out []*metric.Confusion
	for i, c := range counts {
		for blocks[i] >= len(out) {
			out = append(out, metric.NewConfusion(c.Labels))
		}
		out[blocks[i]].Merge(c)
	}
	return out
}

// Scenes shows a cross-validation on scenes in short: the layout of the paper's Table 1, the folds
// of every kind of model with what training chose in them, and what pairwise terms add.
func Scenes(labels []string, t *bench.Table, differences []SceneDifference) []Section {
	out := []Section{sceneTable(labels, t), sceneFolds(t)}
	if len(differences) == 0 {
		return out
	}
	s := Section{
		Title: "What pairwise terms add",
		Text: []string{"Pixel accuracy, pairwise minus unary, in points: over all images with its 95% interval, paired bootstrap over " +
			"blocks (frames of a film in one fold are one), and the mean of the folds with its standard deviation."},
		Head: []string{"model", "all images", "mean of folds", "blocks"},
	}
	for _, d := range differences {
		s.Rows = append(s.Rows, []string{d.Model, signed(d.Pixel, 1) + " " + interval(d.CI, 1), signed(d.Mean, 1) + " (" + d.SD.Format(1) +
			")", fmt.Sprint(d.Blocks)})
	}
	return append(out, s)
}

// SceneSections is Scenes with all columns and the confusion of labels.
func SceneSections(labels []string, t *bench.Table, differences []SceneDifference) []Section {
	all := allColumns(t, true)
	all.Title = "All columns" // what the page is of stands above
	all.Text = []string{`On the images that folds hold out. Accuracies in %, IoU from 0 to 1, the mean over labels; what says "mean" ` +
		`is the mean over images, the rest is pooled over pixels. Boundary F is of figures alone, so there is none. Images are those ` +
		`trained on, the mean over folds.`,
		"The 95% bootstrap intervals take every image for itself. Frames of a film are alike, so they are too narrow for them.",
		"Training seconds are by the clock, with as many workers as there were."}
	return append(Scenes(labels, t, differences), all, sceneConfusion(labels, t))
}

// sceneTable is the paper's Table 1. Its own figures stand beside ours where the data are the same.
func sceneTable(labels []string, t *bench.Table) Section {
	s := Section{
		Title: fmt.Sprintf("Pixel accuracy on %d images, %d labels", t.Oracle.TestImages, len(labels)),
		Text: []string{"The layout of the paper's Table 1: pixel accuracy in % over all folds, in brackets its standard deviation over " +
			"the folds and the per-class accuracy. Every superpixel with its true majority label has " + t.Oracle.Pixel.Format(1) +
			", the best that superpixels allow (per class " + t.Oracle.PerClassPooled.Format(1) + allowed(t) + ")."},
		Head: []string{"model", "unary", "pairwise"},
	}
	same := t.Oracle.TestImages == stanfordImages && len(labels) == stanfordLabels
	if same {
		s.Text = append(s.Text, "The paper's splits are not known, so ours differ from them.")
		s.Head = append(s.Head, "the paper's unary", "the paper's pairwise")
	} else {
		s.Text = append(s.Text, fmt.Sprintf("The paper's figures do not stand here: its Table 1 is of the %d pictures and %d labels of "+
			"Stanford Background, these data are others.", stanfordImages, stanfordLabels))
	}
	kinds := distinct(t.Rows, modelOf)
	both := []Series{{Name: lscrf.Unary, Hollow: true, Color: 0}, {Name: lscrf.Pairwise, Color: 1}}
	for k, model := range kinds {
		line := []string{model}
		for i := range both {
			r := ofModel(t.Rows, model, both[i].Name)
			if r == nil {
				line = append(line, "-")
				continue
			}
			line = append(line, fmt.Sprintf("%s (%s; %s)", r.Pixel.Format(1), r.PixelSD.Format(1), r.PerClassPooled.Format(1)))
			if v, sd := r.Pixel, r.PixelSD.V; v.OK {
				both[i].Points = append(both[i].Points, Point{v.V, float64(k), v.V - sd, v.V + sd})
			}
		}
		if same {
			line = append(line, table1[model][0], table1[model][1])
		}
		s.Rows = append(s.Rows, line)
	}
	if p := Dots("Pixel accuracy in % and its standard deviation over the folds", "pixel accuracy, %", kinds, both); p != nil {
		s.Plots = []*Plot{p}
	}
	return s
}

// allowed says which accuracy per class the superpixels allow, by another labeling than the
// majority's.
func allowed(t *bench.Table) string {
	if t.Best == nil {
		return ""
	}
	return "; " + t.Best.PerClass.Format(1) + " with the labels that are best per class"
}

// sceneFolds lists the folds of every kind of model.
func sceneFolds(t *bench.Table) Section {
	s := Section{
		Title: "Folds",
		Text:  []string{"Pixel accuracy in % on what each fold holds out, and what training on the rest chose, if it did."},
		Head:  []string{"fold", "images", "unary", "pairwise", "pairwise minus unary", "chosen in training"},
	}
	chosen := false
	for _, model := range distinct(t.Rows, modelOf) {
		var both [2]bench.FoldScore // of one fold, unary and pairwise
		unary, pair := ofModel(t.Rows, model, lscrf.Unary), ofModel(t.Rows, model, lscrf.Pairwise)
		either := cmp.Or(unary, pair)
		if len(either.FoldScores) > 0 {
			s.Rows = append(s.Rows, []string{model})
		}
		for i, f := range either.FoldScores {
			for k, r := range []*bench.Row{unary, pair} {
				if r != nil {
					both[k] = r.FoldScores[i]
				}
			}
			u, v := both[0], both[1]
			line := []string{fmt.Sprint(f.Fold), fmt.Sprint(f.Images), u.Pixel.Format(1), v.Pixel.Format(1),
				signed(v.Pixel.Sub(u.Pixel), 1), ""}
			if v.Chosen != nil {
				line[5], chosen = v.Chosen.String(), true
			}
			s.Rows = append(s.Rows, line)
		}
	}
	if !chosen {
		s.Head = s.Head[:5]
		for i, r := range s.Rows {
			s.Rows[i] = r[:min(len(r), 5)]
		}
	}
	return s
}

func ofModel(rows []bench.Row, model, terms string) *bench.Row {
	i := slices.IndexFunc(rows, func(r bench.Row) bool { return r.Model == model && r.Terms == terms })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// sceneConfusion lists how the pixels of each true label were labeled, of every row.
func sceneConfusion(labels []string, t *bench.Table) Section {
	s := Section{
		Title: "Confusion",
		Text:  []string{"Of the held-out pixels of each true label (the lines), the percent that got each label (the columns)."},
		Head:  append([]string{"true label"}, labels...),
	}
	for _, r := range t.Rows {
		if len(r.Counts) == 0 || r.Counts[0].Labels != len(labels) {
			continue
		}
		s.Rows = append(s.Rows, []string{r.Model + ", " + r.Terms})
		shares := shares(r.Counts)
		for t, name := range labels {
			s.Rows = append(s.Rows, append([]string{name}, shares[t*len(labels):(t+1)*len(labels)]...))
		}
	}
	return s
}

// shares returns for every true label the percent of its pixels that got each label, row by row.
func shares(counts bench.Counts) (out []string) {
	c := metric.Pool(counts[0].Labels, counts)
	for t := range c.Labels {
		for p := range c.Labels {
			out = append(out, metric.Ratio(c.At(t, p), c.Truth(t)).Scale(100).Format(1))
		}
	}
	return out
}

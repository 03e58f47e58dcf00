package report

import (
	"fmt"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
)

// SceneSections shows a cross-validation on scenes on a page: the paper's Table 1, the folds of every kind of model, what
// pairwise terms add, and all columns.
func SceneSections(labels []string, b *lscrf.Bench, differences []SceneDifference) []Section {
	same := b.Oracle.TestImages == stanfordImages && len(labels) == stanfordLabels
	main := Section{
		Title: fmt.Sprintf("Pixel accuracy on %d images, %d labels", b.Oracle.TestImages, len(labels)),
		Text: []string{"The layout of the paper's Table 1: pixel accuracy in % over all folds, in brackets its standard deviation over the folds and the per-class accuracy. " +
			"Every superpixel with its true majority label has " + b.Oracle.Pixel.Format(1) + ", the best that superpixels allow (per class " + b.Oracle.PerClassPooled.Format(1) + allowed(b) + ")."},
		Head: []string{"model", "unary", "pairwise"},
	}
	if !same {
		main.Text = append(main.Text, fmt.Sprintf("The paper's figures do not stand here: its Table 1 is of the %d pictures and %d labels of Stanford Background, these data are others.", stanfordImages, stanfordLabels))
	}
	if same {
		main.Text = append(main.Text, "The paper's splits are not known, so ours differ from them.")
		main.Head = append(main.Head, "the paper's unary", "the paper's pairwise")
	}
	kinds := distinct([][]lscrf.Row{b.Rows}, func(r lscrf.Row) string { return r.Model })
	var series []Series
	for i, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
		s := Series{Name: terms, Hollow: terms == lscrf.Unary, Color: i}
		for k, model := range kinds {
			for _, r := range b.Rows {
				if r.Model == model && r.Terms == terms && r.Pixel.OK {
					s.Points = append(s.Points, Point{r.Pixel.V, float64(k), r.Pixel.V - r.PixelSD.V, r.Pixel.V + r.PixelSD.V})
				}
			}
		}
		if len(s.Points) > 0 {
			series = append(series, s)
		}
	}
	if len(series) > 0 {
		main.Plots = []*Plot{Dots("Pixel accuracy in % and its standard deviation over the folds", "pixel accuracy, %", kinds, series)}
	}
	out := []Section{main}
	folds := Section{
		Title: "Folds",
		Text:  []string{"Pixel accuracy in % on what each fold holds out, and what training on the rest chose, if it did."},
		Head:  []string{"fold", "images", "unary", "pairwise", "pairwise minus unary", "chosen in training"},
	}
	for _, model := range kinds {
		line := []string{model, pixelCell(b.Rows, model, lscrf.Unary), pixelCell(b.Rows, model, lscrf.Pairwise)}
		if same {
			line = append(line, table1[model][0], table1[model][1])
		}
		out[0].Rows = append(out[0].Rows, line)
		unary, pair, either := foldsOf(b.Rows, model)
		if len(either) > 0 {
			folds.Rows = append(folds.Rows, []string{model})
		}
		for i, f := range either {
			u, v := at(unary, i), at(pair, i)
			chosen := ""
			if v.Chosen != nil {
				chosen = v.Chosen.String()
			}
			folds.Rows = append(folds.Rows, []string{fmt.Sprint(f.Fold), fmt.Sprint(f.Images), u.Pixel.Format(1), v.Pixel.Format(1), points(v.Pixel.Sub(u.Pixel)), chosen})
		}
	}
	if last := len(folds.Head) - 1; !slices.ContainsFunc(folds.Rows, func(r []string) bool { return len(r) > last && r[last] != "" }) {
		folds.Head = folds.Head[:last] // nothing was chosen
		for i, r := range folds.Rows {
			folds.Rows[i] = r[:min(len(r), last)]
		}
	}
	out = append(out, folds)
	if len(differences) > 0 {
		s := Section{
			Title: "What pairwise terms add",
			Text:  []string{"Pixel accuracy, pairwise minus unary, in points: over all images with its 95% interval, paired bootstrap over blocks (frames of a film in one fold are one), and the mean of the folds with its standard deviation."},
			Head:  []string{"model", "all images", "mean of folds", "blocks"},
		}
		for _, d := range differences {
			s.Rows = append(s.Rows, []string{d.Model, points(d.Pixel) + " " + interval(d.CI, 1), points(d.Mean) + " (" + d.SD.Format(1) + ")", fmt.Sprint(d.Blocks)})
		}
		out = append(out, s)
	}
	all := allColumns(b, true)
	all.Title = "All columns" // what the page is of stands above
	all.Text = []string{`On the images that folds hold out. Accuracies in %, IoU from 0 to 1, the mean over labels; what says "mean" is the mean over images, the rest is pooled over pixels. Boundary F is of figures alone, so there is none. Images are those trained on, the mean over folds.`,
		"The 95% bootstrap intervals take every image for itself. Frames of a film are alike, which they do not know: they are too narrow.",
		"Training seconds are by the clock, with as many workers as there were."}
	return append(out, all, sceneConfusion(labels, b))
}

// sceneConfusion lists how the pixels of each true label were labeled, of every row.
func sceneConfusion(labels []string, b *lscrf.Bench) Section {
	s := Section{
		Title: "Confusion",
		Text:  []string{"Of the held-out pixels of each true label (the lines), the percent that got each label (the columns)."},
		Head:  append([]string{"true label"}, labels...),
	}
	for _, r := range b.Rows {
		if len(r.Counts) == 0 || r.Counts[0].Labels != len(labels) {
			continue
		}
		s.Rows = append(s.Rows, []string{r.Model + ", " + r.Terms})
		c := metric.Pool(len(labels), r.Counts)
		for t, name := range labels {
			line := []string{name}
			for p := range labels {
				line = append(line, metric.Ratio(c.At(t, p), c.Truth(t)).Scale(100).Format(1))
			}
			s.Rows = append(s.Rows, line)
		}
	}
	return s
}

// foldsOf returns the rows of a kind of model, and the folds of either.
func foldsOf(rows []lscrf.Row, model string) (unary, pair lscrf.Row, either []lscrf.FoldScore) {
	for _, r := range rows {
		switch {
		case r.Model != model:
		case r.Terms == lscrf.Unary:
			unary = r
		default:
			pair = r
		}
	}
	if either = unary.FoldScores; len(either) == 0 {
		either = pair.FoldScores
	}
	return unary, pair, either
}

package main

import (
	"fmt"
	"strings"

	"hdseg/lscrf/metric"
	"hdseg/lscrf/report"
	"hdseg/lscrf/study"
)

// studySections shows a study as tables and plots.
func studySections(class string, r *study.Result) []report.Section {
	out := []report.Section{curveSection(class, r)}
	if len(r.Exchange) > 0 {
		s := report.Section{
			Title: "Exchange rate: images of a tier per manual image at equal accuracy",
			Text: []string{`Read off the mean curves. The masks of bbox and label images were made with all manual masks as sources, so their
curves do not stand without manual work.`},
			Head: []string{"tier", "manual images", "their accuracy", "images of the tier", "per manual image"},
		}
		for _, e := range r.Exchange {
			images, rate := e.Images.Format(0), e.Rate.Format(2)
			switch e.Bound {
			case "above":
				images, rate = "out of reach", fmt.Sprintf("over %.2f", e.Limit)
			case "below":
				images, rate = "below the curve", fmt.Sprintf("under %.2f", e.Limit)
			}
			s.Rows = append(s.Rows, []string{string(e.Tier), fmt.Sprint(e.Manual), e.Accuracy.Format(1), images, rate})
		}
		out = append(out, s)
	}
	if len(r.Leave) > 0 {
		s := report.Section{
			Title: "Leaving one tier out",
			Text:  []string{fmt.Sprintf("On the test split; the best that superpixels allow (oracle) is %s. The difference is what the tier adds: all tiers minus all but it.", r.Oracle.Format(1))},
			Head:  []string{"without", "images", "accuracy", "adds", "95% interval"},
		}
		for _, l := range r.Leave {
			name := string(l.Without)
			if name == "" {
				name = "(all tiers)"
			}
			s.Rows = append(s.Rows, append([]string{name, fmt.Sprint(l.Images), l.Accuracy.Format(1)}, differenceCells(l.Comparison)...))
		}
		out = append(out, s)
	}
	if r.Weights != nil {
		out = append(out, weightSection(r.Weights))
	}
	out = append(out, qualitySection(r), maskSection(r))
	return out
}

func curveSection(class string, r *study.Result) report.Section {
	s := report.Section{
		Title: "Learning curves: " + class + ", " + r.Model,
		Text: []string{fmt.Sprintf(`Pooled per-class accuracy in %% on the test split of %s %s models, on the features as cached, over the number of
images: mean and standard deviation over random draws; the last point is all images.`, r.Model, r.Terms)},
		Head: []string{"tier", "images", "accuracy", "deviation", "draws"},
	}
	if len(r.Curves) == 0 {
		s.Text = append(s.Text, "There are no test images, so nothing was measured.")
		s.Head = nil
		return s
	}
	var series []report.Series
	for i, c := range r.Curves {
		line := report.Series{Name: string(c.Tier), Color: i}
		for _, p := range c.Points {
			line.Points = append(line.Points, report.Point{X: float64(p.Images), Y: p.Mean.V, Low: p.Mean.V - p.SD.V, High: p.Mean.V + p.SD.V})
			s.Rows = append(s.Rows, []string{string(c.Tier), fmt.Sprint(p.Images), p.Mean.Format(1), p.SD.Format(1), fmt.Sprint(len(p.Draws))})
		}
		series = append(series, line)
	}
	s.Plots = []*report.Plot{report.Curves("Accuracy over the number of training images (logarithmic)", "images", "per-class accuracy, %", series)}
	return s
}

func weightSection(w *study.Weighted) report.Section {
	weights := func(v []float64) string {
		var parts []string
		for i, t := range w.Tiers {
			parts = append(parts, fmt.Sprintf("%s %.3g", t, v[i]))
		}
		return strings.Join(parts, ", ")
	}
	s := report.Section{
		Title: "Tier weights",
		Text: []string{
			`Nested cross-validation on the manual training images: weights are chosen on inner folds and measured on the outer fold, which the choice never saw:
the mean of all candidates within one standard error of the best. The best unweighted mix is named in hindsight, which is to its advantage.`,
			"Masks are taken as they are: manual images of the outer fold were among their sources, in all mixes alike (--transfer makes them anew for every fold).",
			"Chosen for training on everything: --tiers " + w.Mix + ".",
		},
		Head: []string{"on outer folds", "accuracy", "weighted minus it", "95% interval"},
	}
	if w.Apart {
		s.Text[1] = `Masks were transferred anew for every outer fold, without its manual images as sources; "as taken" is the same accuracy with the masks as they are.`
		s.Head = append(s.Head, "as taken")
	}
	line := func(cells ...string) {
		for len(cells) < len(s.Head) {
			cells = append(cells, "")
		}
		s.Rows = append(s.Rows, cells)
	}
	line("weighted tiers", w.Accuracy.Format(2))
	line(append([]string{"unweighted, chosen alike", w.Accuracy.Sub(w.Inner.Difference).Format(2)}, differenceCells(w.Inner)...)...)
	for _, m := range w.Mixes {
		cells := []string{m.Mix, m.Accuracy.Format(2), "", ""}
		if m.Mix == w.Best {
			cells = append([]string{m.Mix + " (the best)", m.Accuracy.Format(2)}, differenceCells(w.Against)...)
		}
		if w.Apart {
			cells = append(cells, m.Taken.Format(2))
		}
		line(cells...)
	}
	for i, c := range w.Chosen {
		s.Text = append(s.Text, fmt.Sprintf("Outer fold %d: %s.", i+1, weights(c)))
	}
	return s
}

func qualitySection(r *study.Result) report.Section {
	s := report.Section{Title: "Predicted quality as a threshold and as a weight"}
	if len(r.Quality) == 0 {
		s.Text = []string{"No transferred mask has a predicted quality, so there is nothing to choose by."}
		return s
	}
	s.Text = []string{`Manual images and one tier's, in cross-validation on the manual training images: the best part of its masks by predicted IoU, or all of them, each image
counting as its predicted IoU to some power. The difference is to all that count alike.`}
	s.Head = []string{"tier", "kept", "weight", "least quality", "images", "accuracy", "difference", "95% interval"}
	for _, q := range r.Quality {
		weight := "1"
		if q.Power > 0 {
			weight = fmt.Sprintf("IoU^%g", q.Power)
		}
		s.Rows = append(s.Rows, append([]string{string(q.Tier), fmt.Sprintf("%.0f%%", 100*q.Keep), weight, fmt.Sprintf("%.2f", q.Least), fmt.Sprint(q.Images), q.Accuracy.Format(2)}, differenceCells(q.Comparison)...))
	}
	return s
}

func maskSection(r *study.Result) report.Section {
	s := report.Section{Title: "The tiers' masks against manual masks of the same images"}
	if len(r.Masks) == 0 {
		s.Text = []string{"No training image has a manual mask and another: hdseg transfer --evaluate compares with masks from a folder."}
		return s
	}
	s.Head = []string{"tier", "images", "IoU, mean", "IoU, pooled", "per class"}
	for _, m := range r.Masks {
		s.Rows = append(s.Rows, []string{string(m.Tier), fmt.Sprint(m.Images), m.IoUMean.Format(3), m.IoU.Format(3), m.PerClass.Format(1)})
	}
	return s
}

// differenceCells formats a difference and its interval.
func differenceCells(c study.Comparison) []string {
	if !c.Difference.OK {
		return []string{"-", ""}
	}
	ends := func(v metric.Value) string { return v.Format(2) }
	return []string{fmt.Sprintf("%+.2f", c.Difference.V), "[" + ends(c.CI[0]) + ", " + ends(c.CI[1]) + "]"}
}

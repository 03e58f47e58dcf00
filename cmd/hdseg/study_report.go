package main

import (
	"fmt"
	"strings"

	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
)

// studySections shows a study as tables and plots.
func studySections(class string, r *study.Result) []report.Section {
	out := []report.Section{curveSection(class, r)}
	if len(r.Exchange) > 0 {
		out = append(out, exchangeSection(r.Exchange, r.Draws))
	}
	if len(r.Leave) > 0 {
		s := report.Section{
			Title: "Leaving one tier out",
			Text:  []string{fmt.Sprintf("On the test split; the best that superpixels allow (oracle) is %s. The difference is what the tier adds: all tiers minus all but it.", r.Oracle.Format(1))},
			Head:  []string{"without", "images", "accuracy", "adds"},
		}
		for _, l := range r.Leave {
			name := string(l.Without)
			if name == "" {
				name = "(all tiers)"
			}
			s.Rows = append(s.Rows, []string{name, fmt.Sprint(l.Images), l.Accuracy.Format(1), differenceCell(l.Comparison)})
		}
		out = append(out, s)
	}
	if r.Weights != nil {
		w := weightSection(r.Weights)
		w.Text[0] = "Of linear " + r.Linear + " models. " + w.Text[0]
		out = append(out, w, choiceSection(r.Weights))
	}
	out = append(out, qualitySection(r), maskSection(r))
	return out
}

func curveSection(class string, r *study.Result) report.Section {
	s := report.Section{
		Title: "Learning curves: " + class + ", " + r.Model,
		Text: []string{fmt.Sprintf(`Pooled per-class accuracy in %% on the test split of %s %s models, on the features as cached, over the number of
images: mean and standard deviation over random draws; the last point is all images.`, r.Model, r.Terms)},
		Head: []string{"images", "accuracy", "deviation", "draws"},
	}
	for _, why := range r.Left {
		if strings.HasPrefix(why, "curves") || strings.HasPrefix(why, "leave one out") {
			s.Text = append(s.Text, "Note: "+why+".")
		}
	}
	if r.Draws == 1 {
		s.Text = append(s.Text, "Each point is of one random draw, so that nothing tells by how much another would differ.")
	}
	if len(r.Curves) == 0 {
		s.Head = nil
		return s
	}
	var series []report.Series
	for i, c := range r.Curves {
		line := report.Series{Name: string(c.Tier), Color: i}
		s.Rows = append(s.Rows, []string{string(c.Tier)})
		for _, p := range c.Points {
			line.Points = append(line.Points, report.Point{X: float64(p.Images), Y: p.Mean.V, Low: p.Mean.V - p.SD.V, High: p.Mean.V + p.SD.V})
			s.Rows = append(s.Rows, []string{fmt.Sprint(p.Images), p.Mean.Format(1), p.SD.Format(1), fmt.Sprint(len(p.Draws))})
		}
		series = append(series, line)
	}
	s.Plots = []*report.Plot{report.Curves("Accuracy over the number of training images (logarithmic)", "images", "per-class accuracy, %", series)}
	return s
}

// exchangeSection lists the rates, each with its interval.
func exchangeSection(rates []study.Exchange, draws int) report.Section {
	over := "test images and draws"
	if draws == 1 {
		over = "test images alone, since each point has one draw"
	}
	s := report.Section{
		Title: "Exchange rate: images of a tier per manual image at equal accuracy",
		Text: []string{"Read off the mean curves where they first reach the accuracy, with the 95% bootstrap interval over " + over + `; chance peaks of resampled curves draw its low end downwards; "or more" where all images of the tier may not be
enough, no interval where 97.5% of the resamples are out of reach. The masks of bbox and label images were made with all manual masks as sources, so their curves do not stand without manual work.`},
		Head: []string{"manual images", "their accuracy", "images of the tier", "per manual image"},
	}
	for i, e := range rates {
		if i == 0 || e.Tier != rates[i-1].Tier {
			s.Rows = append(s.Rows, []string{string(e.Tier)})
		}
		images, rate := e.Images.Format(0), e.Rate.Format(2)
		switch e.Bound {
		case "above":
			images, rate = "out of reach", fmt.Sprintf("over %.2f", e.Limit)
		case "below":
			images, rate = "below the curve", fmt.Sprintf("under %.2f", e.Limit)
		}
		switch {
		case e.CI[0].OK && e.CI[1].OK:
			rate += " [" + e.CI[0].Format(2) + ", " + e.CI[1].Format(2) + "]"
		case e.CI[0].OK:
			rate += " [" + e.CI[0].Format(2) + " or more]"
		}
		s.Rows = append(s.Rows, []string{fmt.Sprint(e.Manual), e.Accuracy.Format(1), images, rate})
	}
	return s
}

// weightSection compares weights with unweighted mixes: with the one that is chosen as they are, and with the best in hindsight.
func weightSection(w *study.Weighted) report.Section {
	s := report.Section{
		Title: "Tier weights",
		Text: []string{
			`Nested cross-validation on the manual training images, per-class accuracy in %. On the folds but one, weights are chosen (the mean of all candidates within
one standard error of the best), and so is the best unweighted mix; both are measured on that one, which neither choice saw. Below that, every unweighted mix on the same
folds: the best of these is named in hindsight, which is to its advantage.`,
			"Masks are taken as they are: manual images of the fold that is measured on, and of those that weights are chosen on, were among their sources, in all mixes alike (--transfer makes them anew for every fold).",
			"Better and worse are by the 95% paired interval of each of the two comparisons, not corrected for their number. The penalty of the linear models (train.lambda) is the same for all mixes and weights.",
			"Chosen for training on everything, by the masks as they are: --tiers " + w.Mix + ". With --transfer, by masks made anew, it may be another.",
		},
		Head: []string{"on held-out folds", "accuracy", "weighted minus it", "verdict"},
	}
	if w.Apart {
		s.Text[1] = `Masks were transferred anew for every outer fold, without its manual images as sources; those of the folds within, on which weights are chosen, were sources of the masks that they choose by. "as taken" is the same accuracy with the masks as they are.`
		s.Text[3] = "Chosen for training on everything, by the masks made anew: --tiers " + w.Mix + ". Without --transfer, by the masks as they are, it may be another."
		s.Head = append(s.Head, "as taken")
	}
	line := func(cells ...string) {
		for len(cells) < len(s.Head) {
			cells = append(cells, "")
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Rows = append(s.Rows, []string{"chosen without the fold"})
	line("weighted tiers", w.Accuracy.Format(2))
	line("best unweighted mix", w.Accuracy.Sub(w.Inner.Difference).Format(2), differenceCell(w.Inner), verdict(w.Inner))
	s.Rows = append(s.Rows, []string{"one unweighted mix for all folds"})
	for _, m := range w.Mixes {
		cells := []string{m.Mix, m.Accuracy.Format(2), "", ""}
		if m.Mix == w.Best {
			cells = []string{m.Mix + " (best in hindsight)", m.Accuracy.Format(2), differenceCell(w.Against), verdict(w.Against)}
		}
		if w.Apart {
			cells = append(cells, m.Taken.Format(2))
		}
		line(cells...)
	}
	return s
}

// choiceSection lists what was chosen without each fold.
func choiceSection(w *study.Weighted) report.Section {
	s := report.Section{Title: "Tier weights: what was chosen", Head: []string{"without fold"}}
	for _, t := range w.Tiers {
		s.Head = append(s.Head, string(t))
	}
	s.Head = append(s.Head, "best unweighted mix")
	for i, c := range w.Chosen {
		line := []string{fmt.Sprint(i + 1)}
		for _, v := range c {
			line = append(line, fmt.Sprintf("%.3g", v))
		}
		s.Rows = append(s.Rows, append(line, w.Mixed[i]))
	}
	return s
}

func qualitySection(r *study.Result) report.Section {
	s := report.Section{Title: "Predicted quality as a threshold and as a weight"}
	if len(r.Quality) == 0 {
		s.Text = []string{"No transferred mask has a predicted quality, so there is nothing to choose by."}
		for _, why := range r.Left {
			if strings.HasPrefix(why, "weights") {
				s.Text = []string{"Nothing was measured: " + why + "."}
			}
		}
		return s
	}
	s.Text = []string{"Of linear " + r.Linear + ` models. Manual images and one tier's, in cross-validation on the manual training images: the best part of its masks by predicted IoU, or all of them, each image
counting as its predicted IoU to some power. The difference is to all that count alike.`}
	if r.Weights != nil && r.Weights.Apart {
		s.Text = append(s.Text, "Masks were made anew for every fold, but which are kept, and their weights, go by the quality predicted of the masks as they are.")
	}
	s.Head = []string{"kept", "least quality", "images", "accuracy", "difference"}
	for i, q := range r.Quality {
		if i == 0 || q.Tier != r.Quality[i-1].Tier {
			s.Rows = append(s.Rows, []string{string(q.Tier)})
		}
		kept := fmt.Sprintf("%.0f%%", 100*q.Keep)
		if q.Power > 0 {
			kept = fmt.Sprintf("all, as IoU^%g", q.Power)
		}
		s.Rows = append(s.Rows, []string{kept, fmt.Sprintf("%.2f", q.Least), fmt.Sprint(q.Images), q.Accuracy.Format(2), differenceCell(q.Comparison)})
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

// differenceCell formats a difference and its interval.
func differenceCell(c study.Comparison) string {
	if !c.Difference.OK {
		return "-"
	}
	if !c.CI[0].OK {
		return fmt.Sprintf("%+.2f", c.Difference.V)
	}
	return fmt.Sprintf("%+.2f [%s, %s]", c.Difference.V, c.CI[0].Format(2), c.CI[1].Format(2))
}

// verdict says what a difference shows: nothing if its interval holds 0.
func verdict(c study.Comparison) string {
	switch {
	case !c.CI[0].OK:
		return ""
	case c.CI[0].V > 0:
		return report.Better
	case c.CI[1].V < 0:
		return report.Worse
	}
	return report.Unclear
}

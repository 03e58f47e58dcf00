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
			Text: []string{fmt.Sprintf("On the test split; the best that superpixels allow (oracle) is %s. The difference is what the "+
				"tier adds: all tiers minus all but it.", r.Oracle.Format(1))},
			Head: []string{"without", "images", "accuracy", "adds"},
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
	return append(out, maskSection(r))
}

func curveSection(class string, r *study.Result) report.Section {
	s := report.Section{
		Title: "Learning curves: " + class + ", " + r.Model,
		Text: []string{fmt.Sprintf("Pooled per-class accuracy in %% on the test split of %s %s models, over the number of images: mean and "+
			"standard deviation over random draws; the last point is all images.", r.Model, r.Terms)},
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
	s.Plots = []*report.Plot{report.Curves("Accuracy over the number of training images (logarithmic)", "images", "per-class accuracy, %",
		series)}
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
		Text: []string{"Read off the mean curves where they first reach the accuracy, with the 95% bootstrap interval over " + over + ". " +
			`It says "or more" where all images of the tier may not be enough, and is missing where 97.5% of the resamples are out ` +
			"of reach. Chance peaks of resampled curves lower its low end. The masks of bbox and label images were made with all manual " +
			"masks as sources, so their curves depend on manual work."},
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

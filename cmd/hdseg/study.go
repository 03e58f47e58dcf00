package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/annotate/campaign"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

type studyResult struct {
	summary
	Class string `json:"class"`
	*study.Result
	// what a minute of a person is worth, where masks were drawn on the page of annotate
	Minutes []minuteWorth `json:"minutes"`
}

// A minuteWorth is what a minute of people is worth who draw with a tool.
type minuteWorth struct {
	Tool     string       `json:"tool"`           // that took the longest in the picture
	Pictures int          `json:"pictures"`       // that were accepted
	Minutes  metric.Value `json:"minutes_median"` // per picture, of everybody together
	// images of each tier that a minute of drawing replaces; manual: images that it draws
	Images map[manifests.Tier]metric.Value `json:"images_per_minute"`
}

// minutesWorth exchanges minutes of people for images: by the rates at the largest number of manual
// images for which a tier has one.
func minutesWorth(minutes map[string][]float64, rates []study.Exchange) []minuteWorth {
	out := []minuteWorth{}
	for _, tool := range slices.Sorted(maps.Keys(minutes)) {
		m := campaign.Median(minutes[tool])
		w := minuteWorth{tool, len(minutes[tool]), metric.Of(m), map[manifests.Tier]metric.Value{manifests.Manual: metric.Of(1 / m)}}
		most := map[manifests.Tier]int{}
		for _, e := range rates {
			if e.Rate.OK && e.Manual > most[e.Tier] {
				most[e.Tier], w.Images[e.Tier] = e.Manual, metric.Of(e.Rate.V/m)
			}
		}
		out = append(out, w)
	}
	return out
}

// minutesSection lists them.
func minutesSection(worth []minuteWorth) report.Section {
	s := report.Section{
		Title: "What a minute of a person is worth",
		Text: []string{"Masks that were drawn and accepted on the page of annotate: the median of the active minutes that a picture took " +
			"everybody together, by the tool that took the longest there. A minute draws so many images, and replaces so many of each " +
			"tier by the exchange rate at the largest number of manual images that has one."},
		Head: []string{"tool", "pictures", "minutes per picture", "images per minute"},
	}
	for _, w := range worth {
		var images []string
		for _, t := range slices.Sorted(maps.Keys(w.Images)) {
			images = append(images, w.Images[t].Format(2)+" "+string(t))
		}
		s.Rows = append(s.Rows, []string{w.Tool, fmt.Sprint(w.Pictures), w.Minutes.Format(2), strings.Join(images, ", ")})
	}
	return s
}

func (r *studyResult) table(w *bytes.Buffer) {
	report.Sections(w, studySections(r.Class, r.Result, r.Minutes))
	var times []string
	for _, part := range slices.Sorted(maps.Keys(r.Times)) {
		times = append(times, fmt.Sprintf("%s %.1f s", part, r.Times[part]))
	}
	fmt.Fprintf(w, "\ntimes: %s\n", strings.Join(times, ", "))
}

func (a *app) studyCommand() *cobra.Command {
	o, files := study.Defaults(), reportFiles{}
	cmd := &cobra.Command{
		Use: "study MANIFEST", Short: "Measure how many images of a tier replace a manual one",
		Long: `study prints three tables: the accuracy for growing numbers of images of each tier, how many images of a tier replace
one manual image, and what each tier adds to the others. All figures are measured on the test split. Nothing is chosen on
it. Where masks were drawn on the page of annotate, it also prints what a minute of a person is worth, by tool.

Models are linear. --model trees takes longer; finished models are kept in .work/models of the data set, so that an
interrupted study goes on. Points with too few images for the settings are left out, with the reason.`,
		Example: `  hdseg study out/horseseg.yaml
  hdseg study out/dogseg.yaml -c dogseg --draws 10 --html study.html --json
  hdseg study out/horseseg.yaml --model trees --draws 2 --set train.trees.leaves=shared --set train.trees.trees=300`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.study(cmd, o, &files) },
	}
	a.withManifest(cmd)
	a.withConfig(cmd)
	a.withDense(cmd)
	a.withPreset(cmd, plainToo("paper"))
	cmd.Flags().StringVar(&o.Model, "model", o.Model, "linear or trees")
	cmd.Flags().IntVar(&o.Draws, "draws", o.Draws, "random orders of the images per learning curve, 1 to 1000")
	files.flags(cmd, "study")
	return cmd
}

func (a *app) study(cmd *cobra.Command, o study.Options, files *reportFiles) error {
	e, err := a.experiment()
	if err != nil {
		return err
	}
	if a.preset != "" && !cmd.Flags().Changed("model") {
		o.Model = a.kind(e)
	}
	o.Seed, o.Samples, o.Workers = e.Seed, e.Bench.Samples, a.workers
	if err := o.Validate(); err != nil {
		return &usageError{err}
	}
	if err := a.outFiles(nil, files.outs()...); err != nil {
		return err
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	minutes, err := campaign.Minutes(set.Store)
	if err != nil {
		return err
	}
	t, close, err := a.trainer(cmd, shardFlag{}, e, set)
	if err != nil {
		return err
	}
	defer close()
	kept := a.keep(t, pipeline.StoreKept(set.Store, a.warn))
	test, skips, err := a.scoredPictures(cmd, set, manifests.Test, t.About.Setup)
	if err != nil {
		return err
	}
	a.skip(skips...)
	r, err := study.Run(cmd.Context(), t, test, o, a.stageProgress)
	if err != nil {
		return err
	}
	if r.Masks, err = study.CompareMasks(cmd.Context(), set.Manifest, set.Store); err != nil {
		return err
	}
	a.countDone(t.Source.Len() + len(test))
	a.warnAll(r.Left)
	out := &studyResult{Class: set.Manifest.Class.Name, Result: r, Minutes: minutesWorth(minutes, r.Exchange)}
	if err := a.studyFiles(cmd, e, set, files, out); err != nil {
		return err
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(out)
}

// studyFiles writes the files that were asked for.
func (a *app) studyFiles(cmd *cobra.Command, e *configs.Experiment, set *pipeline.Dataset, files *reportFiles, r *studyResult) error {
	if *files == (reportFiles{}) {
		return nil
	}
	p, err := pipeline.NewPage(cmd.Context(), e, set, nil, commandLine())
	if err != nil {
		return err
	}
	p.Facts, p.Studies = append(p.Facts, report.Facts("machine", a.machine())...), studySections(r.Class, r.Result, r.Minutes)
	return files.write(p)
}

// studySections shows a study as tables and plots.
func studySections(class string, r *study.Result, worth []minuteWorth) []report.Section {
	out := []report.Section{curveSection(class, r)}
	if len(r.Exchange) > 0 {
		out = append(out, exchangeSection(r.Exchange, r.Draws))
	}
	if len(worth) > 0 {
		out = append(out, minutesSection(worth))
	}
	if len(r.Leave) > 0 {
		s := report.Section{
			Title: "Leaving one tier out",
			Text: []string{fmt.Sprintf("On the test split; the best that superpixels allow is %s. The difference is what the "+
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
		Text: []string{fmt.Sprintf("Pooled per-class accuracy in %% on the test split of %s %s models, over the number of "+
			"images: mean and "+
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
			line.Points = append(line.Points, report.Point{X: float64(p.Images), Y: p.Mean.V, Low: p.Mean.V - p.SD.V,
				High: p.Mean.V + p.SD.V})
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

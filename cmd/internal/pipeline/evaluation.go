package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// mostWorst is the most pictures that the page of an evaluation shows.
const mostWorst = 30

// An Evaluation is how one model did on the test pictures of a data set.
type Evaluation struct {
	*Dataset
	Model   *lscrf.Model
	Regions *bench.Table // of one row: of masks of whole superpixels, as bench has them
	Pixels  *bench.Table // of one row, with the counts of every picture: of the masks of Cut
	score   *bench.Score // of Pixels

	Name  string        // of the model's file
	Facts []report.Fact // how to make it again
	// the pictures of the tables that the model was trained on; nil: not known
	Training map[string]bool
	Warnings []string         // what has to be known before the scores are read
	Skips    []manifests.Skip // pictures that could not be used
}

// Evaluate measures a model on test pictures, the data set's, given its score on their superpixels;
// each is as for ScorePixels.
func Evaluate(ctx context.Context, mod *lscrf.Model, set *Dataset, test []bench.Scored, regions *bench.Score, workers int,
	each func(i int, mask *raster.Mask) error) (*Evaluation, error) {
	e := &Evaluation{Dataset: set, Model: mod}
	var err error
	if e.score, err = ScorePixels(ctx, mod, set, test, workers, each); err != nil {
		return nil, err
	}
	e.score.Unsolved = regions.Unsolved
	spec := lscrf.Spec{Tiers: mod.Tiers, Model: mod.Kind, Terms: mod.Terms, Balance: mod.Options.Balance}
	oracle := bench.Oracle(test, len(mod.Labels))
	made := bench.Made{Manifest: set.Digest, Truth: bench.TruthDigest(test), Setup: configs.Digest(mod.Setup),
		Train: configs.Digest(mod.Options), Seed: set.Manifest.Seed}
	for _, of := range []struct {
		table **bench.Table
		score *bench.Score
	}{{&e.Regions, regions}, {&e.Pixels, e.score}} {
		t, err := bench.NewTable(ctx, set.Manifest.Class.Name, bench.IDs(test), []lscrf.Spec{spec},
			[]bench.Measured{{Spec: spec, Images: mod.Images, Score: of.score}}, oracle, bench.Defaults().Samples, set.Manifest.Seed)
		if err != nil {
			return nil, err
		}
		t.Made, *of.table = made, t
	}
	return e, nil
}

// Files returns the files of an evaluation by name: the scores of every picture as CSV, and a page
// with the worst ones.
func (e *Evaluation) Files(ctx context.Context) (map[string][]byte, error) {
	var list, page bytes.Buffer
	if err := report.ImagesCSV(&list, e.Pixels.Test, e.score, e.Training); err != nil {
		return nil, err
	}
	p, err := e.page(ctx)
	if err == nil {
		err = report.HTML(&page, p)
	}
	return map[string][]byte{"images.csv": list.Bytes(), "index.html": page.Bytes()}, err
}

func (e *Evaluation) page(ctx context.Context) (*report.Page, error) {
	row := e.Pixels.Rows[0]
	scores := report.Section{Title: "Scores", Head: []string{"", "score", "95% interval"},
		Text: []string{fmt.Sprintf("Measured on %d test pictures; pixels that are void in the true mask do not count. Accuracies are in %%, "+
			`IoU of the figure and boundary F from 0 to 1. "Per class" is the mean of two numbers: the share of true ground that was found, `+
			`and the share of true figure. "Mean" is a mean over pictures; all else but boundary F is over all pixels together. `+
			`The masks are those of hdseg segment, cut at pixels.`, row.TestImages)}}
	columns := row.Columns()
	first := slices.IndexFunc(columns, func(c bench.Column) bool { return c.Name == "iou_pooled" })
	columns = slices.Concat(columns[first:first+1], columns[:first], columns[first+1:])
	for _, c := range columns {
		scores.Rows = append(scores.Rows, []string{c.Title, c.Value.Format(c.Decimals()),
			fmt.Sprintf("%s to %s", c.CI[0].Format(c.Decimals()), c.CI[1].Format(c.Decimals()))})
	}
	p := &report.Page{Title: "What " + e.Name + " gets wrong: " + cmp.Or(e.Manifest.Class.Name, "figure"),
		Studies: append(e.heeded(), scores), Facts: e.Facts}
	records := testRecords(e.Manifest)
	all := ranked(e.Pixels.Test, e.score.Images)
	slices.Reverse(all)
	for i, w := range all[:min(mostWorst, len(all))] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		note := fmt.Sprintf("number %d from the worst, IoU %s", i+1, w.iou.Format(3))
		pic, err := picture(e.Store, records[w.id], MaskOf(e.Model), note, []manifests.Tier{manifests.Manual})
		if err != nil {
			return nil, err
		}
		p.Pictures = append(p.Pictures, pic)
	}
	p.PicturesText = fmt.Sprintf("The %d worst of %d pictures by IoU, the worst first. Green with a yellow rim: figure. Gray: void, which "+
		"does not count. images.csv has the scores of all.", len(p.Pictures), len(all))
	return p, nil
}

// heeded are the sections that stand before the scores: warnings and what was skipped.
func (e *Evaluation) heeded() (out []report.Section) {
	if len(e.Warnings) > 0 {
		out = append(out, report.Section{Title: "Warnings", Text: e.Warnings})
	}
	if n := len(e.Skips); n > 0 {
		const most = 20
		s := report.Section{Title: "Skipped pictures", Head: []string{"picture", "reason", "detail"},
			Text: []string{fmt.Sprintf("These could not be used and have no scores: %d. skipped.csv lists all.", n)}}
		for _, k := range e.Skips[:min(most, n)] {
			s.Rows = append(s.Rows, []string{k.Record, k.Reason, k.Detail})
		}
		if n > most {
			s.Text = append(s.Text, fmt.Sprintf("The first %d stand here.", most))
		}
		out = append(out, s)
	}
	return out
}

// ranked returns the images that have a score, the best first.
func ranked(ids []string, counts bench.Counts) []picked {
	var all []picked
	for i, c := range counts {
		if v := metric.FigureIoU(c); v.OK && i < len(ids) {
			all = append(all, picked{id: ids[i], iou: v})
		}
	}
	slices.SortStableFunc(all, func(a, b picked) int { return cmp.Or(cmp.Compare(b.iou.V, a.iou.V), cmp.Compare(a.id, b.id)) })
	return all
}

package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// mostWorst is the most pictures that the page of an evaluation shows.
const mostWorst = 30

// An Evaluation is how one model did on the test pictures of a data set.
type Evaluation struct {
	Store    *manifests.Store
	Manifest *manifests.Manifest
	Model    *lscrf.Model
	Name     string       // of the model's file
	Table    *bench.Table // of one row, with the counts of every picture
	Score    *bench.Score
	Facts    []report.Fact // how to make it again
}

// Files returns the files of an evaluation by name: the scores of every picture as CSV, and a page
// with the worst ones.
func (e *Evaluation) Files(ctx context.Context) (map[string][]byte, error) {
	var list, page bytes.Buffer
	if err := report.ImagesCSV(&list, e.Table.Test, e.Score); err != nil {
		return nil, err
	}
	p, err := e.page(ctx)
	if err == nil {
		err = report.HTML(&page, p)
	}
	return map[string][]byte{"images.csv": list.Bytes(), "index.html": page.Bytes()}, err
}

func (e *Evaluation) page(ctx context.Context) (*report.Page, error) {
	row := e.Table.Rows[0]
	scores := report.Section{Title: "Scores", Head: []string{"", "score", "95% interval"},
		Text: []string{fmt.Sprintf("Measured on %d test pictures; pixels that are void in the true mask do not count. Accuracies are in %%, "+
			`IoU of the figure and boundary F from 0 to 1. "Per class" is the mean of two numbers: the share of true ground that was found, `+
			`and the share of true figure. "Mean" is a mean over pictures; all else but boundary F is over all pixels together.`, row.TestImages)}}
	for _, c := range row.Columns() {
		scores.Rows = append(scores.Rows, []string{c.Title, c.Value.Format(c.Decimals()),
			fmt.Sprintf("%s to %s", c.CI[0].Format(c.Decimals()), c.CI[1].Format(c.Decimals()))})
	}
	p := &report.Page{Title: "What " + e.Name + " gets wrong: " + cmp.Or(e.Manifest.Class.Name, "figure"),
		Studies: []report.Section{scores}, Facts: e.Facts}
	records := map[string]*manifests.Record{}
	for i := range e.Manifest.Records {
		if r := &e.Manifest.Records[i]; r.Split == manifests.Test {
			records[r.ID] = r
		}
	}
	all := ranked(e.Table.Test, e.Score.Images)
	slices.Reverse(all)
	for i, w := range all[:min(mostWorst, len(all))] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pic, err := picture(e.Store, records[w.id], e.Model, strconv.Itoa(i+1)+", IoU "+w.iou.Format(3), []manifests.Tier{manifests.Manual})
		if err != nil {
			return nil, err
		}
		p.Pictures = append(p.Pictures, pic)
	}
	p.PicturesText = fmt.Sprintf("The %d worst of %d pictures by IoU, the worst first. Green with a yellow rim: figure. Gray: void, which "+
		"does not count. images.csv has the scores of all.", len(p.Pictures), len(all))
	return p, nil
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

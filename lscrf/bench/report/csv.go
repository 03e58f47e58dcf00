package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// CSV writes one line per row of the tables, undefined scores empty. Tiers are joined by '+'.
// Columns are called as in JSON, with _low and _high for the ends of their intervals.
func CSV(w io.Writer, tables ...*bench.Table) error {
	c := csv.NewWriter(w)
	header := []string{"class", "tiers", "model", "terms", "balance", "images"}
	for _, col := range new(bench.Row).Columns() {
		header = append(header, col.Name, col.Name+"_low", col.Name+"_high")
	}
	header = append(header, "per_class_pooled_sd", "pixel_sd", "test_images", "train_seconds", "predict_ms", "predict_ms_low",
		"predict_ms_high")
	lines := [][]string{header}
	for _, t := range tables {
		for _, r := range append(t.All(), t.Oracle) {
			lines = append(lines, line(&r))
		}
	}
	return c.WriteAll(lines)
}

func line(r *bench.Row) []string {
	out := []string{r.Class, lscrf.Mix(r.Tiers).Plus(), r.Model, r.Terms, r.Balance, strconv.Itoa(r.Images)}
	add := func(decimals int, values ...metric.Value) {
		for _, v := range values {
			text := ""
			if v.OK {
				text = v.Format(decimals)
			}
			out = append(out, text)
		}
	}
	for _, c := range r.Columns() {
		add(c.Decimals()+2, c.Value, c.CI[0], c.CI[1])
	}
	add(3, r.PerClassPooledSD, r.PixelSD)
	out = append(out, strconv.Itoa(r.TestImages))
	add(3, metric.Of(r.TrainSeconds), metric.Of(r.PredictMS), r.PredictMSCI[0], r.PredictMSCI[1])
	return out
}

// ImagesCSV writes one line per image of a score of figure and ground, the worst IoU first and
// undefined scores empty: IoU of the figure, accuracies in %, boundary F, and the true and the
// predicted share of figure among the pixels that count, and whether the model was trained on it,
// empty for training == nil: not known.
func ImagesCSV(w io.Writer, ids []string, s *bench.Score, training map[string]bool) error {
	type of struct {
		iou  metric.Value
		line []string
	}
	var all []of
	for i, c := range s.Images {
		l := []string{ids[i]}
		iou := metric.FigureIoU(c)
		for _, v := range []metric.Value{iou, metric.PerClassAccuracy(c).Scale(100), metric.PixelAccuracy(c).Scale(100), s.Boundary[i],
			metric.Ratio(c.Truth(1), c.Pixels()), metric.Ratio(c.Predicted(1), c.Pixels())} {
			text := ""
			if v.OK {
				text = v.Format(4)
			}
			l = append(l, text)
		}
		trained := ""
		if training != nil {
			trained = strconv.FormatBool(training[ids[i]])
		}
		all = append(all, of{iou, append(l, strconv.FormatInt(c.Pixels(), 10), trained)})
	}
	slices.SortStableFunc(all, func(a, b of) int {
		switch {
		case a.iou.OK && !b.iou.OK:
			return -1
		case b.iou.OK && !a.iou.OK:
			return 1
		}
		return cmp.Compare(a.iou.V, b.iou.V)
	})
	c := csv.NewWriter(w)
	lines := [][]string{{"id", "iou", "per_class", "pixel", "boundary_f", "true_figure_share", "predicted_figure_share", "pixels",
		"training"}}
	for _, o := range all {
		lines = append(lines, o.line)
	}
	return c.WriteAll(lines)
}

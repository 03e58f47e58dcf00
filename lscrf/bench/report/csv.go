package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
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
			out = append(out, number(v, decimals))
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

// number formats a value, "" if it is undefined.
func number(v metric.Value, decimals int) string {
	if !v.OK {
		return ""
	}
	return v.Format(decimals)
}

// ImagesCSV writes one line per image of a score of figure and ground, the worst IoU first and
// undefined scores empty: IoU of the figure, accuracies in %, boundary F, and the true and the
// predicted share of figure among the pixels that count, and whether the model was trained on it,
// empty for training == nil: not known.
func ImagesCSV(w io.Writer, ids []string, s *bench.Score, training map[string]bool) error {
	lines := [][]string{{"id", "iou", "per_class", "pixel", "boundary_f", "true_figure_share", "predicted_figure_share", "pixels",
		"training"}}
	order, iou := make([]int, len(s.Images)), make([]float64, len(s.Images))
	for i, c := range s.Images {
		order[i], iou[i] = i, math.Inf(1)
		if v := metric.FigureIoU(c); v.OK {
			iou[i] = v.V
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(iou[i], iou[j]) })
	for _, i := range order {
		c, line := s.Images[i], []string{ids[i]}
		for _, v := range []metric.Value{metric.FigureIoU(c), metric.PerClassAccuracy(c).Scale(100), metric.PixelAccuracy(c).Scale(100),
			s.Boundary[i], metric.Ratio(c.Truth(1), c.Pixels()), metric.Ratio(c.Predicted(1), c.Pixels())} {
			line = append(line, number(v, 4))
		}
		trained := ""
		if training != nil {
			trained = strconv.FormatBool(training[ids[i]])
		}
		lines = append(lines, append(line, strconv.FormatInt(c.Pixels(), 10), trained))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

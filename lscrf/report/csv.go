package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
)

// header names the columns of CSV as the JSON rows name them.
var header = []string{"class", "tiers", "model", "terms", "balance", "images",
	"per_class_pooled", "per_class_pooled_low", "per_class_pooled_high",
	"per_class_mean", "per_class_mean_low", "per_class_mean_high",
	"pixel", "iou_pooled", "iou_mean", "iou_mean_low", "iou_mean_high", "boundary_f",
	"test_images", "train_seconds", "predict_ms"}

// CSV writes one line per row of the benches, undefined scores empty. Tiers are joined by '+'.
func CSV(w io.Writer, benches ...*lscrf.Bench) error {
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	for _, b := range benches {
		for _, rows := range [][]lscrf.Row{b.Rows, b.OtherBalances, {b.Oracle}} {
			for _, r := range rows {
				if err := c.Write(line(r)); err != nil {
					return err
				}
			}
		}
	}
	c.Flush()
	return c.Error()
}

func line(r lscrf.Row) []string {
	v := func(v metric.Value, decimals int) string {
		if !v.OK {
			return ""
		}
		return v.Format(decimals)
	}
	return []string{r.Class, lscrf.Mix(r.Tiers).Plus(), r.Model, r.Terms, r.Balance, strconv.Itoa(r.Images),
		v(r.PerClassPooled, 3), v(r.PerClassPooledCI[0], 3), v(r.PerClassPooledCI[1], 3),
		v(r.PerClassMean, 3), v(r.PerClassMeanCI[0], 3), v(r.PerClassMeanCI[1], 3),
		v(r.Pixel, 3), v(r.IoUPooled, 5), v(r.IoUMean, 5), v(r.IoUMeanCI[0], 5), v(r.IoUMeanCI[1], 5), v(r.BoundaryF, 5),
		strconv.Itoa(r.TestImages), strconv.FormatFloat(r.TrainSeconds, 'f', 3, 64), strconv.FormatFloat(r.PredictMS, 'f', 3, 64)}
}

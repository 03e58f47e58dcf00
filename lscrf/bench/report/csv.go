package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// header names the columns of CSV as the JSON rows name them, with _low and _high for the ends of
// their intervals.
var header = []string{"class", "tiers", "model", "terms", "balance", "images",
	"per_class_pooled", "per_class_pooled_low", "per_class_pooled_high",
	"per_class_mean", "per_class_mean_low", "per_class_mean_high",
	"pixel", "pixel_low", "pixel_high",
	"iou_pooled", "iou_pooled_low", "iou_pooled_high",
	"iou_mean", "iou_mean_low", "iou_mean_high",
	"boundary_f", "boundary_f_low", "boundary_f_high",
	"per_class_pooled_sd", "pixel_sd",
	"test_images", "train_seconds", "predict_ms", "predict_ms_low", "predict_ms_high"}

// CSV writes one line per row of the benches, undefined scores empty. Tiers are joined by '+'.
func CSV(w io.Writer, benches ...*bench.Table) error {
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	for _, b := range benches {
		for _, rows := range [][]bench.Row{b.Rows, b.OtherBalances, {b.Oracle}} {
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

func line(r bench.Row) []string {
	out := []string{r.Class, lscrf.Mix(r.Tiers).Plus(), r.Model, r.Terms, r.Balance, strconv.Itoa(r.Images)}
	add := func(decimals int, values ...metric.Value) {
		for _, v := range values {
			if !v.OK {
				out = append(out, "")
				continue
			}
			out = append(out, v.Format(decimals))
		}
	}
	add(3, r.PerClassPooled, r.PerClassPooledCI[0], r.PerClassPooledCI[1])
	add(3, r.PerClassMean, r.PerClassMeanCI[0], r.PerClassMeanCI[1])
	add(3, r.Pixel, r.PixelCI[0], r.PixelCI[1])
	add(5, r.IoUPooled, r.IoUPooledCI[0], r.IoUPooledCI[1])
	add(5, r.IoUMean, r.IoUMeanCI[0], r.IoUMeanCI[1])
	add(5, r.BoundaryF, r.BoundaryFCI[0], r.BoundaryFCI[1])
	add(3, r.PerClassPooledSD, r.PixelSD)
	out = append(out, strconv.Itoa(r.TestImages))
	add(3, metric.Of(r.TrainSeconds), metric.Of(r.PredictMS), r.PredictMSCI[0], r.PredictMSCI[1])
	return out
}

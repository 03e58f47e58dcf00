package report

import (
	"encoding/csv"
	"io"
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

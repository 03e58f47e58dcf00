package transfer

import "hdseg/lscrf/tools/metric"

// A Reliable is what masks are worth that are chosen by their predicted IoU.
type Reliable struct {
	At    float64      `json:"at"`       // threshold, as of --min-quality
	Masks int          `json:"masks"`    // with at least this predicted IoU
	Truly metric.Value `json:"truly"`    // share of these whose true IoU is at least that, too
	IoU   metric.Value `json:"iou_mean"` // their mean true IoU
	// share of all masks truly at least that good that are not among them
	Missed metric.Value `json:"missed"`
}

// thresholds are those of a reliability table.
var thresholds = []float64{0.5, 0.6, 0.7, 0.8, 0.9}

// foretold returns the scores that have a prediction.
func foretold(scores []Score) (out []Score) {
	for _, s := range scores {
		if s.Quality > 0 {
			out = append(out, s)
		}
	}
	return out
}

// bias returns the mean of the predicted IoUs, and of the true ones of the same masks.
func bias(scores []Score) (predicted, actual metric.Value) {
	var p, a []metric.Value
	for _, s := range foretold(scores) {
		p, a = append(p, metric.Of(s.Quality)), append(a, metric.Of(s.IoU))
	}
	predicted, _ = metric.Mean(p)
	actual, _ = metric.Mean(a)
	return predicted, actual
}

// reliability returns a row per threshold; none where nothing is predicted.
func reliability(scores []Score) []Reliable {
	if scores = foretold(scores); len(scores) == 0 {
		return nil
	}
	out := make([]Reliable, len(thresholds))
	for k, t := range thresholds {
		var kept []metric.Value
		var truly, good int64
		for _, s := range scores {
			if s.IoU >= t {
				good++
			}
			if s.Quality < t {
				continue
			}
			kept = append(kept, metric.Of(s.IoU))
			if s.IoU >= t {
				truly++
			}
		}
		mean, n := metric.Mean(kept)
		out[k] = Reliable{At: t, Masks: n, Truly: metric.Ratio(truly, int64(n)), IoU: mean, Missed: metric.Ratio(good-truly, good)}
	}
	return out
}

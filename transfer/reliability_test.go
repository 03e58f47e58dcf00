package transfer

import (
	"math"
	"testing"

	"hdseg/lscrf/tools/metric"
)

// Four masks with a prediction (0.9, 0.7, 0.65, 0.4, true 0.8, 0.5, 0.75, 0.6) and one without: their means are 2.65/4 and 2.65/4. From 0.7 on
// two are kept, of which one is truly so good, one of two; their mean is 0.65.
func TestReliability(t *testing.T) {
	scores := []Score{{Quality: 0.9, IoU: 0.8}, {Quality: 0.7, IoU: 0.5}, {IoU: 0.1}, {Quality: 0.65, IoU: 0.75}, {Quality: 0.4, IoU: 0.6}}
	p, a := bias(scores)
	if math.Abs(p.V-2.65/4) > 1e-12 || math.Abs(a.V-2.65/4) > 1e-12 {
		t.Errorf("means: got %v and %v, want 0.6625 twice", p, a)
	}
	rows := reliability(scores)
	want := Reliable{At: 0.7, Masks: 2, Truly: metric.Of(0.5), IoU: metric.Of(0.65), Missed: metric.Of(0.5)}
	if got := rows[2]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if last := rows[4]; last.At != 0.9 || last.Masks != 1 || last.Truly != metric.Of(0) || last.Missed.OK {
		t.Errorf("from 0.9 on: got %+v, want one mask that is not, and nothing that could be missed", last)
	}
	if p, _ := bias(scores[2:3]); p.OK {
		t.Errorf("without a prediction: got a mean of %v", p)
	}
	if none := reliability(scores[2:3]); none != nil {
		t.Errorf("without a prediction: got %+v", none)
	}
}

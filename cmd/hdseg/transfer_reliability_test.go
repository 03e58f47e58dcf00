package main

import (
	"strings"
	"testing"

	"hdseg/lscrf/tools/metric"
	"hdseg/transfer"
)

// A row without predictions is left out; what is not defined is a dash.
func TestReliabilityTable(t *testing.T) {
	rows := []transfer.Row{
		{Class: "horse", Tier: "label"},
		{Class: "horse", Tier: "bbox", Predicted: metric.Of(0.822), Actual: metric.Of(0.752), Reliability: []transfer.Reliable{
			{At: 0.5, Masks: 110, Truly: metric.Of(0.954), IoU: metric.Of(0.752)}, {At: 0.9},
		}},
	}
	var b strings.Builder
	reliabilityTable(&b, rows)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 || strings.Contains(b.String(), "label") {
		t.Fatalf("got %q, want two lines of head and one of bbox", b.String())
	}
	if got := strings.Fields(lines[1]); strings.Join(got, " ") != "0.5 0.9" {
		t.Errorf("thresholds: got %v", got)
	}
	if got, want := strings.Join(strings.Fields(lines[2]), " "), "horse bbox 0.822 0.752 110 95% 0.752 0 -% -"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(lines[1]) != len(lines[2]) {
		t.Errorf("columns are not under their thresholds:\n%s", b.String())
	}
	b.Reset()
	if reliabilityTable(&b, rows[:1]); b.Len() != 0 {
		t.Errorf("nothing predicted: got %q, want nothing", b.String())
	}
}

package main

import (
	"strings"
	"testing"
	"time"
)

// Twenty trees in 10 s, of which 80 more are to come: 40 s. A training that resumes at tree 60 and
// makes 10 in 5 s has 30, that is 15 s, to go; the next part begins a count of its own.
func TestProgressText(t *testing.T) {
	start := time.Now()
	var a app
	p := &progressLine{stage: "train", started: start}
	a.line = p
	see := func(done int, second float64) string {
		now := start.Add(time.Duration(second * float64(time.Second)))
		p.count(done, now)
		return p.text(done, 100, now)
	}
	see(0, 0)
	a.trainLoss("node", 0.31234)
	if got, want := see(20, 10), "train, node, loss 0.3123: 20 of 100, 10 s, about 40 s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := see(100, 50); strings.Contains(got, "left") {
		t.Errorf("at the end: %q", got)
	}
	a.trainLoss("edge", 0.5)
	if got := see(60, 51); strings.Contains(got, "left") {
		t.Errorf("nothing is known of the pace: %q", got)
	}
	if got, want := see(70, 56), "train, edge, loss 0.5000: 70 of 100, 56 s, about 15 s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

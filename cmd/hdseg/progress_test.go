package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"hdseg/lscrf"
)

var (
	nodePart = lscrf.Part{Name: "node", Index: 1, Of: 2}
	edgePart = lscrf.Part{Name: "edge", Index: 2, Of: 2}
)

// Twenty trees in 10 s, of which 80 more are to come: 40 s. A training that resumes at tree 60 and
// makes 10 in 5 s has 30, that is 15 s, to go; the next part begins a count of its own. What is left is of the part alone
// while another part follows.
func TestProgressText(t *testing.T) {
	start := time.Now()
	var a app
	p := &progressLine{stage: "train", started: start}
	a.line = p
	see := func(done int, second float64) string {
		now := start.Add(time.Duration(second * float64(time.Second)))
		p.count(done, 100, now)
		return p.text(now)
	}
	see(0, 0)
	a.trainLoss(nodePart, 0.31234)
	see(0, 0)
	if got, want := see(20, 10), "train, node (1 of 2), loss 0.3123: 20 of 100, 10 s, about 40 s left of this part"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := see(100, 50); strings.Contains(got, "left") {
		t.Errorf("at the end: %q", got)
	}
	a.trainLoss(edgePart, 0.5)
	if got := see(60, 51); strings.Contains(got, "left") {
		t.Errorf("nothing is known of the pace: %q", got)
	}
	if got, want := see(70, 56), "train, edge (2 of 2), loss 0.5000: 70 of 100, 56 s, about 15 s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A part that resumes where the part before it ended, or beyond, is a count of its own all the same; in a cross-validation one
// count is of all parts, models and folds.
func TestProgressCounts(t *testing.T) {
	start := time.Now()
	for _, whole := range []bool{false, true} {
		var a app
		p := &progressLine{stage: "s", started: start}
		a.line = p
		tell := a.trainLoss
		if whole {
			tell = a.foldLoss
		}
		tell(nodePart, 1)
		p.count(10, 100, start)
		p.count(30, 100, start.Add(10*time.Second))
		tell(edgePart, 1)
		p.count(40, 100, start.Add(20*time.Second))
		if got, want := p.first, map[bool]int{false: 40, true: 10}[whole]; got != want {
			t.Errorf("whole %v: the count began at %d, want %d", whole, got, want)
		}
		p.count(50, 100, start.Add(30*time.Second))
		// 10 more in 10 s, or 40 in 30 s; 50 remain.
		if got, want := p.left(start.Add(30*time.Second)), map[bool]string{false: ", about 50 s left", true: ", about 38 s left"}[whole]; got != want {
			t.Errorf("whole %v: got %q, want %q", whole, got, want)
		}
	}
}

// On a terminal every part of a training, and every count of a stage that counts several times (the models of a build, images
// and then words), is drawn, and each bar is taken away at its end.
func TestProgressBar(t *testing.T) {
	start := time.Now()
	for _, c := range []struct {
		name  string
		parts []lscrf.Part
	}{
		{"parts", []lscrf.Part{{Name: "features", Index: 1, Of: 3}, {Name: "node", Index: 2, Of: 3}, {Name: "edge", Index: 3, Of: 3}}},
		{"counts", make([]lscrf.Part, 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var screen bytes.Buffer
			a := app{stderr: &screen, progress: "bar"}
			a.stageProgress("train")
			p := a.line
			p.started = start
			now := start.Add(quietFor)
			for i, part := range c.parts {
				total := 40 + i%2 // equal totals and others
				if part.Name != "" {
					a.trainLoss(part, 0.25)
				}
				screen.Reset()
				for done := 1; done <= total; done++ {
					now = now.Add(drawEvery)
					p.update(done, total, now)
				}
				got := screen.String()
				for _, want := range []string{fmt.Sprintf("(1/%d)", total), fmt.Sprintf("(20/%d)", total), fmt.Sprintf("(%d/%d)", total-1, total), "train"} {
					if !strings.Contains(got, want) {
						t.Errorf("count %d: %q is not on the screen", i, want)
					}
				}
				if part.Name != "" && strings.Count(got, part.Name) < total-1 {
					t.Errorf("part %s was drawn %d times, want at least %d", part.Name, strings.Count(got, part.Name), total-1)
				}
				lines := strings.Split(strings.TrimRight(got, "\r"), "\r")
				if last := lines[len(lines)-1]; strings.TrimSpace(last) != "" {
					t.Errorf("count %d: left on the screen: %q", i, last)
				}
			}
			// A count that ends early, by early stopping, and a next one that is farther than it.
			p.update(5, 40, now.Add(time.Second))
			a.trainLoss(lscrf.Part{Name: "next", Index: 1, Of: 1}, 0.1)
			screen.Reset()
			p.update(20, 40, now.Add(2*time.Second))
			if got := screen.String(); !strings.Contains(got, "next (1 of 1)") || !strings.Contains(got, "(20/40)") {
				t.Errorf("after an early end: %q", got)
			}
			// The next stage has a line of its own.
			a.stageProgress("bench")
			if p.bar != nil {
				t.Error("the bar of a stage that is over is still there")
			}
		})
	}
}

// On a narrow terminal a description is cut, so that the bar stays in one line.
func TestProgressFits(t *testing.T) {
	p := &progressLine{stage: strings.Repeat("s", 200), total: 300, columns: 80}
	if got := len(p.short(p.name())) + len(" 100% || (300/300) "); got != 80 {
		t.Errorf("%d columns, want 80", got)
	}
	p.columns = 0
	if got := p.short(p.name()); got != p.name() {
		t.Errorf("cut where the width is not known: %q", got)
	}
}

// A part has one line however often it is counted, and the next part one of its own: a line per count would be young for ever and
// show nothing.
func TestPartsHaveALineEach(t *testing.T) {
	a := app{stderr: new(bytes.Buffer), progress: "text"}
	show := a.partProgress()
	show("curves", 0, 9)
	first := a.line
	show("curves", 1, 9)
	show("curves", 2, 9)
	if a.line != first || first.stage != "curves" {
		t.Error("a count begins a new line")
	}
	if show("weights", 0, 9); a.line == first || a.line.stage != "weights" {
		t.Error("another part goes on with the line of the first")
	}
}

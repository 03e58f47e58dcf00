package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
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
	if got, want := see(20, 10), "train, superpixels (1 of 2), loss 0.3123: 20 of 100 steps, 10 s, about 40 s left of this part"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := see(100, 50); strings.Contains(got, "left") {
		t.Errorf("at the end: %q", got)
	}
	a.trainLoss(edgePart, 0.5)
	if got := see(60, 51); strings.Contains(got, "left") {
		t.Errorf("nothing is known of the pace: %q", got)
	}
	if got, want := see(70, 56), "train, pairs of superpixels (2 of 2), loss 0.5000: 70 of 100 steps, 56 s, about 15 s left"; got != want {
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
				words := p.name(part)
				if part.Name != "" && strings.Count(got, words) < total-1 {
					t.Errorf("part %s was drawn %d times, want at least %d", part.Name, strings.Count(got, words), total-1)
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
	if got := len(p.short(p.name(p.part))) + len(" 100% || (300/300) "); got != 80 {
		t.Errorf("%d columns, want 80", got)
	}
	p.columns = 0
	if got := p.short(p.name(p.part)); got != p.name(p.part) {
		t.Errorf("cut where the width is not known: %q", got)
	}
}

// Every phase says what it counts.
func TestProgressUnits(t *testing.T) {
	for _, c := range []struct {
		stage string
		part  lscrf.Part
		want  string
	}{
		{"stage 1 of 7: reading pictures and masks", lscrf.Part{}, "3 of 9 pictures"},
		{"stage 1 of 7: unpacking archive 2", lscrf.Part{}, "3 of 9 kB"},
		{"stage 3 of 7: learning the class model (tier bbox)", lscrf.Part{}, "3 of 9 trees"},
		{"stage 3 of 7: describing superpixels of masks (tier label)", lscrf.Part{}, "3 of 9 masks"},
		{"stage 5 of 7: training model 1 of 20, paper/manual-linear-unary", lscrf.Part{}, "3 of 9 pictures"},
		{"training model 1 of 8, paper/manual-trees-unary", nodePart, "3 of 9 steps"},
		{"training the model", lscrf.Part{}, "3 of 9 pictures"},
		{"training models without one tier", lscrf.Part{}, "3 of 9 models"},
		{"checking shards", lscrf.Part{}, "3 of 9 shards"},
	} {
		start := time.Now()
		p := &progressLine{stage: c.stage, started: start, part: c.part}
		p.count(3, 9, start)
		if got := p.text(start); !strings.Contains(got, ": "+c.want+", 0 s") {
			t.Errorf("%s: got %q, want %s", c.stage, got, c.want)
		}
	}
}

// progressOf is a line of a phase: its name, how far it is, of how many, and what is left.
var progressOf = regexp.MustCompile(`^(.*?)(?:, loss [\d.]+)?: (\d+) of (\d+) ([a-zA-Z]+), \d+ s(?:, about (\d+) s left.*)?$`)

// What commands print about their progress can be believed: no count falls within a phase, none begins twice, its total does not
// change and is its last line, and the time left never rises. Here every count is printed.
func TestProgressOfCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HDSEG_TEST_MAIN", "small")
	in := filepath.Join("hdseg-demo", "dataset", "horseseg.yaml")
	sources := filepath.Join("hdseg-demo", "sources")
	for _, c := range []struct {
		args   []string
		phases []string // some of those that it must name
	}{
		{[]string{"demo"}, []string{"drawing pictures", "stage 1 of 7: reading pictures and masks", "stage 3 of 7: cutting out figures (tier bbox)",
			"stage 3 of 7: cutting out figures (tier label)", "stage 4 of 7: cutting pictures into superpixels",
			"stage 5 of 7: training model 1 of 20, paper/manual-linear-unary", "stage 6 of 7: measuring the models on test pictures"}},
		{[]string{"ingest", "--voc", filepath.Join(sources, "VOCdevkit"), "--test", filepath.Join(sources, "test"), "-o", "again"}, []string{"reading pictures and masks"}},
		{[]string{"transfer", "-i", filepath.Join("hdseg-demo", "dataset", "stages", "split.yaml"), "-o", filepath.Join("hdseg-demo", "dataset", "other.yaml"),
			"--set", "transfer.pool.neighbors=7"}, // of a setting for which nothing was learned yet
			[]string{"reading masks to learn from (tier bbox)", "reading masks to learn from for a second look (tier label)", "learning how good masks are (tier label)"}},
		{[]string{"bench", "-i", in, "--tiers", "manual;manual,bbox", "--balance", "paper", "--model", "linear,trees", "--set", "train.trees.trees=9", "--set", "superpixel.count=100"},
			[]string{"training model 1 of 8, paper/manual-linear-unary", "training model 4 of 8, paper/manual-trees-pairwise, pairs of superpixels (2 of 2)"}},
		{[]string{"bench", "-i", in, "--tiers", "manual", "--balance", "paper", "--model", "trees", "--set", "train.trees.trees=9", "--cross-validate", "2"}, []string{"cross-validation of 2 models"}},
		{[]string{"study", "-i", in, "--draws", "1", "--set", "bench.samples=50"}, []string{"training models on growing parts of each tier", "training models without one tier"}},
		{[]string{"check", in}, []string{"checking pictures and masks"}},
	} {
		_, said, code := hdseg(t, append(c.args, "--progress", "text")...)
		if code != exitDone && code != exitSkips {
			t.Fatalf("%v: exit %d: %s", c.args, code, said)
		}
		believable(t, c.args[0], said, c.phases)
	}
}

// believable checks the lines of a command's progress.
func believable(t *testing.T, command, said string, want []string) {
	t.Helper()
	type count struct{ done, total, left int }
	ended := map[string]bool{}
	last, at := "", count{}
	for line := range strings.Lines(said) {
		m := progressOf.FindStringSubmatch(strings.TrimSpace(line))
		if strings.Contains(line, "ended after") {
			t.Errorf("%s: a phase did not reach its total: %s", command, line)
		}
		if m == nil {
			continue
		}
		var now count
		now.done, _ = strconv.Atoi(m[2])
		now.total, _ = strconv.Atoi(m[3])
		now.left, _ = strconv.Atoi(m[5])
		if m[1] != last {
			if at.done != at.total {
				t.Errorf("%s: %s ended at %d of %d", command, last, at.done, at.total)
			}
			if ended[m[1]] {
				t.Errorf("%s: %s begins again", command, m[1])
			}
			ended[m[1]], last = true, m[1]
		} else if now.done < at.done || now.total != at.total || now.left > at.left && at.left > 0 {
			t.Errorf("%s: %s went from %+v to %+v", command, last, at, now)
		}
		if at = now; now.left == 0 && m[5] == "" {
			at.left = 0
		}
	}
	if at.done != at.total || last == "" {
		t.Errorf("%s: %q ended at %d of %d", command, last, at.done, at.total)
	}
	for _, name := range want {
		if !ended[name] {
			t.Errorf("%s: no phase %q in\n%s", command, name, said)
		}
	}
}

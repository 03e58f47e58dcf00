package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hdseg/lscrf"
)

// A progressLine shows how far a phase of the work is: a bar on a terminal, a plain line every ten
// seconds elsewhere. Phases shorter than two seconds show nothing. A phase may count several times:
// the parts of a training, or another pass. Each count has a bar, or lines, with a name of its own.
// A count never falls, its last line has its total, and the time that is left never rises.
type progressLine struct {
	w        io.Writer
	stage    string
	bars     bool
	columns  int                      // of the terminal; 0: not known
	bar      *progressbar.ProgressBar // of the count at hand; nil: none is on the screen
	started  time.Time
	lastLine time.Time // when a line or bar was last drawn

	part lscrf.Part // of a training, the zero Part for none
	loss float64    // of the part so far
	// The count at hand: of what, how far it is, and where and when it was first seen.
	counted     lscrf.Part
	done, total int
	first       int
	begun       time.Time
	pass        int     // of the part, from 1
	seen        bool    // a line of this count was printed
	least       float64 // seconds left as last shown; 0 for none
	whole       bool    // parts have no counts of their own: one count is of all
}

// Tests make the first two shorter.
var (
	quietFor  = 2 * time.Second
	lineEvery = 10 * time.Second
)

const drawEvery = 100 * time.Millisecond

// partNames are the parts of a model in the user's words.
var partNames = map[string]string{"node": "superpixels", "edge": "pairs of superpixels", "features": "tree features",
	"regressors": "all terms"}

// units are what phases count, by a part of their names; the first that fits is taken.
var units = []struct{ part, unit string }{
	{"unpacking archive", "kB"}, {"learning the class model", "trees"}, {"cutting out figures", "pictures"}, {"superpixels of masks", "masks"},
	{"masks to learn from", "masks"}, {"how good masks are", "masks"}, {"training models", "models"}, {"shards", "shards"},
	{"pictures", "pictures"},
}

// unit is what the count at hand counts. Training counts pictures where it adds up statistics, else
// steps: trees or iterations.
func (p *progressLine) unit() string {
	for _, u := range units {
		if strings.Contains(p.stage, u.part) {
			return u.unit
		}
	}
	if strings.Contains(p.stage, "training") && p.counted.Name == "" {
		return "pictures"
	}
	return "steps"
}

// stageProgress begins a phase and returns the function that is called with its count. It may be
// called from one goroutine at a time.
func (a *app) stageProgress(stage string) func(done, total int) {
	a.endProgress()
	mode, columns := a.progress, 0
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		columns, _, _ = term.GetSize(int(f.Fd())) // 0 if the terminal does not tell
		if mode == "auto" {
			mode = "bar"
		}
	}
	if mode == "none" {
		return func(int, int) {}
	}
	p := &progressLine{w: a.stderr, stage: stage, bars: mode == "bar", columns: columns, started: time.Now()}
	a.line = p
	return func(done, total int) { p.update(done, total, time.Now()) }
}

// trainLoss is a Trainer's Loss: the line that shows the training tells it.
func (a *app) trainLoss(part lscrf.Part, loss float64) {
	if a.line != nil {
		a.line.part, a.line.loss = part, loss
	}
}

// foldLoss is trainLoss where one count is of all models and folds.
func (a *app) foldLoss(part lscrf.Part, loss float64) {
	if a.trainLoss(part, loss); a.line != nil {
		a.line.whole = true
	}
}

// update shows a count; now is the time.
func (p *progressLine) update(done, total int, now time.Time) {
	if total <= 0 {
		return // not known yet
	}
	p.count(done, total, now)
	ends := done >= total
	switch {
	case p.bars && now.Sub(p.started) >= quietFor:
		p.draw(now)
	case p.bars || ends && !p.seen:
	case ends || now.Sub(p.started) >= quietFor && now.Sub(p.lastLine) >= lineEvery:
		p.seen, p.lastLine = !ends, now
		fmt.Fprintln(p.w, p.text(now))
	}
}

// draw draws the bar of the count at hand, and takes it away at its end. A bar that was ended draws
// nothing any more, so that the next count needs one of its own.
func (p *progressLine) draw(now time.Time) {
	if p.done >= p.total {
		p.clear()
		return
	}
	if p.bar != nil && now.Sub(p.lastLine) < drawEvery {
		return
	}
	p.lastLine = now
	if p.bar == nil {
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	}
	if p.bar.GetMax() != p.total {
		p.bar.ChangeMax(p.total)
	}
	p.bar.Describe(p.short(p.name(p.counted) + p.withLoss() + p.left(now) + ", " + p.unit()))
	_ = p.bar.Set(p.done) // the error of a terminal that went away is not ours to report
}

// short cuts a description so that it and the counts behind it fit into one line of the terminal.
func (p *progressLine) short(s string) string {
	counts := len(fmt.Sprintf(" 100%% || (%d/%d) ", p.total, p.total))
	if r := []rune(s); p.columns > counts && len(r) > p.columns-counts {
		return string(r[:p.columns-counts])
	}
	return s
}

// end ends the count at hand: it takes the bar from the screen, or says how far a count came that
// ended early.
func (p *progressLine) end() {
	p.clear()
	if p.seen {
		fmt.Fprintf(p.w, "%s: ended after %d of %d %s\n", p.name(p.counted), p.done, p.total, p.unit())
	}
	p.seen = false
}

// clear takes the bar from the screen.
func (p *progressLine) clear() {
	if p.bar != nil {
		_ = p.bar.Clear() // as above
		p.bar = nil
	}
}

// count notes how far the count at hand is, which is a new one if it goes back, or belongs to
// another part.
func (p *progressLine) count(done, total int, now time.Time) {
	if another := !p.whole && p.part.Name != p.counted.Name; p.begun.IsZero() || done < p.done || another {
		p.end()
		if p.pass++; another {
			p.pass = 1
		}
		p.first, p.begun, p.counted, p.least = done, now, p.part, 0
	}
	p.done, p.total = done, total
}

// text is a plain line: how far, since when, and what remains.
func (p *progressLine) text(now time.Time) string {
	return fmt.Sprintf("%s%s: %d of %d %s, %.0f s%s", p.name(p.counted), p.withLoss(), p.done, p.total, p.unit(),
		now.Sub(p.started).Seconds(), p.left(now))
}

// left is what remains at the pace of this count so far: of the part alone where others follow,
// whose trees take another time. A time that rose is not shown: the pace is not known then.
func (p *progressLine) left(now time.Time) string {
	if p.done <= p.first || p.done >= p.total {
		return ""
	}
	left := now.Sub(p.begun).Seconds() * float64(p.total-p.done) / float64(p.done-p.first)
	if p.least > 0 && left > p.least {
		return ""
	}
	p.least = left
	s := fmt.Sprintf(", about %.0f s left", left)
	if p.part.Index < p.part.Of && !p.whole {
		s += " of this part"
	}
	return s
}

// name is that of the phase, of the part of a training, and of the pass from the second on.
func (p *progressLine) name(part lscrf.Part) string {
	name := p.stage
	if part.Name != "" && !p.whole {
		of, choosing := strings.CutPrefix(part.Name, "choose-")
		if words, ok := partNames[of]; ok {
			of = words
		}
		if choosing {
			of += " to choose settings"
		}
		name += fmt.Sprintf(", %s (%d of %d)", of, part.Index, part.Of)
	}
	if p.pass > 1 {
		name += fmt.Sprintf(", pass %d", p.pass)
	}
	return name
}

func (p *progressLine) withLoss() string {
	if p.counted.Name == "" {
		return ""
	}
	return fmt.Sprintf(", loss %.4f", p.loss)
}

// endProgress ends the current phase.
func (a *app) endProgress() {
	if a.line != nil {
		a.line.end()
	}
	a.line = nil
}

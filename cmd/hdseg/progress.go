package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hdseg/lscrf"
)

// A progressLine shows how far one stage is: a bar on a terminal, a plain line every ten seconds
// elsewhere. Stages shorter than two seconds show nothing. A stage may count several times from the
// start: every count has a bar of its own.
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
	whole       bool // parts have no counts of their own: one count is of all
}

const (
	quietFor  = 2 * time.Second
	lineEvery = 10 * time.Second
	drawEvery = 100 * time.Millisecond
)

// stageProgress returns the function that a stage calls with its progress. It may be called from
// one goroutine at a time.
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

// partProgress is stageProgress for work that names its part with every count: a part has one line.
func (a *app) partProgress() func(part string, done, total int) {
	last, show := "", func(int, int) {}
	return func(part string, done, total int) {
		if part != last {
			last, show = part, a.stageProgress(part)
		}
		show(done, total)
	}
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
	p.count(done, total, now)
	switch {
	case now.Sub(p.started) < quietFor:
	case p.bars:
		p.draw(now)
	case now.Sub(p.lastLine) >= lineEvery:
		p.lastLine = now
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
	p.bar.Describe(p.short(p.name() + p.left(now)))
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
	if p.begun.IsZero() || done < p.done || !p.whole && p.part.Name != p.counted.Name {
		p.clear()
		p.first, p.begun, p.counted = done, now, p.part
	}
	p.done, p.total = done, total
}

// text is a plain line: how far, since when, and what remains.
func (p *progressLine) text(now time.Time) string {
	return fmt.Sprintf("%s: %d of %d, %.0f s%s", p.name(), p.done, p.total, now.Sub(p.started).Seconds(), p.left(now))
}

// left is what remains at the pace of this count so far: of the part alone where others follow,
// whose trees take another time.
func (p *progressLine) left(now time.Time) string {
	if p.done <= p.first || p.done >= p.total {
		return ""
	}
	s := fmt.Sprintf(", about %.0f s left", now.Sub(p.begun).Seconds()*float64(p.total-p.done)/float64(p.done-p.first))
	if p.part.Index < p.part.Of && !p.whole {
		s += " of this part"
	}
	return s
}

// name is the stage, or the part of a training with its loss.
func (p *progressLine) name() string {
	if p.part.Name == "" {
		return p.stage
	}
	return fmt.Sprintf("%s, %s (%d of %d), loss %.4f", p.stage, p.part.Name, p.part.Index, p.part.Of, p.loss)
}

// endProgress takes the current bar from the screen.
func (a *app) endProgress() {
	if a.line != nil {
		a.line.clear()
	}
	a.line = nil
}

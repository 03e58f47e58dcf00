package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progressLine shows how far one stage is: a bar on a terminal, a plain line every ten
// seconds elsewhere. Stages shorter than two seconds show nothing.
type progressLine struct {
	w        io.Writer
	stage    string
	bar      *progressbar.ProgressBar // nil: plain lines
	started  time.Time
	lastLine time.Time

	part string  // of a training, "" for none
	loss float64 // of the part so far
	// The count at hand, which starts anew with every part: how far it is, and where and when it was first seen.
	done, first int
	begun       time.Time
}

const (
	quietFor  = 2 * time.Second
	lineEvery = 10 * time.Second
)

// stageProgress returns the function that a stage calls with its progress. It may be called from
// one goroutine at a time.
func (a *app) stageProgress(stage string) func(done, total int) {
	a.endProgress()
	mode := a.progress
	f, isFile := a.stderr.(*os.File)
	if mode == "auto" {
		mode = "text"
		if isFile && term.IsTerminal(int(f.Fd())) {
			mode = "bar"
		}
	}
	if mode == "none" {
		return func(int, int) {}
	}
	p := &progressLine{w: a.stderr, stage: stage, started: time.Now()}
	a.line = p
	return func(done, total int) { p.update(done, total, mode == "bar") }
}

// trainLoss is a Trainer's Loss: the line that shows the training tells it.
func (a *app) trainLoss(part string, loss float64) {
	if a.line != nil {
		a.line.part, a.line.loss = part, loss
	}
}

func (p *progressLine) update(done, total int, bar bool) {
	now := time.Now()
	p.count(done, now)
	if now.Sub(p.started) < quietFor {
		return
	}
	if !bar {
		if now.Sub(p.lastLine) >= lineEvery {
			p.lastLine = now
			fmt.Fprintln(p.w, p.text(done, total, now))
		}
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.name()),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	if p.part != "" {
		p.bar.Describe(p.name())
	}
	_ = p.bar.Set(done) // the error of a terminal that went away is not ours to report
}

// count notes how far the count at hand is.
func (p *progressLine) count(done int, now time.Time) {
	if p.begun.IsZero() || done < p.done {
		p.first, p.begun = done, now
	}
	p.done = done
}

// text is a plain line: how far, since when, and what remains at the pace of this count so far.
func (p *progressLine) text(done, total int, now time.Time) string {
	line := fmt.Sprintf("%s: %d of %d, %.0f s", p.name(), done, total, now.Sub(p.started).Seconds())
	if done > p.first && done < total {
		line += fmt.Sprintf(", about %.0f s left", now.Sub(p.begun).Seconds()*float64(total-done)/float64(done-p.first))
	}
	return line
}

// name is the stage, or the part of a training with its loss.
func (p *progressLine) name() string {
	if p.part == "" {
		return p.stage
	}
	return fmt.Sprintf("%s, %s, loss %.4f", p.stage, p.part, p.loss)
}

// endProgress takes the current bar from the screen.
func (a *app) endProgress() {
	if a.line != nil && a.line.bar != nil {
		_ = a.line.bar.Clear() // as above
	}
	a.line = nil
}

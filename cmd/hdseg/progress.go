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

func (p *progressLine) update(done, total int, bar bool) {
	now := time.Now()
	if now.Sub(p.started) < quietFor {
		return
	}
	if !bar {
		if now.Sub(p.lastLine) >= lineEvery {
			p.lastLine = now
			fmt.Fprintf(p.w, "%s: %d of %d, %.0f s\n", p.stage, done, total, now.Sub(p.started).Seconds())
		}
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(fmt.Sprintf("%-10s", p.stage)),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	_ = p.bar.Set(done) // the error of a terminal that went away is not ours to report
}

// endProgress takes the current bar from the screen.
func (a *app) endProgress() {
	if a.line != nil && a.line.bar != nil {
		_ = a.line.bar.Clear() // as above
	}
	a.line = nil
}

package main

import (
	"image"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// TestPageScribble draws a box and a figure scribble outside of it: the scribble is figure, and undo takes its marks back.
func TestPageScribble(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	drag := func(x0, y0, x1, y1 float64) {
		p.drag(x0, y0, x1, y1)
		p.until("the cut", "annotate.waiting === 0")
	}
	w, h := float64(p.truth.Width), float64(p.truth.Height)
	p.press("i") // so that every cut changes something
	p.press("5")
	drag(0.4*w, 0.4*h, 0.9*w, 0.9*h)
	p.until("the box", "annotate.mask.hints.boxes.length === 1")
	m, box := p.mask(), image.Rect(int(0.4*w)-1, int(0.4*h)-1, int(0.9*w)+2, int(0.9*h)+2)
	for i, v := range m.Pix {
		if v == raster.Figure && !image.Pt(i%m.Width, i/m.Width).In(box) {
			t.Fatal("a box that cuts anew leaves figure outside of it")
		}
	}
	p.press("g") // the cut's own switch: now a box adds
	p.until("Add", "document.querySelector('[data-add=\"1\"]').getAttribute('aria-pressed') === 'true' && !annotate.settings.ground")
	drag(0.05*w, 0.05*h, 0.5*w, 0.5*h)
	p.until("the second box", "annotate.mask.hints.boxes.length === 2")
	for i, v := range p.mask().Pix {
		if m.Pix[i] == raster.Figure && v != raster.Figure {
			t.Fatal("a box that adds takes figure away")
		}
	}
	p.press("z")
	p.press("g")
	p.until("Anew", "!annotate.settings.add && annotate.mask.hints.boxes.length === 1")
	p.press("6")
	drag(0.1*w, 0.1*h, 0.2*w, 0.1*h)
	p.until("the scribble", "annotate.mask.hints.marks.length === 1")
	if m := p.mask(); m.At(int(0.15*w), int(0.1*h)) != 1 {
		t.Error("the scribble outside of the box is not figure")
	}
	// A mark where the cut is figure already changes nothing now. It holds for the next cut, is a step of its own to undo, and
	// nothing to save.
	before, version := p.mask(), eval[int](p.tab, "annotate.mask.version")
	drag(0.11*w, 0.1*h, 0.19*w, 0.1*h)
	p.until("the second mark", "annotate.mask.hints.marks.length === 2")
	if string(p.mask().Pix) != string(before.Pix) || eval[int](p.tab, "annotate.mask.version") != version {
		t.Error("a mark that changes nothing changed the mask, or made it unsaved")
	}
	if got := p.text(".note"); !strings.Contains(got, "The cut is as before") {
		t.Errorf("the page says %q, want that the cut is as before", got)
	}
	p.press("z")
	p.until("the undo of the mark alone", "annotate.mask.hints.marks.length === 1")
	if string(p.mask().Pix) != string(before.Pix) {
		t.Error("undoing a mark that changed nothing changed the mask")
	}
	p.press("Z", chromedp.ModifierShift)
	p.until("the redo", "annotate.mask.hints.marks.length === 2")
	p.press("z")
	p.press("z")
	p.until("the undo", "annotate.mask.hints.marks.length === 0 && annotate.mask.hints.boxes.length === 1")
	p.press("z")
	p.until("the undo of the box", "annotate.mask.hints.boxes.length === 0")
	p.press("5")
	drag(0.4*w, 0.4*h, 0.9*w, 0.9*h)
	if got := p.text(".notes"); strings.Contains(got, "The cut is as before") {
		t.Error("what was said of an older cut stays")
	}
}

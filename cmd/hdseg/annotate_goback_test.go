package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// block sets a rectangle of the mask in the editor as one change.
func (p *tab) block(x0, y0, x1, y1, value int) {
	p.t.Helper()
	p.do(fmt.Sprintf("(() => { const m = annotate.mask; m.begin('brush'); for (let y = %d; y < %d; y++) m.span(y, %d, %d, %d); m.end(); })()", y0, y1, x0, x1, value))
}

// TestPageDifference shows another mask as a difference, takes a region of it by a click and all of it by a button, and each is one step to undo.
func TestPageDifference(t *testing.T) {
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	p.hold()
	p.press(kb.Delete)
	p.block(2, 2, 12, 12, 1)
	p.block(40, 2, 50, 12, 1)
	p.press("s", chromedp.ModifierCtrl)
	p.until("the first save", "annotate.saver.base === 1 && !annotate.saver.dirty()")
	p.block(2, 2, 12, 12, 0)
	p.block(40, 2, 50, 12, 0)
	p.block(20, 20, 30, 30, 1)
	before := p.mask()
	p.press("t")
	p.until("the difference", "annotate.pane.other && annotate.compare.pane.root.hidden && annotate.pane.label.textContent.includes('only in revision 1 by Ann')")
	p.shot("difference")
	p.clickPixel(5, 5)
	p.wantMask("a region taken", map[spot]uint8{{5, 5}: 1, {45, 5}: 0, {25, 25}: 1})
	p.clickPixel(25, 25)
	p.wantMask("figure that the other has not", map[spot]uint8{{5, 5}: 1, {45, 5}: 0, {25, 25}: 0})
	p.clickPixel(35, 35)
	if got := p.text(".note"); !strings.Contains(got, "equal here") {
		t.Errorf("a click where nothing differs: the page says %q", got)
	}
	p.press("z")
	p.press("z")
	if string(p.mask().Pix) != string(before.Pix) {
		t.Error("two steps of undo do not lead back")
	}
	p.click("[data-action=takeAll]")
	p.wantMask("all taken", map[spot]uint8{{5, 5}: 1, {45, 5}: 1, {25, 25}: 0})
	p.press("z")
	p.press("t") // off again
	p.until("no difference", "!annotate.pane.other && annotate.tool.name === 'superpixel' && !annotate.compare.pane.root.hidden")
	// The proposal, too.
	p.do("annotate.compare.show(annotate.compare.choices().find((c) => c.tier === 'bbox'))")
	p.press("t")
	p.until("the proposal", "annotate.pane.other && annotate.pane.label.textContent.includes('tier bbox')")
}

// TestPageEscape drags, and Escape takes the stroke back; it leaves no picture. Messages stand one above another.
func TestPageEscape(t *testing.T) {
	p := blank(t)
	before := p.mask()
	p.press("2")
	x, y := p.at(50, 50)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x+30, y+30, 1)
	p.press(kb.Escape)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, x+30, y+30, 0)
	if string(p.mask().Pix) != string(before.Pix) || !eval[bool](p, "location.hash.startsWith('#edit/') && annotate.mask.done.length === 0") {
		t.Error("Escape does not take the stroke back, or leaves the picture")
	}
	p.press("y", chromedp.ModifierCtrl)
	p.press("l")
	p.press("l")
	if got := eval[string](p, "[...document.querySelectorAll('.note')].map((n) => n.textContent).join('|')"); got != "Nothing to change.|Nothing to redo." {
		t.Errorf("messages: got %q, want each once, the newest first", got)
	}
}

// TestPageMerge lets two tabs change the same mask in different places: the later one merges, what both changed is shown as a difference, and a click decides.
func TestPageMerge(t *testing.T) {
	longOnly(t)
	one := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	one.login("Ann")
	one.edit(one.record.ID)
	one.hold()
	one.press(kb.Delete)
	one.block(40, 40, 50, 50, 1)
	one.press("s", chromedp.ModifierCtrl)
	one.until("the common mask", "annotate.saver.base === 1 && !annotate.saver.dirty()")
	two := open(t, one.browser, one.server.address)
	two.until("the queue", "document.querySelector('.queue')")
	two.edit(one.record.ID)
	two.hold()
	one.block(2, 2, 12, 12, 1)
	one.block(40, 2, 46, 12, 1) // both, differently
	one.press("s", chromedp.ModifierCtrl)
	one.until("the second save", "annotate.saver.base === 2 && !annotate.saver.dirty()")
	two.block(20, 2, 30, 12, 1)
	two.block(42, 2, 50, 12, 1)
	two.press("s", chromedp.ModifierCtrl)
	two.until("the question", "!!document.querySelector('dialog[open]')")
	two.press(kb.Escape) // only cancels
	two.until("the dialog gone", "!document.querySelector('dialog[open]') && annotate.saver.base === 1 && annotate.saver.dirty()")
	two.press("s", chromedp.ModifierCtrl)
	two.until("the question", "!!document.querySelector('dialog[open]')")
	two.click(`dialog [data-choice="merge"]`)
	two.until("the merge", "annotate.saver.base === 2 && annotate.pane.other && annotate.tool.name === 'take'")
	two.shot("merge")
	two.wantMask("merged", map[spot]uint8{{5, 5}: 1, {25, 5}: 1, {45, 45}: 1, {41, 5}: 1, {48, 5}: 1})
	two.clickPixel(48, 5) // theirs has it not
	two.wantMask("a region of theirs", map[spot]uint8{{25, 5}: 1, {41, 5}: 1, {44, 5}: 1, {48, 5}: 0})
	two.press("s", chromedp.ModifierCtrl)
	two.until("the merged save", "annotate.saver.base === 4 && !annotate.saver.dirty()")
	got := ""
	for _, e := range events(t, one.manifest, one.record.ID) {
		got += fmt.Sprintf("%v from %v, ", e["kind"], e["base"])
	}
	if got != "saved from <nil>, saved from 1, aside from 1, saved from 2, " {
		t.Errorf("log: got %s", got)
	}
}

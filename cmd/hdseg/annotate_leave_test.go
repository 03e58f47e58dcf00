package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageLeave goes to the next picture at once after a stroke: the server has it. What the server could not take is
// offered again, and stays until the person has answered.
func TestPageLeave(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	p.press("8")
	p.clickPixel(5, 5)
	p.press("q")
	p.until("the queue", "document.querySelector('.queue')")
	if got := events(t, p.manifest, p.record.ID); len(got) != 1 || got[0]["kind"] != "saved" {
		t.Errorf("log after leaving: got %v, want the save", got)
	}

	p.edit(p.record.ID)
	p.press(kb.Delete) // an empty mask is not saved by itself
	p.press("q")
	p.until("the queue", "document.querySelector('.queue')")
	p.edit(p.record.ID)
	p.run(chromedp.WaitVisible(chromedp.CSS("[data-draft=restore]")))
	before := p.mask()
	p.clickPixel(9, 9)
	p.press("i")
	p.press("s", chromedp.ModifierCtrl)
	if string(p.mask().Pix) != string(before.Pix) {
		t.Error("a stroke changed the mask while a draft was unanswered")
	}
	p.run(chromedp.Reload())
	p.ready(p.record.ID)
	p.click("[data-draft=restore]")
	p.until("the draft", "annotate.mask.isEmpty()")
	p.press("z")
	p.press("i")
	p.until("the autosave", "!annotate.saver.dirty() && annotate.saver.base === 2")
}

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageReject paints on a submitted mask and rejects it: the reviewer is asked about the strokes, and the author gets the
// reason.
func TestPageReject(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann", "--reviewers", "Rita")
	for _, choice := range []string{"no", "yes"} {
		p.run(chromedp.Navigate(p.server.address))
		if choice == "no" {
			p.login("Ann")
		} else {
			p.until("the queue", "document.querySelector('.queue')")
			p.relogin("Ann")
		}
		p.edit(p.record.ID)
		p.press("8")
		p.clickPixel(5, 5)
		p.press("i") // something new each time
		p.press("\r", chromedp.ModifierCtrl)
		p.until("the submission", "annotate.key !== "+asJSON(t, p.record.ID))
		p.relogin("Rita")
		p.edit(p.record.ID)
		p.click("[data-action=reopen]") // Correct: she does not draw on it by mistake
		p.until("the correction", "annotate.detail.readOnly === ''")
		p.hold()
		p.press("3")
		p.clickPixel(9, 9)
		p.press("r")
		p.run(chromedp.WaitVisible(chromedp.CSS("dialog .chip")))
		p.click("dialog .chip")
		p.click("dialog button.primary")
		p.run(chromedp.WaitVisible(chromedp.CSS("dialog [data-choice=no]")))
		p.click("dialog [data-choice=" + choice + "]")
		p.until("the rejection", "annotate.key !== "+asJSON(t, p.record.ID))
		log := events(t, p.manifest, p.record.ID)
		if e := log[len(log)-1]; e["to"] != "rejected" || e["reason"] != "The outline is loose" || (e["author"] == "Ann") != (choice == "yes") {
			t.Errorf("%s: the log ends with %v", choice, e)
		}
	}
	p.relogin("Ann")
	p.edit(p.record.ID)
	p.press(kb.Delete)
	p.until("the author's stroke", "annotate.mask.isEmpty()")
}

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageLearns lets a model learn what is accepted: the queue says so and orders by it, and a picture's second proposal is shown as a
// difference and taken by one button.
func TestPageLearns(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--learn", "--reviewers", "Rita,Rob", "--self-review")
	p.login("Rita")
	p.until("the model", "document.querySelector('.order').textContent.includes('The model learned from 0 accepted masks and ')")
	p.until("the order", "[...document.querySelectorAll('[data-filter=sort] option')].some((o) => o.value === 'model disagrees')")
	p.do("(location.hash = '#?sort=model disagrees')")
	p.until("the order of the queue", "document.querySelector('.card')?.textContent.includes('model disagrees ')")
	values := eval[[]float64](p.tab, "[...document.querySelectorAll('.card')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top || a.getBoundingClientRect().left - b.getBoundingClientRect().left).map((c) => Number(c.textContent.match(/disagrees ([0-9.]+)/)?.[1] ?? -1))")
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1] {
			t.Errorf("disagreement: got %v, want it to fall", values)
			break
		}
	}
	p.shot("learned-queue")
	p.edit(p.record.ID)
	p.hold()
	p.press("m")
	p.until("the model's mask", "annotate.pane.other && annotate.pane.label.textContent.includes('only in mask of the model')")
	p.shot("learned-difference")
	p.click("[data-action=takeAll]")
	p.until("taken", "annotate.mask.px.every((v, i) => v === annotate.compare.other[i])")
	p.press("m")
	p.until("hidden", "!annotate.pane.other && annotate.tool.name !== 'take'")
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the acceptance", fmt.Sprintf("annotate.key !== %s", asJSON(t, p.record.ID)))
	p.ready(eval[string](p.tab, "annotate.key"))
	p.press("q")
	p.until("the model knows it", "document.querySelector('.order')?.textContent.includes('The model learned from 1 accepted mask and ')")
}

package main

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageStroke presses keys while the mouse is down: the stroke ends there, is kept, and nothing throws.
func TestPageStroke(t *testing.T) {
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	for _, key := range []string{"5", "4", "6", "9", "3", "f", "b", "i", "z", "l", "v"} {
		p.do("(annotate.mask.replace(new Uint8Array(annotate.mask.px.length), 'clear'), annotate.mask.done = [], annotate.mask.undone = [], annotate.settings.brush = 6)")
		p.press("2")
		x, y := p.at(5, 5)
		p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
		x2, y2 := p.at(12, 5)
		p.mouse(input.DispatchMouseEventTypeMouseMoved, x2, y2, 1)
		p.press(key)
		x3, y3 := p.at(20, 20)
		p.mouse(input.DispatchMouseEventTypeMouseMoved, x3, y3, 1)
		p.mouse(input.DispatchMouseEventTypeMouseReleased, x3, y3, 0)
		steps := eval[[]string](p.tab, "[...annotate.mask.done, ...annotate.mask.undone].map((c) => c.tool)")
		if len(steps) == 0 || steps[0] != "brush" || eval[bool](p.tab, "annotate.mask.open !== null") {
			t.Errorf("key %s in a stroke: got steps %v, want the brush's first and none open", key, steps)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// TestPageAccessible looks for faults that axe-core, of $HDSEG_AXE, knows on every page and dialog.
func TestPageAccessible(t *testing.T) {
	script, err := os.ReadFile(os.Getenv("HDSEG_AXE"))
	if err != nil {
		t.Skipf("SKIPPED: HDSEG_AXE names no axe.min.js of the npm package axe-core: %v", err)
	}
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann", "--reviewers", "Rita,Rob")
	scheme := func(name string) {
		p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
			return err
		}))
	}
	look := func(where string) {
		t.Helper()
		p.do("(() => {" + string(script) + "\n})()")
		var faults []struct {
			ID    string
			Help  string
			Nodes []struct{ HTML string }
		}
		text := eval[string](p.tab, "axe.run(document, { resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations))")
		try(t, json.Unmarshal([]byte(text), &faults))
		for _, f := range faults {
			t.Errorf("%s: %s: %s: %d times, first %s", where, f.ID, f.Help, len(f.Nodes), f.Nodes[0].HTML)
		}
	}
	check := func(where string) {
		t.Helper()
		for _, name := range []string{"light", "dark"} {
			scheme(name)
			look(where + ", " + name)
			p.shot(strings.ReplaceAll(where, " ", "-") + "-" + name)
		}
	}
	closeDialog := func() { p.do("document.querySelector('dialog[open] button').click()") }
	check("login")
	p.login("Rita")
	check("queue")
	p.press("?")
	p.until("the question", "!!document.querySelector('dialog[open]')")
	check("keys of the queue")
	closeDialog()
	p.edit(p.record.ID)
	p.hold()
	check("editor")
	p.do("(() => { const m = annotate.mask; m.begin('brush'); for (let y = 0; y < 9; y++) m.span(y, 0, 9, 1); m.end(); })()")
	p.press("t")
	p.until("the difference", "annotate.pane.other")
	check("difference")
	p.press("s", chromedp.ModifierCtrl)
	p.until("the save", "!annotate.saver.dirty()")
	p.press("2")
	check("saved")
	p.press("?")
	p.until("the question", "!!document.querySelector('dialog[open]')")
	check("keys of the editor")
	closeDialog()
	p.press(kb.Delete)
	p.press("s", chromedp.ModifierCtrl)
	p.until("the question", "!!document.querySelector('dialog[open]')")
	check("an empty mask")
	closeDialog()
	p.do("(annotate.comment(5, 5), 0)")
	p.until("the question", "!!document.querySelector('dialog[open]')")
	check("remark")
	closeDialog()
	p.do("(annotate.reject(), 0)") // says that there is nothing to reject
	check("message")
	p.do("(annotate.saver.conflict({ line: annotate.detail.line, kept: 1 }).catch(() => {}), 0)")
	p.until("the question", "!!document.querySelector('dialog[open]')")
	check("conflict")
	p.held(320, 568)
	check("conflict on a phone")
	closeDialog()
	check("editor on a phone")
	p.held(740, 360)
	check("editor on a phone held sideways")
}

// TestPageTab reaches cards, tools and panel by Tab, one card at a time, and keys of one character can be turned off.
func TestPageTab(t *testing.T) {
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	focused := func(what, expression string) {
		t.Helper()
		for range 40 {
			if eval[bool](p.tab, "document.activeElement?."+expression) {
				return
			}
			p.press(kb.Tab)
		}
		t.Errorf("Tab does not reach %s", what)
	}
	focused("a card", "matches('.card')")
	first := eval[string](p.tab, "document.activeElement.dataset.key")
	p.press(kb.ArrowRight)
	if got := eval[string](p.tab, "document.activeElement.dataset.key ?? ''"); got == first || got == "" {
		t.Errorf("the arrow moves the focus from %s to %q, want the next card", first, got)
	}
	if n := eval[int](p.tab, "document.querySelectorAll('.card[tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("Tab reaches %d cards, want one", n)
	}
	p.press("\r")
	p.until("the editor", "globalThis.annotate?.saver")
	focused("the tools", "matches('.tools button')")
	focused("the panel", "matches('.panel select')")
	if label := eval[string](p.tab, "annotate.pane.ui.getAttribute('aria-label')"); !strings.Contains(label, eval[string](p.tab, "annotate.detail.id")) {
		t.Errorf("the canvas is called %q", label)
	}
	p.do("document.activeElement.blur()")
	p.press("?")
	p.until("the question", "!!document.querySelector('dialog[open]')")
	p.click("dialog input[type=checkbox]")
	p.click("dialog button.primary")
	p.press("2")
	if got := eval[string](p.tab, "annotate.tool.name"); got != "superpixel" {
		t.Errorf("2 chooses %s, want keys of one character off", got)
	}
	p.do("localStorage.clear()")
	p.press("2")
	if got := eval[string](p.tab, "annotate.tool.name"); got != "brush" {
		t.Errorf("2 chooses %s, want the brush", got)
	}
}

// held gives the page the screen of a phone.
func (p *tab) held(width, height int64) {
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 1, Mobile: true})
		return err
	}))
}

// TestPagePhone opens a picture on screens of phones, upright and sideways: the picture has most of them, every tool can be
// reached, and a finger can add to a cut.
func TestPagePhone(t *testing.T) {
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
			return err
		}
		return nil
	}))
	p.held(400, 800)
	p.login("Ann")
	p.edit(p.record.ID)
	p.until("a touch screen", "matchMedia('(pointer: coarse)').matches")
	// room checks that the picture has so many pixels, that a finger hits every tool in its bar, once it was scrolled there, and
	// that it hits undo and Submit without.
	room := func(width, height int64, wantWidth, wantHeight float64) {
		t.Helper()
		p.held(width, height)
		p.until("the size", fmt.Sprintf("innerWidth === %d && innerHeight === %d", width, height))
		got := eval[[]float64](p.tab, "[annotate.pane.root.clientWidth, annotate.pane.root.clientHeight]")
		if got[0] < wantWidth || got[1] < wantHeight {
			t.Errorf("on %d x %d the picture has %v, want at least %v x %v", width, height, got, wantWidth, wantHeight)
		}
		missed := eval[[]string](p.tab, `[...document.querySelectorAll('.tools button, .top [data-action=undo], .top .primary')].filter((b) => {
			if (b.closest('.tools')) b.scrollIntoView({ block: 'nearest', inline: 'nearest' });
			const r = b.getBoundingClientRect(), at = (x) => document.elementFromPoint(x, (r.top + r.bottom) / 2)?.closest('button') === b;
			return r.width < 44 || r.height < 44 || !at(r.left + 2) || !at(r.right - 2);
		}).map((b) => b.dataset.action)`)
		if n := eval[int](p.tab, "document.querySelectorAll('.tools button').length"); len(missed) != 0 || n < 10 {
			t.Errorf("on %d x %d, of %d tools a finger misses %v", width, height, n, missed)
		}
	}
	room(320, 568, 320, 310)
	room(400, 800, 400, 480)
	p.until("the cells", "annotate.pane.cells")
	before := p.mask()
	p.tap(60, 60)
	p.until("a change", "annotate.mask.done.length === 1")
	if hover := eval[int](p.tab, "annotate.pane.cells.hover"); hover != -1 || string(p.mask().Pix) == string(before.Pix) {
		t.Errorf("after a tap the page marks superpixel %d as if a finger were on it, want the mask's color", hover)
	}
	p.shot("phone")

	p.do("annotate.setTool('box')")
	p.click("[data-add='1']")
	x, y, _ := p.mask().Deepest(raster.Ground)
	p.tap(float64(x), float64(y))
	p.until("a click that adds", "annotate.mask.hints.marks.length === 1 && annotate.mask.hints.clicks.length === 1")

	room(844, 390, 580, 335)
	room(740, 360, 480, 305)
	p.shot("phone-sideways")
}

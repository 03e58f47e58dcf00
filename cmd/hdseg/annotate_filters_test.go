package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageFilters filters and orders the queue: the address holds it, with and without a picture, and another tab at that address shows the same.
func TestPageFilters(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	choose := func(filter, value string) {
		t.Helper()
		p.do(fmt.Sprintf("(() => { const s = document.querySelector('[data-filter=\"%s\"]'); s.value = '%s'; s.dispatchEvent(new Event(s.tagName === 'SELECT' ? 'change' : 'input')); })()", filter, value))
	}
	shown := func(of *tab) string {
		t.Helper()
		of.until("cards", "document.querySelector('.card')")
		return eval[string](of, "[...document.querySelectorAll('.card')].sort((a, b) => a.compareDocumentPosition(b) & 2 ? 1 : -1).map((c) => c.dataset.key + ' ' + c.textContent).join('|')")
	}
	choose("tier", "bbox")
	choose("quality-most", "0.48")
	choose("sort", "id")
	if got := eval[string](p.tab, "location.hash"); got != "#?tier=bbox&quality=0-0.48&sort=id" {
		t.Errorf("the address is %s", got)
	}
	want := shown(p.tab)
	first := eval[string](p.tab, "document.querySelector('.card').dataset.key")
	p.do("document.querySelector('.card').click()") // the queue may make its cards anew at any time
	p.ready(first)
	if got := eval[string](p.tab, "location.hash"); got != "#edit/"+first+"?tier=bbox&quality=0-0.48&sort=id" {
		t.Errorf("a picture's address is %s", got)
	}
	p.press("q")
	if got := shown(p.tab); got != want {
		t.Errorf("back from a picture: got %s, want %s", got, want)
	}
	other := open(t, p.browser, p.server.address+"/#?tier=bbox&quality=0-0.48&sort=id")
	if got := shown(other); got != want {
		t.Errorf("another tab: got %s, want %s", got, want)
	}
	if n := eval[int](other, "document.querySelectorAll('.card').length"); n == 0 || n != eval[int](other, "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('bbox') && Number(c.textContent.match(/IoU ([0-9.]+)/)?.[1] ?? 0) <= 0.48).length") {
		t.Errorf("got %s, want masks of boxes with a predicted IoU up to 0.48 alone", want)
	}
	p.do("(location.hash = '#?quality=7-x&nothing=1')") // a bad address filters nothing
	p.until("all pictures", "document.querySelectorAll('.card').length > 2 && document.querySelector('[data-filter=tier]').value === ''")
}

// TestPageGround paints ground where that is chosen, with Shift figure, and changes how the picture looks, not its pixels.
func TestPageGround(t *testing.T) {
	longOnly(t)
	p := blank(t)
	p.press("2")
	p.clickPixel(50, 50)
	p.wantMask("figure", map[spot]uint8{{50, 50}: 1})
	p.press("g")
	p.clickPixel(50, 50)
	p.wantMask("ground", map[spot]uint8{{50, 50}: 0})
	p.clickPixel(50, 50, chromedp.ButtonModifiers(chromedp.ModifierShift))
	p.wantMask("with Shift figure", map[spot]uint8{{50, 50}: 1})
	p.click("[data-ground='0']")
	p.clickPixel(80, 80)
	p.wantMask("figure again", map[spot]uint8{{80, 80}: 1})
	p.do("(() => { const s = document.querySelector('[aria-label=Brightness]'); s.value = 180; s.dispatchEvent(new Event('input')); })()")
	if got := eval[string](p, "annotate.pane.picture.style.filter"); got != "brightness(180%) contrast(100%)" {
		t.Errorf("the picture's filter is %q", got)
	}
}

// TestPageSetAside sets a picture aside with a reason, finds it in the queue by that, and takes it up again. The question for
// the reason closes where the person goes back.
func TestPageSetAside(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	p.press("S", chromedp.ModifierShift)
	p.until("the question", "!!document.querySelector('dialog[open]')")
	p.do("(globalThis.left = annotate, history.back())")
	p.until("the queue without a question", "document.querySelector('.queue') && !document.querySelector('dialog')")
	if got := eval[string](p.tab, "left.detail.line.state"); got != "proposed" {
		t.Errorf("after going back the picture is %s, want proposed", got)
	}
	p.edit(p.record.ID)
	p.press("S", chromedp.ModifierShift)
	p.until("the question", "!!document.querySelector('dialog[open]')")
	p.do("[...document.querySelectorAll('dialog .chip')].find((b) => b.textContent === 'No such object').click()")
	p.click("dialog button.primary")
	p.until("the next picture", fmt.Sprintf("!location.hash.includes('%s')", p.record.ID))
	p.do("(location.hash = '#?state=set aside')")
	p.until("one card", "document.querySelectorAll('.card').length === 1 && document.querySelector('.card').textContent.includes('No such object')")
	p.do("document.querySelector('.card').click()") // the queue may make its cards anew at any time
	p.ready(p.record.ID)
	if got := p.text(".bar"); got != "Read-only: the picture is set aside: take it up to draw on it." {
		t.Errorf("the page says %q", got)
	}
	p.until("the button", "document.querySelector('[data-action=reopen]').textContent === 'Take up'")
	p.click("[data-action=reopen]")
	p.until("taken up", "annotate.detail.line.state === 'proposed' && annotate.mayEdit()")
}

// TestPageAhead keeps the next picture before it is opened.
func TestPageAhead(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	first := eval[string](p.tab, "document.querySelector('.card').dataset.key")
	p.edit(first)
	p.until("the next picture", fmt.Sprintf("performance.getEntriesByType('resource').filter((e) => e.name.includes('/image?v=') && !e.name.includes('/%s/')).length === 1", first))
	p.press("d")
	p.until("the next picture's page", fmt.Sprintf("annotate.key !== '%s' && annotate.saver && annotate.pane.levels.length > 0", first))
	if n := eval[int](p.tab, "performance.getEntriesByType('resource').filter((e) => e.name.includes('/' + annotate.key + '/image?v=') && e.transferSize > 0).length"); n != 1 {
		t.Errorf("the next picture crossed the wire %d times, want once", n)
	}
}

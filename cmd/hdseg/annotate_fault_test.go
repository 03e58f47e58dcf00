package main

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageFaults shows what a person reads when the server fails (5xx) or is gone, and that nothing drawn is lost.
func TestPageFaults(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	im := image.NewGray(image.Rect(0, 0, 120, 80))
	manifest := made(t, []picture{{"good", jpegOf(t, im), 120, 80, 1}, {"spoiled", append(jpegOf(t, im), 0), 120, 80, 1}})
	dir := filepath.Dir(manifest)
	s := serve(t, manifest, "127.0.0.1:0", "--annotators", "Ann")
	for _, f := range pictureFiles(t, manifest)[1:] { // the second picture is not what the manifest says
		try(t, os.WriteFile(f, []byte("spoiled"), 0o644))
	}
	p := open(t, b, s.address)
	says := func(what string, words ...string) {
		t.Helper()
		for _, w := range words {
			p.until(what, fmt.Sprintf("document.body.innerText.includes(%q)", w))
		}
		if got := p.text("body"); strings.Contains(got, filepath.ToSlash(dir)) || strings.Contains(got, "goroutine") {
			t.Errorf("%s: the page shows what is inside of the server: %s", what, got)
		}
	}
	p.login("Ann")
	says("the thumbnail of a spoiled picture", "The picture cannot be shown")
	p.do("(location.hash = '#edit/spoiled')")
	says("a spoiled picture", "spoiled", "Try again", "Queue")
	p.do("(location.hash = '#edit/nothing')")
	says("an address of nothing", "There is no such picture here", "Queue")
	p.do("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Queue').click()")
	p.until("the queue", "document.querySelector('.queue')")

	// A save that fails: the log was written to by somebody else.
	p.edit("good")
	p.hold()
	p.do("(annotate.saver.timing.retry = 20)")
	p.press("2")
	p.clickPixel(30, 30)
	log := filepath.Join(dir, "annotate/made/events/good.jsonl")
	try(t, os.WriteFile(log, []byte("{}\n"), 0o644))
	p.press("s", chromedp.ModifierCtrl)
	says("a save that the server cannot make", "not saved", "another program wrote to it", "kept in this browser, trying again")
	p.clickPixel(60, 60) // work goes on
	painted := p.mask()
	try(t, os.Remove(log))
	p.until("the save by itself", "annotate.saver.base >= 1")
	p.release()
	p.until("the save of what came after", "!annotate.saver.dirty()")
	p.hold()

	// The server is gone: cuts, comments and pictures say so, and strokes stay.
	s.kill()
	p.clickPixel(90, 40)
	p.do("annotate.act(['comments'], { x: 1, y: 1, text: 'x' })")
	says("a remark without a server", "the server cannot be reached")
	p.do("document.querySelector('.note')?.remove()")
	p.press("6")
	p.clickPixel(80, 40)
	says("a cut without a server", "the server cannot be reached")
	p.until("the end of waiting", "annotate.waiting === 0 && document.querySelector('.waiting').hidden")
	p.press("q")
	says("the queue without a server", "The server cannot be reached", "Try again")
	serve(t, manifest, "127.0.0.1:"+s.port(), "--annotators", "Ann")
	p.run(chromedp.Navigate(s.address))
	p.until("the page after a restart", "document.querySelector('.queue, .who')")
	if eval[bool](p, "document.querySelector('.who') !== null") {
		p.login("Ann")
	}
	p.edit("good")
	p.click("[data-draft=restore]")
	p.until("the stroke that no server took", "annotate.mask.px[40 * 120 + 90] === 1")
	if m := p.mask(); m.At(60, 60) != painted.At(60, 60) || m.At(30, 30) != 1 {
		t.Error("strokes are lost")
	}
}

// pictureFiles returns the files of a manifest's pictures, in its order.
func pictureFiles(t *testing.T, manifest string) (out []string) {
	t.Helper()
	store, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	for i := range m.Records {
		out = append(out, filepath.Join(store.Dir(), m.Records[i].Image.Path))
	}
	return out
}

// TestPageOwnWork lets a reviewer draw: the page offers to submit it, and another reviewer accepts it. The machine's mask,
// left as it was, is accepted by whoever looks at it.
func TestPageOwnWork(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	s := serve(t, made(t, []picture{{"a", im, 120, 80, 1}, {"b", append(im, 0), 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann", "--reviewers", "Rita,Tom")
	p := open(t, b, s.address)
	p.login("Rita")
	p.edit("a")
	p.press("2")
	p.clickPixel(60, 40)
	if got := p.text("[data-action=accept]"); got != "Submit" {
		t.Errorf("own strokes: the button says %q, want Submit", got)
	}
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the submission", "annotate.key === 'b'")
	p.edit("a")
	if got := p.text(".bar"); !strings.Contains(got, "another reviewer accepts it") || !eval[bool](p, "document.querySelector('[data-action=accept]').disabled") {
		t.Errorf("own submission: the page says %q", got)
	}
	p.press("?")
	if got := p.text("dialog"); !strings.Contains(got, "do not accept what they drew themselves") {
		t.Errorf("the help says %q", got)
	}
	p.click("dialog button.primary")
	p.relogin("Tom")
	p.edit("a")
	if got := p.text("[data-action=accept]"); got != "Accept" {
		t.Errorf("Rita's work: the button says %q to Tom, want Accept", got)
	}
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the acceptance", "annotate.key === 'b'")
	p.relogin("Ann")
	p.edit("a")
	if got := p.text(".bar"); !strings.Contains(got, "Read-only: the mask is accepted") {
		t.Errorf("an accepted mask: the page says %q to Ann", got)
	}
}

// TestPageLateAnswer submits while what the server said of the save before is still on its way: the page shows the newer state.
func TestPageLateAnswer(t *testing.T) {
	s := serve(t, made(t, []picture{{"a", jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80))), 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann")
	p := open(t, browsertest.Share(t), s.address)
	p.login("Ann")
	p.edit("a")
	p.do(`(globalThis.late = 0, globalThis.fetch = ((fetch) => async (path, options) => {
		const answer = await fetch(path, options);
		if (options.method === 'GET' && path === '/api/items/a') { await new Promise((go) => setTimeout(go, 500)); late++; }
		return answer;
	})(fetch))`)
	p.press("2")
	p.clickPixel(60, 40)
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the late answer", "late === 1")
	p.until("the submission", "annotate.detail.line.state === 'submitted'")
}

// TestPageBlindClosed lets a reviewer look at a blind image too early.
func TestPageBlindClosed(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	s := serve(t, made(t, []picture{{"a", im, 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann,Ben", "--reviewers", "Rita", "--blind", "1")
	p := open(t, b, s.address)
	p.login("Rita")
	closed := func(when, why string) {
		t.Helper()
		p.edit("a")
		before := p.mask()
		p.press("2")
		p.clickPixel(60, 40)
		p.press("i")
		if got := p.text(".bar"); !strings.Contains(got, why) || string(p.mask().Pix) != string(before.Pix) || !eval[bool](p, "document.querySelector('[data-action=accept]').disabled && document.querySelector('[data-action=reject]').hidden") {
			t.Errorf("%s: the page says %q, and is not closed", when, got)
		}
	}
	closed("at first", "wait until both have submitted")
	for i, name := range []string{"Ann", "Ben"} {
		p.relogin(name)
		p.edit("a")
		p.press("2")
		p.clickPixel(40+20*float64(i), 40)
		p.press("\r", chromedp.ModifierCtrl)
		p.until("the submission", "annotate.detail.line.state === 'submitted'")
		p.relogin("Rita")
		closed("after "+name, map[int]string{0: "wait until both have submitted", 1: "choose one of their masks first"}[i])
	}
	// Both are there to look at: Ann's at the left, Ben's beside it.
	if !eval[bool](p, "annotate.mask.px[40 * 120 + 40] === 1 && annotate.mask.px[40 * 120 + 75] === 0 && annotate.compare.pane.mask.px[40 * 120 + 60] === 1 && annotate.compare.pane.label.textContent === 'Ben'") {
		t.Error("the two masks are not beside one another")
	}
	p.click(`[data-choose="Ann"]`)
	p.until("the choice", "annotate.detail.line.head === 1 && annotate.detail.readOnly === ''")
	p.relogin("Ann")
	p.edit("a")
	if got := p.text(".bar"); !strings.Contains(got, "a reviewer has chosen") {
		t.Errorf("after the choice the page says %q to Ann", got)
	}
}

// TestPageNoWorker opens the page in a browser that starts no worker: the page encodes masks itself, and drafts are kept.
func TestPageNoWorker(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	s := serve(t, made(t, []picture{{"a", jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80))), 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann")
	for _, worker := range []string{"class { constructor() { throw new Error('none'); } }", "class { postMessage() { setTimeout(() => this.onerror({}), 0); } }"} {
		p := open(t, b, "about:blank")
		p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "globalThis.Worker = " + worker})
			return err
		}), chromedp.Navigate(s.address))
		p.until("the page", "document.querySelector('.queue, .who')")
		if eval[bool](p, "document.querySelector('.who') !== null") {
			p.login("Ann")
		}
		p.edit("a")
		p.hold()
		base := eval[int](p, "annotate.saver.base")
		p.press("2")
		p.press("i") // something new each time
		p.clickPixel(60, 40)
		p.until("the draft", drafts+".some((d) => d.runs.width === 120)")
		p.press("s", chromedp.ModifierCtrl)
		p.until("the save", fmt.Sprintf("!annotate.saver.dirty() && annotate.saver.base === %d", base+1))
	}
}

// TestPageStrayClicks clicks on what is submitted and on the draft of another: nothing changes before a button says that it
// is meant. The header names the other's draft.
func TestPageStrayClicks(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	s := serve(t, made(t, []picture{{"a", im, 120, 80, 1}, {"b", append(im, 0), 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann,Ben", "--reviewers", "Rita")
	p := open(t, b, s.address)
	click := func(who, when, button string) {
		t.Helper()
		version := eval[int](p, "annotate.mask.version")
		p.clickPixel(60, 40)
		if eval[int](p, "annotate.mask.version") != version || eval[bool](p, "annotate.saver.dirty()") {
			t.Errorf("%s, %s: a click changed the mask", who, when)
		}
		if got := p.text("[data-action=reopen]"); got != button {
			t.Errorf("%s, %s: the button says %q, want %q", who, when, got, button)
		}
	}
	draw := func(who string, x float64) {
		t.Helper()
		p.clickPixel(x, 20)
		p.press("s", chromedp.ModifierCtrl)
		p.until("the save", "!annotate.saver.dirty() && annotate.detail.line.revisions.at(-1)?.by === "+asJSON(t, who))
	}
	press := func(until string) {
		t.Helper()
		p.click("[data-action=reopen]")
		p.until("the answer", until)
	}
	p.login("Ann")
	p.edit("a")
	p.press("2") // a brush, as the first strokes are saved
	draw("Ann", 20)
	p.relogin("Ben")
	p.edit("a")
	p.press("2")
	click("Ben", "Ann's draft", "Take over")
	if got := p.text("header .author"); got != "of Ann" {
		t.Errorf("the header says %q, want of Ann", got)
	}
	press("annotate.detail.readOnly === '' && annotate.detail.line.author === 'Ben'")
	draw("Ben", 60)
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the submission", "annotate.key === 'b'")
	p.edit("a")
	click("Ben", "his submission", "Withdraw")
	p.relogin("Rita")
	p.edit("a")
	p.press("2")
	click("Rita", "Ben's submission", "Correct")
	press("annotate.detail.readOnly === '' && annotate.detail.line.owner === 'Ben'")
	draw("Rita", 100)
	if got := p.text("[data-action=accept]"); got != "Accept" {
		t.Errorf("corrected: the button says %q, want Accept", got)
	}
}

// TestPageTwoAtOnce lets two people start at the same queue: they are dealt different pictures, each sees what the other
// does within seconds, and a stroke on what another submitted meanwhile ends as a draft.
func TestPageTwoAtOnce(t *testing.T) {
	longOnly(t)
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	s := serve(t, made(t, []picture{{"a", im, 120, 80, 1}, {"b", append(im, 0), 120, 80, 1}, {"c", append(im, 0, 0), 120, 80, 1}}), "127.0.0.1:0", "--annotators", "Ann,Ben", "--reviewers", "Rita")
	p, q := open(t, browsertest.Share(t), s.address), open(t, browsertest.Share(t), s.address)
	p.login("Ann")
	q.login("Ben")
	p.press("\r")
	p.until("the first picture", "globalThis.annotate?.key === 'a' && annotate.saver !== undefined")
	q.until("who has it open", "document.querySelector('.taken')?.textContent === 'Ann has it open'")
	q.press("\r")
	q.until("another picture", "globalThis.annotate?.key === 'b' && annotate.saver !== undefined")
	p.press("d")
	p.until("the one after Ben's", "annotate.key === 'c' && annotate.saver !== undefined")

	// Both on one picture: Ben draws, Ann submits first.
	p.edit("b")
	p.until("the notice", "document.querySelector('.bars').textContent.includes('Ben has this picture open, too')")
	p.press("2")
	p.clickPixel(30, 30)
	p.press("s", chromedp.ModifierCtrl)
	p.until("Ann's save", "!annotate.saver.dirty()")
	q.until("the news", "annotate.detail.line.author === 'Ann' && annotate.detail.readOnly.includes('a draft of Ann')")
	q.click("[data-action=reopen]")
	q.until("Ben's draft", "annotate.detail.line.author === 'Ben'")
	p.until("the news", "annotate.detail.readOnly.includes('a draft of Ben')")
	version := eval[int](p, "annotate.mask.version")
	p.clickPixel(60, 60)
	if eval[int](p, "annotate.mask.version") != version {
		t.Error("Ann draws on what Ben took over")
	}

	// After the last picture a person still opens what another has open.
	p.edit("c")
	p.press("d")
	p.until("the last one", "[...document.querySelectorAll('.note')].some((n) => n.textContent.startsWith('This is the last one'))")
	p.edit("b")
	p.until("the notice", "document.querySelector('.bars').textContent.includes('Ben has this picture open, too')")
}

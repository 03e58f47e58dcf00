package main

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
)

// sideBySide serves some pictures, named a, b and so on, and opens each person's own browser session on it.
func sideBySide(t *testing.T, pictures int, people []string, flags ...string) (manifest string, tabs []*tab) {
	t.Helper()
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	var list []picture
	for i := range pictures {
		list = append(list, picture{string(rune('a' + i)), append(im[:len(im):len(im)], bytes.Repeat([]byte{0}, i)...), 120, 80, 1})
	}
	manifest = made(t, list)
	s := serve(t, manifest, "127.0.0.1:0", flags...)
	for _, name := range people {
		p := open(t, browsertest.Share(t), s.address)
		p.login(name)
		tabs = append(tabs, p)
	}
	return manifest, tabs
}

// draw paints a dab and saves it.
func (p *tab) draw(x, y float64) {
	p.t.Helper()
	p.press("2")
	p.clickPixel(x, y)
	p.press("s", chromedp.ModifierCtrl)
	p.until("the save", "!annotate.saver.dirty() && annotate.saver.base > 0")
}

// cards lists the pictures of the queue in their order, as an expression.
const cards = "[...document.querySelectorAll('.card')].sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left).map((c) => c.dataset.key).join('')"

// TestPageAssign lets a reviewer give pictures to a person and take one back, in two browsers: "Next" deals the person's own first, and to others none of
// them, unless the queue shows that person's alone.
func TestPageAssign(t *testing.T) {
	longOnly(t)
	list := filepath.Join(t.TempDir(), "ids.txt")
	try(t, os.WriteFile(list, []byte("f\n"), 0o644))
	_, tabs := sideBySide(t, 6, []string{"Rita", "Ann", "Ben"}, "--annotators", "Ann,Ben", "--reviewers", "Rita", "--assign", "Ben=1", "--assign", "Rita="+list)
	rita, ann, ben := tabs[0], tabs[1], tabs[2]
	rita.until("those of the flags", "document.querySelector('.card[data-key=a]').textContent.includes('for Ben') && document.querySelector('.card[data-key=f]').textContent.includes('for Rita')")
	rita.click("[data-action=select]")
	for _, key := range []string{"b", "d", "e"} {
		rita.do(fmt.Sprintf("document.querySelector('.card[data-key=%s]').click()", key))
	}
	rita.until("the selection", "document.querySelector('.selected').textContent.includes('3 selected') && document.querySelectorAll('.card[aria-pressed=true]').length === 3")
	rita.do("(document.querySelector('.selected select').value = 'Ann')")
	rita.click("[data-action=assign]")
	rita.until("the assignment", "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('for Ann')).length === 3")
	rita.do("document.querySelector('.card[data-key=e]').click()")
	rita.click("[data-action=takeBack]")
	rita.until("taken back", "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('for Ann')).length === 2")
	ann.until("the news", "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('for Ann')).length === 2")
	ben.until("the news", "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('for Ann')).length === 2")

	ann.press("\r")
	ann.until("her first", "globalThis.annotate?.key === 'b' && annotate.saver !== undefined")
	ben.press("\r")
	ben.until("his own", "globalThis.annotate?.key === 'a' && annotate.saver !== undefined")
	ann.press("d")
	ann.until("her second", "annotate.key === 'd' && annotate.saver !== undefined")
	for _, step := range []struct {
		p        *tab
		from, to string
	}{{ann, "d", "b"}, {ben, "a", "c"}} {
		step.p.draw(60, 40)
		step.p.press("\r", chromedp.ModifierCtrl)
		step.p.until("the picture after "+step.from, fmt.Sprintf("annotate.key === '%s' && annotate.saver !== undefined", step.to))
	}
	ann.draw(60, 40)
	ann.press("\r", chromedp.ModifierCtrl)
	ann.until("one that is nobody's", "annotate.key === 'e' && annotate.saver !== undefined") // c is Ben's now
	ben.do("(location.hash = '#?assignee=Ann')")
	ben.until("hers alone", cards+" === 'bd'")
	ben.do("(location.hash = '#?assignee=-')")
	ben.until("nobody's", cards+" === 'ce'")
}

// TestPageTwoStart lets two people start at the same time: they start at different pictures.
func TestPageTwoStart(t *testing.T) {
	longOnly(t)
	_, tabs := sideBySide(t, 3, []string{"Ann", "Ben"}, "--annotators", "Ann,Ben")
	for _, p := range tabs {
		p.press("\r")
	}
	got := map[string]bool{}
	for _, p := range tabs {
		p.until("a picture", "globalThis.annotate?.saver !== undefined")
		got[eval[string](p, "annotate.key")] = true
	}
	if len(got) != 2 {
		t.Errorf("both start at %v", got)
	}
}

// TestPageAcceptSeen accepts at once what a reviewer looked at, while another person draws: what changed since is refused, and so is what nobody looked at.
func TestPageAcceptSeen(t *testing.T) {
	longOnly(t)
	manifest, tabs := sideBySide(t, 3, []string{"Rita", "Ann"}, "--annotators", "Ann", "--reviewers", "Rita,Rob")
	rita, ann := tabs[0], tabs[1]
	for _, key := range []string{"a", "b", "c"} {
		ann.edit(key)
		ann.draw(60, 40)
		ann.press("\r", chromedp.ModifierCtrl)
		if key != "c" { // the last one
			ann.until("the next one", fmt.Sprintf("annotate.key > '%s' && annotate.saver", key))
		}
	}
	ann.until("the last submission", "annotate.detail.line.state === 'submitted' && [...document.querySelectorAll('.note')].some((n) => n.textContent.startsWith('This is the last one'))")
	for _, key := range []string{"a", "b"} {
		rita.edit(key)
		rita.do("new Promise((r) => setTimeout(r, 1100))") // she looks at it
		x, y := rita.at(10, 10)
		rita.mouse("mouseMoved", x, y, 0)
	}
	rita.press("q")
	rita.until("two are seen", "[...document.querySelectorAll('.card')].filter((c) => c.textContent.includes('seen')).length === 2")
	ann.edit("b")
	ann.click("[data-action=reopen]") // withdraws
	ann.until("hers again", "annotate.mayEdit()")
	ann.draw(20, 20)
	ann.press("\r", chromedp.ModifierCtrl)
	ann.until("submitted again", "annotate.detail.line.state === 'submitted' || annotate.key !== 'b'")
	rita.click("[data-action=select]")
	rita.click("[data-action=selectAll]")
	rita.click("[data-action=acceptSeen]")
	rita.run(chromedp.WaitVisible(chromedp.CSS("dialog .refused")))
	rita.shot("accept-seen")
	if got := rita.text("dialog .refused"); !strings.Contains(got, "b: you have not seen its newest mask") || !strings.Contains(got, "c: you have not seen") || strings.Contains(got, "a: ") {
		t.Errorf("refused: %s", got)
	}
	rita.click("dialog button.primary")
	rita.until("one is accepted", "document.querySelector('.card[data-key=a] .state').textContent === 'accepted' && document.querySelector('.card[data-key=b] .state').textContent === 'submitted'")
	worked := 0.0
	for _, e := range allEvents(t, manifest, "b") {
		if s, ok := e["seconds"].(map[string]any); ok && e["by"] == "Rita" {
			for _, v := range s {
				worked += v.(float64)
			}
		}
	}
	if worked < 1 || worked > 60 {
		t.Errorf("Rita's time on b: got %g s, want one or some", worked)
	}
	if out := must(t, "annotate", "agree", manifest); !strings.Contains(out, "Ann     brush") {
		t.Errorf("agree: want Ann's brush in\n%s", out)
	}
}

// TestPageTwoReview follows one picture through two browsers at once: what one does arrives in the other without a reload, what cannot be saved any more is kept as a draft,
// and a rejection, a correction of more than a tenth and the acceptance by another reviewer are seen at once.
func TestPageTwoReview(t *testing.T) {
	longOnly(t)
	_, tabs := sideBySide(t, 2, []string{"Ann", "Rita", "Rob"}, "--annotators", "Ann", "--reviewers", "Rita,Rob")
	ann, rita, rob := tabs[0], tabs[1], tabs[2]
	ann.edit("a")
	ann.draw(60, 40)
	rita.edit("a")
	rita.until("whose it is", "document.querySelector('header .author').textContent === 'of Ann' && document.querySelector('[data-action=reopen]').textContent === 'Take over'")
	before := rita.mask()
	rita.press("2")
	rita.clickPixel(20, 20) // a stray click
	if string(rita.mask().Pix) != string(before.Pix) {
		t.Error("a click on another's draft changed it")
	}
	ann.press("\r", chromedp.ModifierCtrl)
	ann.until("the submission", "annotate.key === 'b'")
	rita.until("the news", "annotate.detail.line.state === 'submitted' && document.querySelector('[data-action=reopen]').textContent === 'Correct'")
	rita.press("r")
	rita.run(chromedp.WaitVisible(chromedp.CSS("dialog .chip")))
	rita.press(kb.Escape) // only cancels
	rita.until("no dialog", "!document.querySelector('dialog[open]') && annotate.detail.line.state === 'submitted'")
	ann.edit("a")
	rita.press("r")
	rita.run(chromedp.WaitVisible(chromedp.CSS("dialog .chip")))
	rita.click("dialog .chip")
	rita.click("dialog button.primary")
	ann.until("the rejection", "annotate.detail.line.state === 'rejected' && document.querySelector('.verdict').textContent.includes('The outline is loose')")

	// Ann mends it, and Rita takes it from under her hand.
	ann.until("hers", "annotate.mayEdit()")
	ann.draw(70, 40)
	ann.hold()
	ann.clickPixel(100, 20)
	rita.edit("a")
	rita.draw(20, 60)
	ann.until("the end of her drawing", "!annotate.mayEdit() && document.querySelector('.status').textContent.includes('kept in this browser')")
	if got := eval[int](ann, "(async () => "+drafts+".length)()"); got != 1 {
		t.Errorf("Ann's browser keeps %d drafts, want her last stroke", got)
	}
	ann.click("[data-action=reopen]")
	ann.until("hers again", "annotate.detail.line.author === 'Ann'")
	ann.press("\r", chromedp.ModifierCtrl) // her own last stroke began before Rita's
	ann.until("the question", "!!document.querySelector('dialog[open]')")
	if got := ann.text("dialog"); !strings.Contains(got, "Rita saved revision 3 while you worked on revision 2") {
		t.Errorf("the conflict: %s", got)
	}
	ann.click(`dialog [data-choice="mine"]`)
	ann.until("submitted", "annotate.detail.line.state === 'submitted' || annotate.key !== 'a'")

	// Rita corrects more than a tenth: Rob accepts it.
	rita.until("the news", "annotate.detail.line.state === 'submitted' && annotate.detail.line.author === 'Ann'")
	rita.do("(location.hash = '#edit/b')")
	rita.ready("b")
	rita.edit("a")
	rita.click("[data-action=reopen]") // Correct
	rita.until("hers to correct", "annotate.mayEdit()")
	rita.press("i") // the other way round: more than a tenth
	rita.press("\r", chromedp.ModifierCtrl)
	rita.until("the refusal", "[...document.querySelectorAll('.note')].some((n) => /you changed \\d+% of Ann's mask: another reviewer accepts it/.test(n.textContent))")
	rob.edit("a")
	rob.until("the mask", "annotate.detail.line.author === 'Rita'")
	rob.press("\r", chromedp.ModifierCtrl)
	rita.until("the acceptance", "annotate.detail.line.state === 'accepted' && !annotate.mayEdit()")
	ann.edit("a")
	ann.until("read-only", "annotate.detail.line.state === 'accepted' && !annotate.mayEdit()")
}

// TestPageTwoMerge lets two people draw on one picture: the one who is late merges by regions, in a browser of their own, and takes a region of the other's revision.
func TestPageTwoMerge(t *testing.T) {
	longOnly(t)
	manifest, tabs := sideBySide(t, 1, []string{"Ann", "Ben"}, "--annotators", "Ann,Ben")
	ann, ben := tabs[0], tabs[1]
	for _, p := range tabs {
		p.edit("a")
		p.hold()
	}
	ben.do("import('./live.js').then((m) => { m.every.ask = 1e9; return m.ask(); })") // what Ann does arrives too late
	ann.block(2, 2, 12, 12, 1)
	ben.block(20, 2, 30, 12, 1)
	ann.press("s", chromedp.ModifierCtrl)
	ann.until("Ann's save", "annotate.saver.base === 1 && !annotate.saver.dirty()")
	ben.press("s", chromedp.ModifierCtrl)
	ben.until("the question", "!!document.querySelector('dialog[open]')")
	if got := ben.text("dialog"); !strings.Contains(got, "Ann") {
		t.Errorf("the dialog names nobody: %s", got)
	}
	ben.press(kb.Escape)
	ben.until("only cancelled", "!document.querySelector('dialog[open]') && annotate.saver.dirty()")
	ben.press("s", chromedp.ModifierCtrl)
	ben.until("the question", "!!document.querySelector('dialog[open]')")
	ben.do("import('./live.js').then((m) => m.ask())") // the news comes while the question is open
	ben.until("the news", "annotate.detail.line.author === 'Ann'")
	ben.click(`dialog [data-choice="merge"]`)
	ben.until("the merge", "annotate.saver.base === 1 && annotate.pane.other && annotate.mayEdit()")
	if got := ben.text(".notes"); got != "" {
		t.Errorf("after the merge the page says %q", got)
	}
	ben.wantMask("merged", map[spot]uint8{{5, 5}: 1, {25, 5}: 1})
	ben.clickPixel(25, 5) // Ann has it not
	ben.wantMask("a region as Ann has it", map[spot]uint8{{5, 5}: 1, {25, 5}: 0})
	ben.press("z")
	ben.press("s", chromedp.ModifierCtrl)
	ben.until("the merged save", "annotate.saver.base > 1 && !annotate.saver.dirty()")
	ann.until("the news", "annotate.detail.line.author === 'Ben' && document.querySelector('[data-newer=show]')")
	ann.do("annotate.compare.show(annotate.compare.choices().at(-1))")
	ann.press("t")
	ann.until("Ben's as a difference", "annotate.pane.other && annotate.pane.label.textContent.includes('by Ben')")
	ann.click("[data-action=reopen]") // takes it over, and merges what the bar offers
	ann.until("hers to draw on", "annotate.mayEdit()")
	ann.block(40, 2, 50, 12, 1)
	ann.press("s", chromedp.ModifierCtrl)
	ann.until("the question", "!!document.querySelector('dialog[open]')")
	ann.click(`dialog [data-choice="merge"]`)
	ann.until("the merge without the offer", "annotate.saver.base === 3 && annotate.mayEdit() && !document.querySelector('[data-newer=show]')")
	wantLog(t, manifest, "saved by Ann, aside by Ben, moved by Ben, saved by Ben, moved by Ann, aside by Ann, ")
}

// wantLog compares the log of picture a with "KIND by NAME, " for each event.
func wantLog(t *testing.T, manifest, want string) {
	t.Helper()
	got := ""
	for _, e := range events(t, manifest, "a") {
		got += fmt.Sprintf("%v by %v, ", e["kind"], e["by"])
	}
	if got != want {
		t.Errorf("log: got %s", got)
	}
}

// TestPageTwoMine lets two people draw on one picture: the one who is late keeps his own mask, which takes the other's draft over.
func TestPageTwoMine(t *testing.T) {
	longOnly(t)
	manifest, tabs := sideBySide(t, 1, []string{"Ann", "Ben"}, "--annotators", "Ann,Ben")
	for i, p := range tabs {
		p.edit("a")
		p.hold()
		p.do("import('./live.js').then((m) => { m.every.ask = 1e9; return m.ask(); })")
		p.block(2+20*i, 2, 12+20*i, 12, 1)
	}
	ann, ben := tabs[0], tabs[1]
	ann.press("s", chromedp.ModifierCtrl)
	ann.until("Ann's save", "annotate.saver.base === 1 && !annotate.saver.dirty()")
	ben.press("s", chromedp.ModifierCtrl)
	ben.until("the question", "!!document.querySelector('dialog[open]')")
	ben.click(`dialog [data-choice="mine"]`)
	ben.until("Ben's save", "annotate.saver.base === 3 && !annotate.saver.dirty() && annotate.detail.line.author === 'Ben' && annotate.mayEdit()")
	ben.wantMask("his own", map[spot]uint8{{5, 5}: 0, {25, 5}: 1})
	wantLog(t, manifest, "saved by Ann, aside by Ben, moved by Ben, saved by Ben, ")
}

// TestPageTwoHistory saves by itself and when asked in one browser: in the other the history has the latter alone.
func TestPageTwoHistory(t *testing.T) {
	longOnly(t)
	_, tabs := sideBySide(t, 1, []string{"Ann", "Rita"}, "--annotators", "Ann", "--reviewers", "Rita")
	ann, rita := tabs[0], tabs[1]
	rita.edit("a")
	ann.edit("a")
	ann.hold()
	for i := range 3 {
		ann.block(2+10*i, 2, 10+10*i, 10, 1)
		ann.do("annotate.saver.save()") // by itself
	}
	ann.block(60, 40, 70, 50, 1)
	ann.press("s", chromedp.ModifierCtrl)
	ann.until("the save", "annotate.saver.base === 4 && !annotate.saver.dirty()")
	rita.until("the news", "annotate.detail.line.head === 4")
	if got := eval[string](rita, "annotate.detail.line.revisions.map((r) => r.revision).join()"); got != "4" {
		t.Errorf("revisions: got %s, want the one that was asked for", got)
	}
	if got := eval[int](rita, "document.querySelectorAll('.log li').length"); got != 1 {
		t.Errorf("the history has %d entries, want 1", got)
	}
	rita.until("the offer to show it", "document.querySelectorAll('[data-newer=show]').length === 1 && annotate.mask.px[5 * 120 + 5] === 0")
	rita.click("[data-newer=show]")
	rita.until("Ann's mask", "annotate.mask?.px[5 * 120 + 5] === 1 && !document.querySelector('[data-newer=show]')")
	rita.ready("a")
	rita.do("annotate.compare.show(annotate.compare.choices().at(-1))")
	rita.press("t")
	rita.until("the difference", "annotate.pane.other?.[5 * 120 + 5] === 1")
	// A remark that comes while the page loads anew is there when it did.
	rita.do("(async () => { const old = annotate; old.reload(); await old.act(['comments'], { x: 5, y: 5, text: 'a late word' }); })()")
	rita.ready("a")
	rita.until("the remark", "document.querySelector('.remarks').textContent.includes('a late word')")
}

// TestPageTwoTokens logs two people in by the links that serve prints, each in a browser of their own: neither's session is the other's.
func TestPageTwoTokens(t *testing.T) {
	longOnly(t)
	im := jpegOf(t, image.NewGray(image.Rect(0, 0, 120, 80)))
	c := command("annotate", "serve", made(t, []picture{{"a", im, 120, 80, 1}}), "--listen", "127.0.0.1:0", "--annotators", "Ann,Ben")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	try(t, err)
	defer func() { c.Process.Kill(); c.Wait() }()
	address, links := "", map[string]string{}
	for lines := bufio.NewScanner(out); len(links) < 2 && lines.Scan(); {
		if a, ok := strings.CutPrefix(lines.Text(), "annotate "); ok {
			address = a
		} else if name, link, ok := strings.Cut(lines.Text(), " (annotator) "); ok {
			links[name] = link
		}
	}
	for _, name := range []string{"Ann", "Ben"} {
		p := open(t, browsertest.Share(t), links[name])
		p.until("the login", "document.querySelector('.queue, .login')")
		p.until("who it is", "document.querySelector('.person')?.textContent === "+asJSON(t, name))
	}
	p := open(t, browsertest.Share(t), address)
	p.until("the login", "document.querySelector('.login input[type=password], .login input')")
	if got := eval[int](p, "document.querySelectorAll('.who').length"); got != 0 {
		t.Errorf("a stranger is offered %d names, want none", got)
	}
}

// TestPageTwoDraft lets a reviewer accept what its author has not submitted: the page asks first.
func TestPageTwoDraft(t *testing.T) {
	_, tabs := sideBySide(t, 1, []string{"Ann", "Rita"}, "--annotators", "Ann", "--reviewers", "Rita")
	ann, rita := tabs[0], tabs[1]
	ann.edit("a")
	ann.draw(30, 30)
	rita.edit("a")
	for _, choice := range []string{"", "accept"} {
		rita.click("[data-action=accept]")
		rita.until("the question", "document.querySelector('dialog[open]')?.textContent.includes('Ann has not submitted it')")
		if choice == "" {
			rita.press(kb.Escape)
			rita.until("no dialog, and no change", "!document.querySelector('dialog[open]') && annotate.detail.line.state === 'edited'")
		} else {
			rita.click("dialog [data-choice=accept]")
		}
	}
	ann.until("the news", "annotate.detail.line.state === 'accepted'")
}

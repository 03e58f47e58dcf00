package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// at returns where a pixel of the picture is on the screen, in CSS pixels.
func (p *tab) at(x, y float64) (sx, sy float64) {
	p.t.Helper()
	v := eval[[]float64](p, fmt.Sprintf(`(() => { const r = annotate.pane.ui.getBoundingClientRect(), d = annotate.pane.ui.width / r.width;
		return [r.left + annotate.view.fromX(%g) / d, r.top + annotate.view.fromY(%g) / d]; })()`, x, y))
	return v[0], v[1]
}

func (p *tab) clickPixel(x, y float64, options ...chromedp.MouseOption) {
	p.t.Helper()
	sx, sy := p.at(x, y)
	p.run(chromedp.MouseClickXY(sx, sy, options...))
}

// drag moves the mouse with its button down from one pixel of the picture to another.
func (p *tab) drag(x0, y0, x1, y1 float64) {
	p.t.Helper()
	x, y := p.at(x0, y0)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	x, y = p.at(x1, y1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x, y, 1)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, x, y, 0)
}

func (p *tab) press(keys string, m ...chromedp.Modifier) {
	p.t.Helper()
	p.run(chromedp.KeyEvent(keys, chromedp.KeyModifiers(m...)))
}

// mask returns the mask in the editor.
func (p *tab) mask() *raster.Mask {
	p.t.Helper()
	r := eval[struct {
		Width, Height int
		Runs          []int
	}](p, "annotate.mask.runs()")
	m := raster.NewMask(r.Width, r.Height)
	at := 0
	for i := 0; i < len(r.Runs); i += 2 {
		for range r.Runs[i+1] {
			m.Pix[at] = uint8(r.Runs[i])
			at++
		}
	}
	return m
}

func iou(truth, m *raster.Mask) float64 {
	c := metric.NewConfusion(2)
	c.Add(truth.Pix, m.Pix)
	return c.IoU(1).V
}

// paint clicks superpixels until the mask is as good as wanted: each time the cell, of any size, that helps most.
func (p *tab) paint(truth *raster.Mask, want float64, most int) (clicks int) {
	p.t.Helper()
	p.press("1")
	for clicks < most && iou(truth, p.mask()) < want {
		best := eval[struct {
			Size, X, Y, Label int
			Gain              float64
		}](p, "pageTestBest("+asJSON(p.t, runsOf(truth))+")")
		if best.Gain <= 0 {
			p.t.Fatal("no cell helps any more")
		}
		p.click(fmt.Sprintf("[data-cells=%q]", fmt.Sprint(best.Size)))
		p.until("cells", fmt.Sprintf("annotate.tool.cells && annotate.tool.cells === await annotate.cellStore.get(%d)", best.Size))
		var o []chromedp.MouseOption
		if best.Label == 0 {
			o = append(o, chromedp.ButtonModifiers(chromedp.ModifierShift))
		}
		p.clickPixel(float64(best.X)+0.5, float64(best.Y)+0.5, o...)
		clicks++
	}
	return clicks
}

func runsOf(m *raster.Mask) []int {
	var out []int
	for i := 0; i < len(m.Pix); {
		j := i + 1
		for j < len(m.Pix) && m.Pix[j] == m.Pix[i] {
			j++
		}
		out = append(out, int(m.Pix[i]), j-i)
		i = j
	}
	return out
}

// bestCell is the greedy annotator, in the page so that it uses the page's own cells: it finds the cell and the label that
// raise the IoU most, and a pixel in it.
const bestCell = `globalThis.pageTestBest = async (runs) => {
	const { mask, cellStore } = annotate, truth = new Uint8Array(mask.px.length);
	for (let i = 0, at = 0; i < runs.length; i += 2) truth.fill(runs[i], at, at += runs[i + 1]);
	let inter = 0, union = 0;
	truth.forEach((t, i) => { if (t !== 255) { inter += t === 1 && mask.px[i] === 1; union += t === 1 || mask.px[i] === 1; } });
	let best = { Gain: 0 };
	for (let Size = 0; Size < 3; Size++) {
		const cells = await cellStore.get(Size);
		const d = [0, 1].map(() => [new Int32Array(cells.n), new Int32Array(cells.n)]); // by label: change of inter and union
		truth.forEach((t, i) => {
			const c = cells.labels[i], was = mask.px[i] === 1;
			if (t === 255) return;
			if (was && t === 1) d[0][0][c]--;
			if (was && t !== 1) d[0][1][c]--;
			if (!was && t === 1) d[1][0][c]++;
			if (!was && t !== 1) d[1][1][c]++;
		});
		for (let c = 0; c < cells.n; c++) for (const Label of [0, 1]) {
			const Gain = (inter + d[Label][0][c]) / (union + d[Label][1][c]) - inter / union;
			if (Gain > best.Gain) { const i = cells.labels.indexOf(c); best = { Size, Label, Gain, X: i % cells.width, Y: Math.floor(i / cells.width) }; }
		}
	}
	return best;
}`

// pick returns a record of a tier and split, and its newest mask of the tier.
func pick(t *testing.T, manifest string, split manifests.Split, tier manifests.Tier) (*manifests.Record, *raster.Mask) {
	t.Helper()
	store, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	for i := range m.Records {
		r := &m.Records[i]
		if r.Split == split && r.Tier == tier {
			k, ok := r.MaskOf(tier)
			if !ok {
				t.Fatalf("%s has no %s mask", r.ID, tier)
			}
			mask, err := load.Mask(store, r, k)
			try(t, err)
			return r, mask
		}
	}
	t.Fatalf("no record of %s, %s", split, tier)
	return nil, nil
}

// TestPageReview paints by superpixels, undoes, saves, reloads, submits, reviews, rejects, fixes, accepts and applies,
// with the mouse and the keys of a real browser.
func TestPageReview(t *testing.T) {
	p := visitOf(t, browsertest.Share(t), manifests.Manual, "--annotators", "Ann", "--reviewers", "Rita")
	p.login("Ann")
	p.shot("queue-small")
	p.edit(p.record.ID)
	p.do(bestCell)

	p.press(kb.Delete) // clears: this one begins with nothing
	p.until("an empty mask", "annotate.mask.isEmpty()")
	clicks := p.paint(p.truth, 0.9, 60)
	t.Logf("%s: %d clicks for an IoU of %.3f", p.record.ID, clicks, iou(p.truth, p.mask()))
	painted := p.mask()

	p.press("z")
	if string(p.mask().Pix) == string(painted.Pix) {
		t.Error("undo changed nothing")
	}
	p.press("Z", chromedp.ModifierShift)
	if string(p.mask().Pix) != string(painted.Pix) {
		t.Error("redo is not what was undone")
	}
	p.press("s", chromedp.ModifierCtrl)
	p.until("the save", "!annotate.saver.dirty() && annotate.saver.base > 0")
	p.run(chromedp.Reload())
	p.ready(p.record.ID)
	if string(p.mask().Pix) != string(painted.Pix) {
		t.Error("after a reload the mask is another one")
	}
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the submission", "annotate.key !== "+asJSON(t, p.record.ID)) // it goes on to the next one

	p.relogin("Rita")
	p.edit(p.record.ID)
	if got := p.text(".state"); got != "submitted" {
		t.Fatalf("state: got %q, want submitted", got)
	}
	p.press("c")
	p.clickPixel(float64(p.truth.Width)/2, float64(p.truth.Height)/2)
	p.run(chromedp.WaitVisible(chromedp.CSS("dialog textarea")), chromedp.SendKeys(chromedp.CSS("dialog textarea"), "this ear is cut off"))
	p.click("dialog button.primary")
	p.until("the remark", "document.querySelector('.remarks').textContent.includes('this ear is cut off')")
	p.press("r")
	p.run(chromedp.WaitVisible(chromedp.CSS("dialog .chip")))
	p.click("dialog .chip")
	p.click("dialog button.primary")
	p.until("the rejection", "annotate.key !== "+asJSON(t, p.record.ID))

	p.relogin("Ann")
	p.edit(p.record.ID)
	if got := p.text(".verdict"); !strings.Contains(got, "The outline is loose") {
		t.Errorf("the author reads %q, want the reason of the rejection", got)
	}
	p.press("8")
	p.clickPixel(3, 3)
	p.until("the stroke", "annotate.mask.px.includes(255)")
	fixed := p.mask()
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the submission", "annotate.key !== "+asJSON(t, p.record.ID))

	p.relogin("Rita")
	p.edit(p.record.ID)
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the acceptance", "annotate.key !== "+asJSON(t, p.record.ID))
	p.edit(p.record.ID)
	p.press("i")
	if string(p.mask().Pix) != string(fixed.Pix) {
		t.Error("an accepted mask was changed")
	}

	out := filepath.Join(filepath.Dir(p.manifest), "reviewed.yaml")
	must(t, "annotate", "apply", "-i", p.manifest, "-o", out)
	must(t, "check", out)
	store, m, _, err := manifests.ReadFile(out)
	try(t, err)
	for i := range m.Records {
		if o := &m.Records[i]; o.ID == p.record.ID {
			k, _ := o.MaskOf(manifests.Manual)
			mask, err := load.Mask(store, o, k)
			if err != nil || string(mask.Pix) != string(fixed.Pix) || k.WasAttributedTo != "Ann" || k.GeneratedAtTime == "" || k.WasGeneratedBy != "annotate" {
				t.Errorf("applied: got %+v, %v", k, err)
			}
			if old, _ := p.record.MaskOf(manifests.Manual); k.Revision < old.Revision+2 {
				t.Errorf("revision %d, want those before it kept as well", k.Revision)
			}
		}
	}
}

// relogin logs out and in under another name.
func (p *tab) relogin(name string) {
	p.t.Helper()
	p.do("(location.hash = '')")
	p.run(chromedp.WaitVisible(chromedp.CSS(".queue")))
	p.do("[...document.querySelectorAll('.top button')].find((b) => b.textContent === 'Log out').click()")
	p.login(name)
}

// TestPageConflict lets two people save the same mask: both are kept, and the one who was late chooses.
func TestPageConflict(t *testing.T) {
	longOnly(t)
	one := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann,Ben")
	one.login("Ann")
	one.edit(one.record.ID)
	two := open(t, one.browser, one.server.address) // the browser's session is Ann's: a second tab of hers
	two.until("the queue", "document.querySelector('.queue')")
	two.edit(one.record.ID)
	one.hold()
	two.hold()

	one.press("i")
	one.press("s", chromedp.ModifierCtrl)
	one.until("the first save", "annotate.saver.base === 1 && !annotate.saver.dirty()")
	two.press("8")
	two.clickPixel(2, 2)
	mine := two.mask()
	two.press("s", chromedp.ModifierCtrl)
	two.until("the question", "!!document.querySelector('dialog[open]')")
	if got := two.text("dialog[open]"); !strings.Contains(got, "Yours is kept as revision 2") {
		t.Errorf("the dialog says %q", got)
	}
	two.shot("conflict")
	two.click(`dialog [data-choice="mine"]`)
	two.until("the second save", "annotate.saver.base === 3 && !annotate.saver.dirty()")
	one.press("8")
	one.clickPixel(8, 8)
	one.press("s", chromedp.ModifierCtrl)
	one.until("the question", "!!document.querySelector('dialog[open]')")
	one.click(`dialog [data-choice="theirs"]`)
	one.until("the other mask", "annotate.saver.base === 3")
	if string(one.mask().Pix) != string(mine.Pix) {
		t.Error("the first tab does not show the mask that was kept")
	}
	lines := events(t, one.manifest, one.record.ID)
	var kinds []string
	for _, e := range lines {
		kinds = append(kinds, fmt.Sprint(e["kind"]))
	}
	if got := strings.Join(kinds, " "); got != "saved aside saved aside" {
		t.Errorf("log: got %s, want every mask of both tabs kept", got)
	}
}

// events reads an item's log, without the times that people took.
func events(t *testing.T, manifest, id string) []map[string]any {
	t.Helper()
	return slices.DeleteFunc(allEvents(t, manifest, id), func(e map[string]any) bool { return e["kind"] == "worked" })
}

// allEvents reads an item's log.
func allEvents(t *testing.T, manifest, id string) (out []map[string]any) {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(manifest), ".yaml")
	data := read(t, filepath.Join(filepath.Dir(manifest), "annotate", name, "events", id+".jsonl"))
	for line := range strings.Lines(string(data)) {
		var e map[string]any
		try(t, json.Unmarshal([]byte(line), &e))
		out = append(out, e)
	}
	return out
}

// TestPageCrash kills the server while strokes are unsaved, and then the browser too: nothing is lost.
func TestPageCrash(t *testing.T) {
	longOnly(t)
	profile := t.TempDir()
	p := visitOf(t, browsertest.Start(t, profile), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	p.hold()
	p.press("i")
	p.do("annotate.saver.save(true)")
	p.press("8")
	p.clickPixel(5, 5)
	p.server.kill()
	p.press("s", chromedp.ModifierCtrl)
	p.until("the notice", "document.querySelector('.status').textContent.includes('server away')")

	s2 := serve(t, p.manifest, "127.0.0.1:"+p.server.port(), "--annotators", "Ann")
	p.until("the save after the restart", "!annotate.saver.dirty() && annotate.saver.base === 2") // same session, same page, by itself
	p.clickPixel(9, 9)
	unsaved := p.mask()
	p.until("the draft", drafts+".map((d) => d.base).join() === '2'")
	s2.kill()
	chromedp.FromContext(p.browser).Browser.Process().Kill() // the browser, with all its tabs

	serve(t, p.manifest, "127.0.0.1:"+p.server.port(), "--annotators", "Ann")
	p.tab = open(t, browsertest.Start(t, profile), p.server.address)
	p.until("the page", "document.querySelector('.login, .queue') !== null")
	// A browser that is killed within its first half minute forgets its cookies, but no draft.
	if eval[bool](p.tab, "document.querySelector('.login') !== null") {
		p.login("Ann")
	}
	p.edit(p.record.ID)
	p.run(chromedp.WaitVisible(chromedp.CSS("[data-draft=restore]")))
	p.shot("draft")
	p.hold()
	p.click("[data-draft=restore]")
	p.until("the strokes", "annotate.saver.dirty()")
	if string(p.mask().Pix) != string(unsaved.Pix) {
		t.Error("the restored mask is not the one that was on the screen")
	}
	p.release()
	p.until("the autosave", "!annotate.saver.dirty() && annotate.saver.base === 3")
	must(t, "check", p.manifest)
}

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// TestPageCut draws a box of a picture that has none, cuts from it by one key, takes away and adds by clicks, and applies: the
// record is of tier bbox then.
func TestPageCut(t *testing.T) {
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.Label, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	settled := func() { p.until("the cut", "annotate.waiting === 0") }
	x0, y0, bw, bh := format.RLEOf(p.truth, raster.Figure).Bounds()
	left, top, right, bottom := float64(x0), float64(y0), float64(x0+bw), float64(y0+bh)
	short := right - 0.2*float64(bw) // a box that ends too early
	p.press("k")
	if got := p.text(".note"); !strings.Contains(got, "This picture has no box") {
		t.Errorf("without a box the key says %q", got)
	}
	p.press("o")
	p.drag(left, top, short, bottom)
	p.until("the box", "annotate.detail.boxes?.length === 1")
	p.drag(short, (top+bottom)/2, right, (top+bottom)/2) // its right side
	p.until("its correction", fmt.Sprintf("annotate.detail.boxes[0].xMax >= %d", int(right)-2))
	p.press("z")
	p.until("the box as it was drawn", fmt.Sprintf("annotate.detail.boxes[0].xMax < %d && !document.querySelector('[data-action=redo]').disabled", int(short)+3))
	p.press("z")
	p.until("no box", "(annotate.detail.boxes ?? []).length === 0 && document.querySelector('[data-action=undo]').disabled")
	p.press("Z", chromedp.ModifierShift)
	p.until("the first box again", "annotate.detail.boxes.length === 1")
	p.press("Z", chromedp.ModifierShift)
	p.until("its correction again", fmt.Sprintf("annotate.detail.boxes[0].xMax >= %d", int(right)-2))
	p.press("k")
	p.until("the cut of the box", "annotate.mask.hints.boxes.length === 1 && annotate.waiting === 0")
	m := p.mask()
	b := eval[manifests.Box](p.tab, "annotate.detail.boxes[0]")
	for i, v := range m.Pix {
		if x, y := i%m.Width, i/m.Width; v == raster.Figure && (x < b.XMin || x >= b.XMax || y < b.YMin || y >= b.YMax) {
			t.Fatalf("(%d, %d) is figure outside of the box", x, y)
		}
	}
	x, y, deep := m.Deepest(raster.Figure)
	if deep == 0 {
		t.Fatal("the cut has no figure")
	}
	p.press("5")
	p.clickPixel(float64(x)+0.5, float64(y)+0.5)
	settled()
	if p.mask().At(x, y) != raster.Ground {
		t.Error("a click on the figure does not take it away")
	}
	p.clickPixel(float64(x)+0.5, float64(y)+0.5, chromedp.ButtonModifiers(chromedp.ModifierShift))
	settled()
	if p.mask().At(x, y) != raster.Figure {
		t.Error("a click with Shift does not add")
	}
	p.press(kb.Delete)
	p.clickPixel(float64(x)+0.5, float64(y)+0.5)
	p.until("the cut of a click", "annotate.waiting === 0 && annotate.mask.hints.clicks.length === 1 && annotate.mask.hints.boxes.length === 0")
	if m = p.mask(); m.At(x, y) != raster.Figure {
		t.Error("the clicked pixel is not figure")
	}
	p.press("z")
	p.until("the undo", "annotate.mask.isEmpty() && annotate.mask.hints.clicks.length === 0")
	p.press("o")
	p.press(kb.Escape)
	if eval[int](p.tab, "annotate.detail.boxes.length") != 1 {
		t.Error("Escape takes a box away")
	}
	p.press(kb.Delete)
	p.until("no box", "(annotate.detail.boxes ?? []).length === 0")
	p.drag(left, top, short, bottom)
	p.until("the box again", "annotate.detail.boxes?.length === 1")
	p.server.kill()
	out := filepath.Join(filepath.Dir(p.manifest), "boxed.yaml")
	must(t, "annotate", "apply", "-i", p.manifest, "-o", out)
	_, m2, _, err := manifests.ReadFile(out)
	try(t, err)
	var r *manifests.Record
	for i := range m2.Records {
		if k := &m2.Records[i]; k.ID == p.record.ID && k.Split == p.record.Split {
			r = k
		}
	}
	if r == nil || r.Tier != manifests.BBox || len(r.Boxes) != 1 {
		t.Errorf("applied: got %+v, want tier bbox with one box", r)
	}
}

// heldCuts opens a picture with the tool that cuts, set to add. The page's requests for cuts wait in asked, each with what it
// asks for, until its go is called.
func heldCuts(t *testing.T) *visit {
	t.Helper()
	longOnly(t)
	p := visitOf(t, browsertest.Share(t), manifests.BBox, "--annotators", "Ann")
	p.login("Ann")
	p.edit(p.record.ID)
	p.hold()
	p.press("5")
	p.do(`(() => { const real = fetch; globalThis.asked = [];
		globalThis.fetch = async (path, o) => {
			if (path.endsWith('/cut')) await new Promise((go) => { asked.push({ go, body: JSON.parse(o.body) }); });
			return real(path, o);
		}; })()`)
	p.click("[data-add='1']")
	return p
}

// TestPageCutQueue clicks twice before the first cut is answered: the second goes out after that answer, with both marks.
func TestPageCutQueue(t *testing.T) {
	p := heldCuts(t)
	spots := []spot{{3, 3}, {float64(p.truth.Width) - 4, 3}}
	for _, s := range spots {
		p.clickPixel(s.x, s.y)
	}
	p.until("the first request alone", "asked.length === 1 && annotate.waiting === 2")
	p.do("asked[0].go()")
	p.until("the second request", "asked.length === 2 && annotate.waiting === 1")
	p.do("asked[1].go()")
	p.until("both answers", "annotate.waiting === 0")
	n := eval[[]int](p.tab, `[annotate.mask.hints.clicks.length, annotate.mask.hints.marks.length, annotate.mask.done.length,
		asked[1].body.clicks.length]`)
	if !slices.Equal(n, []int{2, 2, 2, 2}) {
		t.Errorf("clicks, marks and steps, and clicks of the second request: got %v, want 2 of each", n)
	}
	p.wantMask("two clicks", map[spot]uint8{spots[0]: 1, spots[1]: 1})
	if got := p.text(".notes"); strings.Contains(got, "try again") {
		t.Errorf("the page says %q", got)
	}
}

// TestPageSubmitWaits submits while a cut is made: the cut is in what is submitted.
func TestPageSubmitWaits(t *testing.T) {
	p := heldCuts(t)
	p.clickPixel(3, 3)
	p.until("the cut", "asked.length === 1 && annotate.waiting === 1")
	p.do("(globalThis.drawn = annotate)")
	p.press("\r", chromedp.ModifierCtrl)
	p.do("asked[0].go()")
	p.until("the submission", "drawn.detail.line.state === 'submitted'")
	if !eval[bool](p.tab, "drawn.mask.px[3 * drawn.mask.width + 3] === 1 && !drawn.saver.dirty()") {
		t.Error("the cut is not in what was submitted")
	}
}

// TestPageClickWords says what to do after a click that changed hardly anything, and not after one that changed more. The
// answers are made up.
func TestPageClickWords(t *testing.T) {
	p := blank(t) // 300 x 200
	p.press("5")
	p.click("[data-add='1']")
	p.do(`(() => { const real = fetch;
		globalThis.fetch = (path, o) => { if (!path.endsWith('/cut')) return real(path, o);
			const { width, height, px } = annotate.mask, now = px.slice(), [x, y, side, v] = answer;
			for (let i = 0; i < side; i++) now.fill(v, (y + i) * width + x, (y + i) * width + x + side);
			return Promise.resolve(new Response(JSON.stringify({ width, height, runs: [...now].flatMap((q) => [q, 1]) }))); };
		const { mask } = annotate; mask.begin('brush'); for (let y = 20; y < 80; y++) mask.span(y, 20, 80, 1); mask.end(); })()`)
	const wrong, missing = "wrong here, draw over it with Scribble ground", "missing here, draw over it with Scribble figure"
	for _, k := range []struct {
		x, y, side, label int // what changes around the click
		want              string
	}{
		{40, 40, 5, 0, wrong}, {40, 40, 6, 0, ""}, // 25 and 36 of 60000 pixels
		{200, 100, 5, 1, missing}, {200, 100, 6, 1, ""},
	} {
		p.do(fmt.Sprintf("(globalThis.answer = [%d, %d, %d, %d])", k.x, k.y, k.side, k.label))
		p.clickPixel(float64(k.x)+2, float64(k.y)+2)
		p.until("the cut", "annotate.waiting === 0 && annotate.mask.done.length === 2")
		if got := p.text(".notes"); !strings.Contains(got, k.want) || k.want == "" && got != "" {
			t.Errorf("%d x %d pixels of %d: the page says %q, want %q", k.side, k.side, k.label, got, k.want)
		}
		p.press("z")
	}
}

// TestPageCutUndo undoes while two cuts are under way: it takes back the one that was asked for last, then the other, and
// neither the change before them. What the server answers late changes nothing.
func TestPageCutUndo(t *testing.T) {
	p := heldCuts(t)
	p.block(20, 20, 30, 30, 1)
	before := p.mask()
	p.clickPixel(3, 3)
	p.clickPixel(float64(p.truth.Width)-4, 3)
	p.until("the first request", "asked.length === 1 && annotate.waiting === 2")
	p.press("z")
	p.press("z")
	p.until("no cut", "annotate.waiting === 0 && document.querySelector('.waiting').hidden")
	p.do("(asked[0].go(), annotate.cuts)")
	if string(p.mask().Pix) != string(before.Pix) || !eval[bool](p.tab, "annotate.mask.done.length === 1 && asked.length === 1") {
		t.Error("undo while cuts are made takes back another change, or a cut lands after it")
	}
	if got := p.text(".notes"); got != "" {
		t.Errorf("the page says %q", got)
	}
	p.press("z")
	p.until("the change before", "annotate.mask.done.length === 0 && document.querySelector('[data-action=undo]').disabled")
	p.clickPixel(3, 3)
	p.until("something to undo", "asked.length === 2 && !document.querySelector('[data-action=undo]').disabled")
	p.do("asked[1].go()")
	p.until("the next cut", "annotate.waiting === 0")
	p.wantMask("cut anew", map[spot]uint8{{3, 3}: 1})
}

// TestPageLearning says that the model of cuts is still being learned, for as long as the server says so. Its answers are made up.
func TestPageLearning(t *testing.T) {
	p := blank(t)
	p.do(`(() => { const real = fetch; globalThis.fetch = async (path, o) => { const r = await real(path, o);
		return path === '/api/changes' ? new Response(JSON.stringify({ ...await r.json(), learning })) : r; }; })()`)
	for _, on := range []bool{true, false} {
		p.do(fmt.Sprintf("(globalThis.learning = %v, import('./live.js').then((m) => m.ask()))", on))
		p.until("what it says of learning", fmt.Sprintf("document.querySelector('.panel .learning').checkVisibility() === %v", on))
	}
}

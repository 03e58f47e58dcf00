package main

import (
	"fmt"
	"path/filepath"
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
	if err != nil {
		t.Fatal(err)
	}
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

package main

import (
	"bytes"
	"context"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests/raster"
)

// TestPageWhole uses what works on the whole mask, each on a small figure whose outcome is known.
func TestPageWhole(t *testing.T) {
	p := blank(t) // 300 x 200
	paint := func() *raster.Mask {
		t.Helper()
		p.do(`(() => { const { mask } = annotate, box = (x0, y0, x1, y1, v) => { for (let y = y0; y < y1; y++) mask.span(y, x0, x1, v); };
			mask.replace(new Uint8Array(mask.px.length), 'clear');
			mask.begin('brush');
			box(20, 20, 80, 80, 1);      // 60 x 60
			box(40, 40, 60, 60, 0);      // with a hole of 20 x 20
			box(45, 45, 50, 50, 255);    // some of which is void
			box(100, 20, 110, 30, 1);    // and a part of 10 x 10
			mask.end(); })()`)
		return p.mask()
	}
	areas := func(m *raster.Mask) [3]int {
		g, f, v := m.Areas()
		return [3]int{g, f, v}
	}
	const all = 300 * 200
	if got := areas(paint()); got != [3]int{all - 3300 - 25, 3300, 25} {
		t.Fatalf("painted: got areas %v", got)
	}
	// A band of 3 on each side of a border leaves 54 inside of the square of 60 and reaches to 66; its hole of 20 keeps 14 of
	// ground, with the void in it, and the figure around it begins at 26; the small part keeps 4 and reaches to 16.
	figure, void := 54*54-26*26+4*4, 66*66-54*54+26*26-14*14+16*16-4*4+25
	p.do("(annotate.settings.band = 3)")
	for _, k := range []struct {
		key  string
		want [3]int // ground, figure, void
	}{
		{"f", [3]int{all - 3700, 3700, 0}},       // 60*60 + 100: the hole is filled, void and all
		{"l", [3]int{all - 3200 - 25, 3200, 25}}, // 60*60 - 20*20: the small part is ground
		{"i", [3]int{3300, all - 3300 - 25, 25}}, // void stays
		{"b", [3]int{all - figure - void, figure, void}},
		{kb.Delete, [3]int{all, 0, 0}},
	} {
		before := paint()
		p.press(k.key)
		if got := areas(p.mask()); got != k.want {
			t.Errorf("key %q: got areas %v, want %v", k.key, got, k.want)
		}
		p.press("z")
		if !bytes.Equal(p.mask().Pix, before.Pix) {
			t.Errorf("key %q: undo is not what was before", k.key)
		}
	}
}

// TestPageKeys changes the keyboard by a file.
func TestPageKeys(t *testing.T) {
	b := browsertest.Share(t)
	file := filepath.Join(t.TempDir(), "keys.yaml")
	try(t, os.WriteFile(file, []byte("editor:\n  brush: [w]\n  eraser: []\n  finish: [F2, Enter]\n"), 0o644))
	s := serve(t, made(t, []picture{{"a", jpegOf(t, image.NewGray(image.Rect(0, 0, 60, 40))), 60, 40, 1}}), "127.0.0.1:0", "--annotators", "Ann", "--keys", file)
	p := open(t, b, s.address)
	p.login("Ann")
	p.edit("a")
	for _, k := range []struct{ key, tool string }{{"4", "polygon"}, {"w", "brush"}, {"1", "superpixel"}, {"2", "superpixel"}, {"3", "superpixel"}} {
		p.press(k.key)
		if got := eval[string](p, "annotate.tool.name"); got != k.tool {
			t.Errorf("key %s: got tool %s, want %s", k.key, got, k.tool)
		}
	}
	p.press("?")
	rows := eval[[]string](p, "[...document.querySelectorAll('.key-row')].map((r) => [...r.children].map((c) => [...c.childNodes].map((n) => n.textContent).join(' ')).join(': '))")
	if all := strings.Join(rows, "\n"); !strings.Contains(all, "brush: w\n") || !strings.Contains(all, "fill the polygon: F2 Enter\n") || !strings.Contains(all, "eraser: \n") {
		t.Errorf("the list of keys says:\n%s", all)
	}
}

// TestPageExpired ends the session under a person who has drawn: they log in above the page, and the strokes are saved.
func TestPageExpired(t *testing.T) {
	p := blank(t)
	p.press("2")
	p.clickPixel(100, 100)
	painted := p.mask()
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
		return err
	}))
	p.press("s", chromedp.ModifierCtrl)
	p.run(chromedp.WaitVisible(chromedp.CSS("dialog.relogin .who")))
	p.click(`dialog.relogin .who[data-person="Ann"]`)
	p.until("the save", "!annotate.saver.dirty() && annotate.saver.base === 1")
	if !bytes.Equal(p.mask().Pix, painted.Pix) {
		t.Error("the strokes are lost")
	}
}

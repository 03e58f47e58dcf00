package main

import (
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// The page of hdseg view filters, shows a picture with its mask and the model's, and changes nothing.
func TestPageView(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	model := filepath.Join(dir, "models", "paper", "manual-linear-pairwise.model")
	all := func() [2]string { return [2]string{bytesOf(t, dir), treeOf(t, dir, ".work", ".tmp")} }
	before := all()
	_, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	s := started(t, "view", "view", manifest, "--listen", "127.0.0.1:0", "--model", model)
	p := open(t, browsertest.Share(t), s.address)
	count := func(what string, n int) {
		t.Helper()
		p.until(what, fmt.Sprintf("document.querySelector('.filters').textContent.includes('%d of %d')", n, len(m.Records)))
	}
	number := func(name string, value float64) {
		t.Helper()
		p.do(fmt.Sprintf(`(() => { const i = document.querySelector('[data-filter="%s"]'); i.value = %g; i.dispatchEvent(new Event('input')); })()`, name, value))
	}
	count("all pictures", len(m.Records))

	tests, qualities := 0, []float64{}
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Test {
			tests++
		} else if k, ok := r.MaskOf(r.Tier); ok && k.Quality > 0 {
			qualities = append(qualities, k.Quality)
		}
	}
	slices.Sort(qualities)
	if len(qualities) < 2 {
		t.Fatalf("%d masks have a predicted IoU, want some", len(qualities))
	}
	number("quality-least", math.Floor(1000*qualities[1])/1000)
	count("the masks from a predicted IoU on", len(qualities)-1)
	number("quality-least", 0)
	p.do(`(() => { const s = document.querySelector('[data-filter=split]'); s.value = 'test'; s.dispatchEvent(new Event('change')); })()`)
	count("the test pictures", tests)

	ious := eval[[]string](p, `[...document.querySelectorAll('.card')].sort((a, b) => a.style.transform.localeCompare(b.style.transform, 'en', { numeric: true }))
		.map((c) => c.textContent.match(/IoU ([0-9.]+)/)?.[1])`)
	if len(ious) != tests || !slices.IsSorted(ious) || ious[0] == "" {
		t.Fatalf("got cards of IoU %v, want %d, the worst first", ious, tests)
	}
	if text := p.text(".filters"); !strings.Contains(text, "on test pictures the model's mask") || !strings.Contains(text, "The model's lowest IoU first") {
		t.Errorf("the page says %q, want whose masks are shown and in which order", text)
	}
	if hash := eval[string](p, "document.querySelector('.card').click(), new Promise((done) => setTimeout(() => done(location.hash), 300))"); !strings.HasPrefix(hash, "#picture/") {
		t.Errorf("a picture has the address %q", hash)
	}
	p.do("(location.hash = '')")
	count("all pictures again", tests)
	p.until("thumbnails", "[...document.querySelectorAll('.card img')].every((i) => i.complete && i.naturalWidth > 0)")
	p.shot("view")
	number("iou-most", 0.001)
	count("pictures without a hit", 0)
	number("iou-most", 1)

	r, truth := pick(t, manifest, manifests.Test, manifests.Manual)
	p.edit(r.ID)
	if got := p.mask(); !slices.Equal(got.Pix, truth.Pix) {
		t.Error("the page shows another mask than the data set's")
	}
	p.until("the model's mask beside it", "!annotate.compare.pane.root.hidden && annotate.compare.what.tier === 'model' && annotate.compare.pane.mask.px.length === annotate.mask.px.length")
	p.shot("view-picture")
	if labels := eval[string](p, "annotate.pane.label.textContent + ' | ' + annotate.compare.pane.label.textContent"); !strings.HasPrefix(labels, "true mask, manual | model, IoU ") {
		t.Errorf("the masks are called %q", labels)
	}
	if n := eval[int](p, "new Set([...document.querySelectorAll('header.top [data-action] path')].map((e) => e.getAttribute('d'))).size - document.querySelectorAll('header.top [data-action]').length"); n != 0 {
		t.Error("two buttons of the header look alike")
	}
	p.click("[data-action=help]")
	p.run(chromedp.WaitVisible(chromedp.CSS(".keys")))
	if text := eval[string](p, "location.hash + document.body.textContent"); strings.Contains(strings.ToLower(text), "queue") {
		t.Errorf("a page to look at speaks of work: %q", text)
	}
	p.run(chromedp.KeyEvent("\x1b"))
	if text := p.text(".panel"); !strings.Contains(text, "model") || !strings.Contains(text, "by ingest/folder") {
		t.Errorf("the panel says %q, want what is known of the masks", text)
	}
	if n := eval[int](p, "document.querySelectorAll('.tools, [data-action=accept], [data-action=undo], [data-action=fill]').length"); n != 0 {
		t.Errorf("the page has %d things to draw with, want none", n)
	}
	p.press("2") // the brush, where one may draw
	p.clickPixel(float64(r.Image.Width)/2, float64(r.Image.Height)/2)
	if got := p.mask(); !slices.Equal(got.Pix, truth.Pix) {
		t.Error("a click changed the mask")
	}

	for _, q := range []struct{ method, path string }{
		{"PUT", "/api/items/" + r.ID + "/mask"}, {"POST", "/api/items/" + r.ID + "/state"}, {"POST", "/api/items/" + r.ID + "/comments"},
		{"POST", "/api/items/" + r.ID + "/cut"}, {"POST", "/api/login"}, {"POST", "/"}, {"DELETE", "/api/queue"},
	} {
		req, err := http.NewRequest(q.method, s.address+q.path, strings.NewReader("{}"))
		try(t, err)
		req.Header.Set("Origin", s.address)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		try(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: got %s, want %d", q.method, q.path, resp.Status, http.StatusMethodNotAllowed)
		}
	}
	if all() != before {
		t.Error("the data set was changed")
	}
}

package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"hdseg/lscrf/bench/report/browsertest"
)

// TestPageInBrowser opens the report in Chromium, light and dark, on a telephone and on a desk: nothing but the file
// itself is asked for, and nothing is wider than the window, the main table of two classes included. With HDSEG_SHOTS=DIR it keeps pictures of what it saw, and with
// HDSEG_PAGE=FILE it opens that report.
func TestPageInBrowser(t *testing.T) {
	file := os.Getenv("HDSEG_PAGE")
	if file == "" {
		file = filepath.Join(t.TempDir(), "index.html")
		if err := os.WriteFile(file, html(t, page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	address := "file://" + filepath.ToSlash(file)
	ctx := browsertest.Start(t, t.TempDir())
	var mu sync.Mutex
	asked := map[string]int{}
	err = chromedp.Listen(ctx, func(e any) {
		if r, ok := e.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(r.Request.URL, "data:") {
			mu.Lock()
			asked[r.Request.URL]++
			mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, width := range []int64{400, 1280, 1600} {
		for _, scheme := range []string{"light", "dark"} {
			run(t, ctx, chromedp.EmulateViewport(width, 900), media("", scheme), chromedp.Navigate(address))
			wide := evaluate[[]string](t, ctx, `[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll *, svg *') && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.tagName + ': ' + e.textContent.slice(0, 60))`)
			if len(wide) > 0 || evaluate[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("%d px: wider than the window: %q", width, wide)
			}
			if n := evaluate[int](t, ctx, `[...document.querySelectorAll('table.main')].filter(e => e.parentNode.scrollWidth > e.parentNode.clientWidth).length`); n > 0 {
				t.Errorf("%d px: %d main tables have to be scrolled", width, n)
			}
			if n := evaluate[int](t, ctx, `[...document.querySelectorAll('.words p')].filter(e => e.getClientRects().length > 1).length`); n > 0 {
				t.Errorf("%d px: %d paragraphs break over columns", width, n)
			}
			// Elsewhere all columns are to be seen, or the page says that there are more.
			cut := `[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth)`
			if width > 1200 {
				cut += `.filter(e => e.parentNode.classList.contains('parts'))`
			} else {
				cut += `.filter(e => !getComputedStyle(e, '::before').content.includes('Scroll sideways'))`
			}
			if got := evaluate[[]string](t, ctx, cut+`.map(e => e.textContent.trim().slice(0, 60))`); len(got) > 0 {
				t.Errorf("%d px: tables are cut: %q", width, got)
			}
			if n := evaluate[int](t, ctx, `[...document.images].filter(i => !i.complete || i.naturalWidth === 0).length`); n > 0 {
				t.Errorf("%d pictures cannot be shown", n)
			}
			seen += evaluate[int](t, ctx, `document.images.length + document.querySelectorAll('svg').length`)
			shot(t, ctx, fmt.Sprintf("%s-%d", scheme, width))
		}
	}
	if seen == 0 {
		t.Error("the page has neither pictures nor plots")
	}
	run(t, ctx, chromedp.EmulateViewport(794, 1123), media("print", "light"))
	if evaluate[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("in print it is wider than a page")
	}
	shot(t, ctx, "print")
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 || asked[address] == 0 {
		t.Errorf("the page asked for %v, want the file alone", asked)
	}
}

func run(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// media emulates a medium and a color scheme.
func media(medium, scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// shot keeps a picture of the page if a folder is named for it.
func shot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("HDSEG_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A tab is a page of the browser that fails its test on any error, also on those in its console.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open opens a tab at an address, in the browser's own session: tabs of one browser share a login.
func open(t *testing.T, browser context.Context, address string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{t, ctx}
	err := chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *runtime.EventConsoleAPICalled:
			if e.Type == "error" {
				t.Errorf("the page logged an error: %s", e.Args[0].Value)
			}
		}
	})
	try(t, err)
	p.run(chromedp.Navigate(address))
	return p
}

// stuck is when a browser that does not answer is given up. No test waits that long, however slow the machine.
const stuck = 5 * time.Minute

func (p *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stuck)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// get runs an action that has a result.
func get[T any](p *tab, a chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stuck)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// eval evaluates an expression and awaits it.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// do evaluates an expression, awaits it and forgets what it gives.
func (p *tab) do(expression string) {
	p.t.Helper()
	p.run(chromedp.Evaluate[chromedp.Void]("Promise.resolve("+expression+").then(() => true)", chromedp.EvalAwaitPromise))
}

// polls bounds how often until asks. The page answers between its own tasks, so a slow machine waits longer.
const polls = 8000

// until waits for an expression to be true. While the page loads another picture, what the expression asks may not exist:
// that is not yet true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	for range polls {
		if eval[bool](p, "(async () => { try { return Boolean("+expression+") } catch { return false } })()") {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Fatalf("waited in vain for %s: %s\nthe page says:\n%s", what, expression, eval[string](p, "document.body.innerText.slice(0, 1500)"))
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.run(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))
}

// shot keeps a picture of the tab, small enough for a repository: in annotate/screenshots when HDSEG_SCREENSHOTS=1, else
// in a temporary folder.
func (p *tab) shot(name string) {
	p.t.Helper()
	img, err := png.Decode(bytes.NewReader(get(p, chromedp.CaptureScreenshot())))
	if err != nil {
		p.t.Fatal(err)
	}
	const most = 200_000 // bytes
	var data bytes.Buffer
	for quality := 88; quality >= 40; quality -= 4 {
		data.Reset()
		if err := jpeg.Encode(&data, img, &jpeg.Options{Quality: quality}); err != nil {
			p.t.Fatal(err)
		}
		if data.Len() <= most {
			break
		}
	}
	if data.Len() > most {
		p.t.Errorf("screenshot %s: got %d bytes, want at most %d", name, data.Len(), most)
	}
	dir := p.t.TempDir()
	if os.Getenv("HDSEG_SCREENSHOTS") != "" {
		dir = "../../annotate/screenshots"
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jpg"), data.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// login chooses a name.
func (p *tab) login(name string) {
	p.t.Helper()
	p.run(chromedp.WaitVisible(chromedp.CSS(".login")))
	p.click(fmt.Sprintf(".who[data-person=%q]", name))
	p.run(chromedp.WaitVisible(chromedp.CSS(".queue")))
}

// drafts are those that the browser keeps, as an expression.
const drafts = `(await new Promise((done) => { const q = indexedDB.open('hdseg-annotate', 1);
	q.onsuccess = () => { const g = q.result.transaction('drafts').objectStore('drafts').getAll(); g.onsuccess = () => done(g.result); }; }))`

// hold lets the page save and keep drafts only when the test says so; release lets it do so by itself again, at once. A
// test that looks at what is not saved yet holds it, so that no machine is too slow for it. A reload ends it.
func (p *tab) hold() {
	p.do("(annotate.saver.timing.idle = annotate.saver.timing.most = Infinity, annotate.saver.autosave.cancel())")
}

func (p *tab) release() { p.do("(annotate.saver.timing.idle = 0, annotate.saver.autosave())") }

// edit opens an item and waits until it can be painted.
func (p *tab) edit(key string) {
	p.t.Helper()
	p.do(fmt.Sprintf("(location.hash = '#edit/' + encodeURIComponent(%q))", key))
	p.ready(key)
}

func (p *tab) ready(key string) {
	p.t.Helper()
	p.until("the editor of "+key, fmt.Sprintf("globalThis.annotate?.key === %q && annotate.saver && annotate.pane.levels.length > 0 && annotate.pane.frame === 0", key))
}

// A serving is a running hdseg annotate serve.
type serving struct {
	cmd     *exec.Cmd
	address string
	lines   []string // what it printed
}

// serve starts the program on a free or given port and waits for its address. args follow the manifest.
func serve(t *testing.T, manifest, listen string, args ...string) *serving {
	t.Helper()
	return started(t, "annotate", append([]string{"annotate", "serve", manifest, "--listen", listen, "--token=false"}, args...)...)
}

// started starts a command that serves a page, and waits for its address, which stands behind a word.
func started(t *testing.T, word string, args ...string) *serving {
	t.Helper()
	c := command(args...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	try(t, err)
	try(t, c.Start())
	s := &serving{cmd: c}
	t.Cleanup(func() { s.kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.lines = append(s.lines, lines.Text())
		if a, ok := strings.CutPrefix(lines.Text(), word+" "); ok {
			s.address = strings.TrimSuffix(a, "/")
			break
		}
	}
	if s.address == "" {
		t.Fatalf("hdseg %v ended: %v", args, c.Wait())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return s
}

// kill is kill -9.
func (s *serving) kill() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

func (s *serving) port() string { return s.address[strings.LastIndex(s.address, ":")+1:] }

// asJSON quotes a value for an expression.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	try(t, err)
	return string(b)
}

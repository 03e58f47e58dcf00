// Package browsertest starts Chromium for the tests of pages. Where there is none, a test is
// skipped and says so.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Start starts a Chromium that ends with the test, with its profile in a folder.
func Start(t *testing.T, profile string) context.Context {
	t.Helper()
	ctx, stop, err := start(found(t), profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return ctx
}

// found returns the program's path.
func found(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: NO PAGE WAS OPENED: there is no Chromium here (Debian: apt-get install chromium)")
	return ""
}

func start(path, profile string) (ctx context.Context, stop func(), err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(profile))
	alloc, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	stop = func() { cancel(); end() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	return ctx, stop, nil
}

// shared is the Chromium of all tests of a process.
var shared struct {
	sync.Mutex
	ctx     context.Context
	stop    func()
	profile string
}

// Share returns a session (cookies, storage, a tab) in one Chromium that all tests of the process
// share. The first call starts it. The session ends with the test. TestMain calls End.
func Share(t *testing.T) context.Context {
	t.Helper()
	path := found(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx == nil {
		profile, err := os.MkdirTemp("", "chromium")
		if err != nil {
			t.Fatal(err)
		}
		shared.profile = profile
		if shared.ctx, shared.stop, err = start(path, profile); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// End ends the Chromium of Share and removes its profile.
func End() {
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx != nil {
		shared.stop()
	}
	if shared.profile != "" {
		os.RemoveAll(shared.profile) // what a browser still writes may stay: it is a temporary folder
	}
}

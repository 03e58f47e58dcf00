package remote

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// quietFor is the time without a byte after which a push or pull says that it waits, or half of Options.Stall if that is shorter.
const quietFor = 10 * time.Second

// A teller says what keeps requests waiting, each cause once: of many transfers at a time all meet the same.
type teller struct {
	say   func(line string) // nil for nobody who listens
	quiet time.Duration

	mu    sync.Mutex
	told  map[string]bool
	moved atomic.Int64 // when the last byte moved on any connection, in Unix nanoseconds
}

// tell says a line of a cause. What follows the first ": " of a cause, such as a digest, makes no other cause of it.
func (t *teller) tell(cause, line string) {
	if t.say == nil {
		return
	}
	cause, _, _ = strings.Cut(cause, ": ")
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told[cause] {
		t.told[cause] = true
		t.say(line)
	}
}

// retrying says that try n of most of a request has failed and when the next one is.
func (b *Bucket) retrying(path string, err error, n, most int, wait time.Duration) {
	cause := b.cause(err)
	b.teller.tell(cause, fmt.Sprintf("%s: %s: try %d of %d failed, the next one is in %.1f s (said once for this cause)",
		Printable(b.String()+path), oneLine(cause), n, most, wait.Seconds()))
}

// patient calls try and, while it lasts and no byte moves on any connection, says so. Nothing is said after it has returned.
func (b *Bucket) patient(ctx context.Context, path string, n, most int, try func() error) error {
	if b.teller.say == nil {
		return try()
	}
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { b.listen(ctx, path, n, most, done) })
	defer watcher.Wait()
	defer close(done)
	return try()
}

func (b *Bucket) listen(ctx context.Context, path string, n, most int, done <-chan struct{}) {
	quiet, began := b.teller.quiet, time.Now()
	for wait := quiet; ; {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		since := began
		if moved := time.Unix(0, b.teller.moved.Load()); moved.After(since) {
			since = moved
		}
		if wait = quiet - time.Since(since); wait > 0 {
			continue
		}
		ends := "it waits for ever, as --stall 0 says"
		if b.opts.Stall > 0 {
			ends = fmt.Sprintf("given up and tried again after %v", b.opts.Stall)
		}
		const cause = "the server says nothing"
		b.teller.tell(cause, fmt.Sprintf("%s: %s for %v: try %d of %d, %s (said once)", Printable(b.String()+path), cause, quiet, n, most, ends))
		return
	}
}

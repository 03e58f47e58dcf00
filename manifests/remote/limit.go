package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// watch makes the connections of a transport together send, and receive, at most so many bytes a
// second, and each fail with os.ErrDeadlineExceeded when no byte of it has moved for the time
// stall; 0 for no such limit.
func watch(t *http.Transport, bytesPerSecond int64, stall time.Duration) {
	dial := t.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	up, down := limiter(bytesPerSecond), limiter(bytesPerSecond)
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w := &watched{Conn: c, up: up, down: down, stall: stall}
		w.moved(0)
		return w, nil
	}
}

// limiter lets so many bytes a second pass from the first one on; 0 for any number. After a pause
// the next atOnce may pass together.
func limiter(bytesPerSecond int64) *rate.Limiter {
	if bytesPerSecond == 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	l := rate.NewLimiter(rate.Limit(bytesPerSecond), atOnce)
	l.ReserveN(time.Now(), atOnce) // it begins full
	return l
}

type watched struct {
	net.Conn
	up, down *rate.Limiter
	stall    time.Duration

	mu    sync.Mutex
	until time.Time // when it has stalled if nothing moves
}

// moved puts off the deadline, and waits: what waits for the rate has not stalled.
func (c *watched) moved(wait time.Duration) {
	if c.stall > 0 {
		c.mu.Lock()
		if until := time.Now().Add(wait + c.stall); until.After(c.until) {
			c.until = until
			// fails on a connection that is closed, whose next use says so
			c.Conn.SetDeadline(until)
		}
		c.mu.Unlock()
	}
	time.Sleep(wait)
}

// atOnce is the largest piece, so that a slow rate does not come in bursts.
const atOnce = 16 << 10

func (c *watched) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), atOnce)])
	if n > 0 {
		c.moved(c.down.ReserveN(time.Now(), n).Delay())
	}
	return n, err
}

func (c *watched) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var k int
		k, err = c.Conn.Write(p[:min(len(p), atOnce)])
		if k > 0 {
			c.moved(c.up.ReserveN(time.Now(), k).Delay())
		}
		n, p = n+k, p[k:]
	}
	return n, err
}

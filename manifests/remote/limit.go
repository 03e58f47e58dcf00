package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// watch makes the connections of a transport together send, and receive, at most so many bytes a
// second, and each fail with os.ErrDeadlineExceeded when no byte of it has moved for the time
// stall; 0 for no such limit.
func watch(t *http.Transport, bytesPerSecond int64, stall time.Duration) {
	dial := t.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	up, down := &meter{rate: bytesPerSecond}, &meter{rate: bytesPerSecond}
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

// A meter says how long to wait until the bytes that have passed are within the rate.
type meter struct {
	rate int64 // bytes a second, 0 for no limit

	mu   sync.Mutex
	next time.Time // when the bytes so far have passed
}

func (m *meter) pass(now time.Time, n int) time.Duration {
	if m.rate == 0 {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next.Before(now) {
		m.next = now
	}
	m.next = m.next.Add(time.Duration(float64(n) / float64(m.rate) * float64(time.Second)))
	return m.next.Sub(now)
}

type watched struct {
	net.Conn
	up, down *meter
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
		c.moved(c.down.pass(time.Now(), n))
	}
	return n, err
}

func (c *watched) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var k int
		k, err = c.Conn.Write(p[:min(len(p), atOnce)])
		if k > 0 {
			c.moved(c.up.pass(time.Now(), k))
		}
		n, p = n+k, p[k:]
	}
	return n, err
}

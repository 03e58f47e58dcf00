package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// limit makes all the connections of a transport together send, and receive, at most so many bytes a second.
func limit(t *http.Transport, bytesPerSecond int64) {
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
		return &limited{c, up, down}, nil
	}
}

// A meter says how long to wait until the bytes that have passed are within the rate.
type meter struct {
	rate int64 // bytes a second

	mu   sync.Mutex
	next time.Time // when the bytes so far have passed
}

// pass counts n bytes at the time now and returns how long to wait.
func (m *meter) pass(now time.Time, n int) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next.Before(now) {
		m.next = now
	}
	m.next = m.next.Add(time.Duration(float64(n) / float64(m.rate) * float64(time.Second)))
	return m.next.Sub(now)
}

type limited struct {
	net.Conn
	up, down *meter
}

// atOnce is the largest piece, so that a slow rate does not come in bursts.
const atOnce = 16 << 10

func (c *limited) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), atOnce)])
	time.Sleep(c.down.pass(time.Now(), n))
	return n, err
}

func (c *limited) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var k int
		k, err = c.Conn.Write(p[:min(len(p), atOnce)])
		time.Sleep(c.up.pass(time.Now(), k))
		n, p = n+k, p[k:]
	}
	return n, err
}

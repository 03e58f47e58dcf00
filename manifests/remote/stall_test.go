package remote

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

func impatient(t testing.TB, endpoint string, stall time.Duration, attempts int) *Bucket {
	t.Helper()
	o := Defaults()
	o.Endpoint, o.Workers, o.Stall, o.Attempts = endpoint, 4, stall, attempts
	b, err := Open(t.Context(), place, o)
	try(t, err)
	return b
}

// A server that takes connections and never answers is given up, and the error says so.
func TestSilentServer(t *testing.T) {
	s3test.Start(t) // for its credentials
	l, err := net.Listen("tcp", "127.0.0.1:0")
	try(t, err)
	defer l.Close()
	s, _ := dataSet(t, 1, 100, 1)
	b := impatient(t, "http://"+l.Addr().String(), 50*time.Millisecond, 2)
	_, err = b.List(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the server is silent: no byte moved for 50ms") || strings.Contains(err.Error(), "\n") {
		t.Errorf("list: %v", err)
	}
	if _, err := b.Push(t.Context(), s, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), "the server is silent") {
		t.Errorf("push: %v", err)
	}
	if _, err := b.Pull(t.Context(), s, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), "the server is silent") {
		t.Errorf("pull: %v", err)
	}
}

// Requests that are never answered, and answers that stop in the middle, are tried again: push and pull end with equal sides.
func TestStalls(t *testing.T) {
	srv := s3test.Start(t)
	for _, f := range []s3test.Fault{s3test.Stall, s3test.Pause} {
		n := 0
		proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
			if n++; n%5 == 0 && (f == s3test.Stall || r.Method == http.MethodGet) {
				return f
			}
			return s3test.Pass
		})
		b := impatient(t, proxy.URL, time.Second, 8)
		s, digest := dataSet(t, 2, 3000, 7)
		if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
			t.Errorf("%+v", res)
		}
		if _, res := mustPull(t, b, Request{}); res.Manifest != digest || res.Sent != 8 {
			t.Errorf("%+v", res)
		}
		if proxy.Injected(f) < 2 {
			t.Errorf("fault %d: %d were injected, want 2 or more", f, proxy.Injected(f))
		}
	}
}

// A deadlines remembers those that are set.
type deadlines struct {
	net.Conn
	set []time.Time
}

func (d *deadlines) SetDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return d.Conn.SetDeadline(t)
}

// Bytes put off the end of both directions, by the time that they wait for the rate, too: that is no stall. Nothing brings the end nearer.
func TestSlowIsNotStalled(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	d := &deadlines{Conn: near}
	start, free := time.Now(), limiter(0)
	c := &watched{Conn: d, up: limiter(100_000), down: free, stall: time.Hour}
	go far.Read(make([]byte, 1000))
	if _, err := c.Write(make([]byte, 1000)); err != nil { // they wait 10 ms
		t.Fatal(err)
	}
	c.moved(0)
	if len(d.set) == 0 || d.set[0].Before(start.Add(time.Hour+10*time.Millisecond)) {
		t.Errorf("deadlines %v, want one an hour and 10 ms after %v", d.set, start)
	}
	for i := 1; i < len(d.set); i++ {
		if d.set[i].Before(d.set[i-1]) {
			t.Errorf("deadlines %v: one is before another", d.set)
		}
	}
	c = &watched{Conn: near, up: free, down: free, stall: time.Millisecond}
	c.moved(0)
	if _, err := c.Read(make([]byte, 1)); !stalled(err) {
		t.Errorf("got %v, want a stall", err)
	}
}

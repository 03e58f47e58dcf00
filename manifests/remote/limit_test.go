package remote

import (
	"net/http"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

// At 1,000 bytes a second 500 bytes take half a second, and those behind them wait for them.
func TestLimiter(t *testing.T) {
	l := limiter(1000)
	start := time.Now()
	for _, c := range []struct {
		at   time.Duration
		n    int
		want time.Duration
	}{
		{0, 500, 500 * time.Millisecond},
		{100 * time.Millisecond, 200, 600 * time.Millisecond}, // done at 0.7 s
		{200 * time.Millisecond, 0, 500 * time.Millisecond},
	} {
		at := start.Add(c.at)
		if got := l.ReserveN(at, c.n).DelayFrom(at); (c.want - got).Abs() > 20*time.Millisecond {
			t.Errorf("at %s, %d bytes: got %s, want %s", c.at, c.n, got, c.want)
		}
	}
	if got := limiter(0).ReserveN(start, 1<<30).DelayFrom(start); got != 0 {
		t.Errorf("no limit: got %s", got)
	}
}

// A limited push takes at least the time that its bytes need, and is whole.
func TestLimit(t *testing.T) {
	srv := s3test.Start(t)
	s, digest := dataSet(t, 1, 30_000, 1)
	o := Defaults()
	o.Endpoint, o.Rate = srv.URL, 100_000
	b, err := Open(t.Context(), place, o)
	try(t, err)
	start := time.Now()
	if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
		t.Errorf("%+v", res)
	}
	if took := time.Since(start); took < 550*time.Millisecond {
		t.Errorf("60,000 bytes at 100,000 a second took %s", took)
	}
	var tr http.Transport
	watch(&tr, 1, 0)
	if tr.DialContext == nil {
		t.Error("a transport without a dialer of its own has none")
	}
	mustPull(t, open(t, srv.URL, place), Request{})
}

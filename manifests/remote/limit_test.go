package remote

import (
	"net/http"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

// At 1,000 bytes a second 500 bytes take half a second, those behind them wait for them, and a pause is not saved up.
func TestMeter(t *testing.T) {
	m := &meter{rate: 1000}
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		at   time.Duration
		n    int
		want time.Duration
	}{
		{0, 500, 500 * time.Millisecond},
		{100 * time.Millisecond, 200, 600 * time.Millisecond}, // done at 0.7 s
		{10 * time.Second, 100, 100 * time.Millisecond},
		{10 * time.Second, 0, 100 * time.Millisecond},
	} {
		if got := m.pass(start.Add(c.at), c.n); got != c.want {
			t.Errorf("at %s, %d bytes: got %s, want %s", c.at, c.n, got, c.want)
		}
	}
}

// A limited push takes at least the time that its bytes need, and is whole.
func TestLimit(t *testing.T) {
	srv := s3test.Start(t)
	o := Defaults()
	o.Endpoint, o.Rate = srv.URL, 100_000
	b, err := Open(t.Context(), place, o)
	if err != nil {
		t.Fatal(err)
	}
	s, digest := dataSet(t, 1, 30_000, 1)
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

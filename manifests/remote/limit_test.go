package remote

import (
	"net/http"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

// A limited push takes at least the time that its bytes need behind the first 16 KB, and is whole.
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
	if took := time.Since(start); took < 400*time.Millisecond {
		t.Errorf("60,000 bytes at 100,000 a second took %s", took)
	}
	var tr http.Transport
	watch(&tr, 1, 0)
	if tr.DialContext == nil {
		t.Error("a transport without a dialer of its own has none")
	}
	mustPull(t, open(t, srv.URL, place), Request{})
}

package remote

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

// told opens a place whose notices are kept.
func told(t testing.TB, endpoint string, stall time.Duration) (*Bucket, *[]string) {
	t.Helper()
	lines := &[]string{}
	o := Defaults()
	o.Endpoint, o.Workers, o.Stall = endpoint, 4, stall
	o.Notice = func(line string) { *lines = append(*lines, line) }
	b, err := Open(t.Context(), place, o)
	try(t, err)
	return b, lines
}

// A cause is told once, whatever the number of requests that meet it: what failed, of which key, which try it was, and when the next one is.
func TestNotice(t *testing.T) {
	srv := s3test.Start(t)
	for _, c := range []struct {
		fault s3test.Fault
		want  string
	}{
		{s3test.SlowDown, `^s3://sets/a/b/(images|masks)/\S+: the server is busy: try 1 of 8 failed, the next one is in 0\.[01] s \(said once for this cause\)$`},
		{s3test.Refuse, `^s3://sets/a/b/(images|masks)/\S+: .*: try 1 of 8 failed, the next one is in 0\.[01] s`},
	} {
		seen := map[string]bool{}
		proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
			key := r.Method + r.URL.Path
			if first := !seen[key]; first && (strings.Contains(key, "/images/") || strings.Contains(key, "/masks/")) {
				seen[key] = true
				return c.fault
			}
			return s3test.Pass
		})
		b, lines := told(t, proxy.URL, time.Minute)
		s, _ := dataSet(t, 4, 500, uint64(c.fault))
		mustPush(t, b, s, Request{})
		if n := proxy.Injected(c.fault); n < 16 || len(*lines) != 1 || !regexp.MustCompile(c.want).MatchString((*lines)[0]) {
			t.Errorf("%d faults, got %q, want one line as %s", n, *lines, c.want)
		}
	}
}

// A try that was given up since nothing came is told with the number of those that are left.
func TestNoticeOfSilence(t *testing.T) {
	s3test.Start(t) // for its credentials
	l, err := net.Listen("tcp", "127.0.0.1:0")
	try(t, err)
	defer l.Close()
	b, lines := told(t, "http://"+l.Addr().String(), 50*time.Millisecond)
	if _, err := b.List(t.Context()); err == nil || !strings.Contains(err.Error(), "the server is silent: no byte moved for 50ms") {
		t.Errorf("list: %v", err)
	}
	want := regexp.MustCompile(`^s3://sets/a/b/: the server is silent: no byte moved for 50ms: try 1 of 3 failed, the next one is in 0\.[01] s`)
	if len(*lines) == 0 || !want.MatchString((*lines)[len(*lines)-1]) {
		t.Errorf("got %q, want %s", *lines, want)
	}
}

// A server whose certificate nobody vouches for, and one that speaks http where https was meant, are not asked again.
func TestNoSecondTryOfTLS(t *testing.T) {
	s3test.Start(t) // for its credentials
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	odd, plain := httptest.NewUnstartedServer(nothing), httptest.NewServer(nothing)
	defer plain.Close()
	odd.Config.ErrorLog = log.New(io.Discard, "", 0) // the client hangs up
	odd.StartTLS()
	defer odd.Close()
	for url, want := range map[string]string{odd.URL: "x509: ", strings.Replace(plain.URL, "http:", "https:", 1): "the server speaks http, not https"} {
		b, lines := told(t, url, time.Minute)
		if _, err := b.List(t.Context()); err == nil || !strings.Contains(err.Error(), want) || len(*lines) != 0 {
			t.Errorf("%s: got %v after %q, want %q at once", url, err, *lines, want)
		}
	}
}

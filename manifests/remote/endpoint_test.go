package remote

import (
	"strings"
	"testing"

	"hdseg/manifests/remote/s3test"
)

// Addresses that are none are refused with what to write instead, and nothing of a secret in them is told.
func TestEndpoints(t *testing.T) {
	for _, c := range []struct{ endpoint, want string }{
		{"127.0.0.1:17071", "http://127.0.0.1:17071 or https://127.0.0.1:17071"},
		{"localhost:17071", "http://localhost:17071"},
		{"ftp://h", "want http://HOST:PORT"},
		{"http://", "want http://HOST:PORT"},
		{"http://h/?X=secret", `"http://h/?..."`},
		{"http://h/#secret", "fragment"},
		{"http://user:secret@h", `"http://...@h"`},
		{"http://user:sec/secret@h", `"http://...@h"`},
		{"user:secret@h", `"...@h"`},
		{"http://h/\nx", `want http://HOST:PORT`},
	} {
		for _, env := range []bool{false, true} {
			o := Defaults()
			if o.Endpoint = c.endpoint; env {
				o.Endpoint = ""
				t.Setenv("AWS_ENDPOINT_URL", c.endpoint)
			}
			_, err := Open(t.Context(), "s3://sets/x", o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: got %v, want %s", c.endpoint, err, c.want)
			}
		}
	}
	for _, ok := range []string{"http://127.0.0.1:7070", "https://h.example/path", "http://[::1]:7070/"} {
		if err := checkEndpoint(ok); err != nil {
			t.Error(err)
		}
	}
}

// Places with users, passwords, queries or what does not show are refused, and no secret is told.
func TestURLSecrets(t *testing.T) {
	for _, url := range []string{"s3://user:secret@sets/x", "s3://user:sec/secret@sets/x", "s3://sets/x?sig=secret", "user:secret@sets", "s3://sets/a\nb", "s3://sets/a\x1b[2J", "s3://se\nts/a"} {
		if _, _, err := ParseURL(url); err == nil || strings.Contains(err.Error(), "secret") || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: got %v", url, err)
		}
	}
	for _, url := range []string{"s3://sets/a@b", "s3://sets/ü b", "s3://a.b-c_D/1"} {
		if _, _, err := ParseURL(url); err != nil {
			t.Error(err)
		}
	}
}

func TestRedactAndPrintable(t *testing.T) {
	for _, c := range [][2]string{
		{`Get "http://h/a?X-Amz-Signature=1": refused`, `Get "http://h/a?...": refused`},
		{"dial http://me:pw@h:1 ends", "dial http://...@h:1 ends"},
		{"nothing of it", "nothing of it"},
	} {
		if got := redact(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{{"Pferd ü \"x\"", "Pferd ü \"x\""}, {"a\x1b[31m\nb", `a\x1b[31m\nb`}, {"\u202eb", `\u202eb`}, {"\xff", `\xff`}} {
		if got := Printable(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

// A profile that is not there is named.
func TestNoProfile(t *testing.T) {
	s3test.Start(t)
	t.Setenv("AWS_PROFILE", "nobody")
	if _, err := Open(t.Context(), place, Defaults()); err == nil || !strings.Contains(err.Error(), `there is no profile "nobody": set AWS_PROFILE`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// A dry pull says how many bytes there are to come, from the listing, and what is here already.
func TestDryPull(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 1, 2000, 1) // 2 images of 2,000 bytes, 2 masks of 300
	b := open(t, srv.URL, place)
	mustPush(t, b, s, Request{})
	to, _ := dataSet(t, 1, 2000, 2)
	if res, err := b.Pull(t.Context(), to, Request{Names: horseseg, DryRun: true}); err != nil || res.Sent != 4 || res.Bytes != 2*2000+2*300 || res.Kept != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := b.Pull(t.Context(), s, Request{Names: horseseg, DryRun: true}); err != nil || res.Sent != 0 || res.Bytes != 0 || res.Kept != 4 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestOptionLimits(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Workers = 0 }, func(o *Options) { o.Workers = MostWorkers + 1 },
		func(o *Options) { o.PartBytes = 5<<20 - 1 }, func(o *Options) { o.PartBytes = 5<<30 + 1 },
		func(o *Options) { o.Attempts = 0 }, func(o *Options) { o.Stall = -1 }, func(o *Options) { o.Rate = -1 },
	} {
		o := Defaults()
		change(&o)
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is valid", o)
		}
	}
	o := Defaults()
	o.Workers, o.PartBytes, o.Stall = MostWorkers, 5<<30, 0
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

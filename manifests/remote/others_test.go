package remote

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// The second server: what was pushed comes back, in parts too, under faults too; and push says whether it can be guarded, which is tried: of two
// pushers one is told.
func TestMoto(t *testing.T) {
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: no second S3 server: HDSEG_PYTHON is not set")
	}
	binary := filepath.Join(filepath.Dir(python), "moto_server") // of .ci/requirements.txt: it begins without a bucket
	if _, err := os.Stat(binary); err != nil {
		t.Skipf("SKIPPED: no second S3 server: %v", err)
	}
	srv := s3test.Run(t, func(host, port string) *exec.Cmd { return exec.Command(binary, "-H", host, "-p", port) })
	b := open(t, srv.URL, place)
	if _, err := b.api.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(s3test.Bucket)}); err != nil {
		t.Fatal(err)
	}
	s, digest := dataSet(t, 2, 11<<20, 61) // 3 parts each
	res := mustPush(t, b, s, Request{Verify: true})
	if res.Sent != 8 || res.Manifest != digest || res.NoMetadata || res.Repaired != 0 {
		t.Errorf("push: %+v", res)
	}
	t.Logf("unguarded: %v", res.Unguarded)
	if res := mustPush(t, b, s, Request{}); res.Sent != 0 || res.Kept != 8 {
		t.Errorf("again: %+v", res)
	}
	if _, res := mustPull(t, b, Request{}); res.Manifest != digest {
		t.Errorf("pull: %+v", res)
	}
	for _, f := range []s3test.Fault{s3test.Refuse, s3test.Lose, s3test.Truncate, s3test.Flip, s3test.SlowDown} {
		rng := rand.New(rand.NewPCG(uint64(f), 6))
		proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
			if f == s3test.Flip && (r.URL.Query().Has("list-type") || r.Method == http.MethodPut) {
				return s3test.Pass // moto takes other bytes than were signed
			}
			if rng.IntN(4) == 0 {
				return f
			}
			return s3test.Pass
		})
		b := open(t, proxy.URL, place+fmt.Sprint(f))
		s, digest := dataSet(t, 3, 3000, uint64(f)+70)
		if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
			t.Errorf("fault %d: %+v", f, res)
		}
		if _, res := mustPull(t, b, Request{}); res.Manifest != digest || proxy.Injected(f) < 3 {
			t.Errorf("fault %d, %d times: %+v", f, proxy.Injected(f), res)
		}
	}
	// What the probe says is what happens.
	other, _ := dataSet(t, 2, 500, 62)
	var once sync.Once
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/horseseg.yaml") {
			once.Do(func() {
				if _, err := b.Push(t.Context(), other, Request{Names: horseseg}); err != nil {
					t.Error(err)
				}
			})
		}
		return s3test.Pass
	})
	next, _ := dataSet(t, 2, 500, 63)
	won, err := open(t, proxy.URL, place).Push(t.Context(), next, Request{Names: horseseg})
	if (err == nil) != (won != nil && won.Unguarded) {
		t.Errorf("two pushers: %+v, %v", won, err)
	}
}

// A server that ignores conditions is found out by one request for each push that changes an index, and push says so; one that refuses to know
// them, too, and the index is sent without.
func TestUnguarded(t *testing.T) {
	srv := s3test.Start(t)
	for name, fault := range map[string]s3test.Fault{"ignored": s3test.Unconditional, "refused": s3test.NotImplemented} {
		var probes atomic.Int64
		proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
			if r.Header.Get("If-Match") == "" && r.Header.Get("If-None-Match") == "" {
				return s3test.Pass
			}
			if !strings.HasSuffix(r.URL.Path, "/horseseg.yaml") {
				probes.Add(1)
			}
			return fault
		})
		b := open(t, proxy.URL, place+name)
		s, digest := dataSet(t, 2, 500, 64)
		if res := mustPush(t, b, s, Request{}); !res.Unguarded || res.NoMetadata || res.Manifest != digest || probes.Load() != 1 {
			t.Errorf("%s: %d probes, %+v", name, probes.Load(), res)
		}
		if res := mustPush(t, b, s, Request{}); res.Unguarded || probes.Load() != 1 {
			t.Errorf("%s: nothing changes: %d probes, %+v", name, probes.Load(), res)
		}
		digest = fill(t, s, 2, 500, 65)
		if res := mustPush(t, b, s, Request{}); !res.Unguarded || res.Manifest != digest || probes.Load() != 2 {
			t.Errorf("%s: %d probes, %+v", name, probes.Load(), res)
		}
		mustPull(t, b, Request{})
	}
	if res := mustPush(t, open(t, srv.URL, place), func() *manifests.Store { s, _ := dataSet(t, 1, 50, 66); return s }(), Request{}); res.Unguarded || res.NoMetadata {
		t.Errorf("a server that guards: %+v", res)
	}
}

// A server without user metadata takes everything, and push says what that means; pull compares all bytes with the manifest as ever.
func TestNoMetadata(t *testing.T) {
	srv := s3test.Start(t)
	proxy := s3test.NewProxy(t, srv, func(*http.Request) s3test.Fault { return s3test.NoMetadata })
	b := open(t, proxy.URL, place)
	s, digest := dataSet(t, 1, 6<<20, 67) // in parts
	for range 2 {
		if res := mustPush(t, b, s, Request{Verify: true}); res.Manifest != digest {
			t.Errorf("%+v", res)
		}
		if _, res := mustPull(t, b, Request{}); res.Manifest != digest {
			t.Errorf("%+v", res)
		}
	}
	fill(t, s, 1, 500, 68)
	if res := mustPush(t, b, s, Request{Verify: true}); !res.NoMetadata || res.Unguarded {
		t.Errorf("%+v", res)
	}
}

// A clock that is wrong is made up for once, with the time that the server says.
func TestClockSkew(t *testing.T) {
	srv := s3test.Start(t)
	const off = 10 * time.Minute // what versitygw still takes
	var refused atomic.Int64
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err == nil && time.Now().Add(off).Sub(at).Abs() < off/2 {
			return s3test.Later
		}
		refused.Add(1)
		return s3test.SkewLater
	})
	b := open(t, proxy.URL, place)
	s, digest := dataSet(t, 2, 500, 69)
	if res := mustPush(t, b, s, Request{}); res.Manifest != digest || refused.Load() != 1 {
		t.Errorf("%d requests were refused, %+v", refused.Load(), res)
	}
}

// A 412 for a part, which is sent without a condition, is named.
func TestPartRefused(t *testing.T) {
	srv := s3test.Start(t)
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.URL.Query().Has("partNumber") {
			return s3test.Precondition
		}
		return s3test.Pass
	})
	s, _ := dataSet(t, 1, 6<<20, 60)
	_, err := open(t, proxy.URL, place).Push(t.Context(), s, Request{Names: horseseg})
	if err == nil || !strings.Contains(err.Error(), "refuses it with HTTP 412, although it was sent without a condition") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// pushed is a place to which a data set was pushed, and its folder on the server's disk.
func pushed(t *testing.T) (b *Bucket, root string) {
	t.Helper()
	srv := s3test.Start(t)
	b = open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 59)
	mustPush(t, b, s, Request{})
	return b, filepath.Join(srv.Root, s3test.Bucket, "a/b")
}

// A manifest of a mirror that is cut at any byte is an error, or is found while it is read; it is never left out.
func TestCutIndex(t *testing.T) {
	b, root := pushed(t)
	name, sums := filepath.Join(root, "horseseg.yaml"), filepath.Join(root, "SHA256SUMS")
	whole, err := os.ReadFile(name)
	try(t, err)
	for _, withSums := range []bool{true, false} {
		if !withSums {
			try(t, os.Remove(sums))
		}
		for n := 0; n < len(whole); n += 1 + n%11 {
			if !withSums && n < len("schema: ") {
				continue // nothing tells what it was
			}
			if err := errors.Join(os.Remove(name), os.WriteFile(name, whole[:n], 0o666)); err != nil { // a new file has no metadata
				t.Fatal(err)
			}
			list, err := b.List(t.Context())
			if err == nil {
				err = b.Whole(t.Context(), list)
			}
			if err == nil && len(list.DataSets) == 1 {
				var into *manifests.Store
				if into, err = manifests.OpenStore(t.TempDir()); err == nil {
					_, err = b.Pull(t.Context(), into, Request{Names: horseseg})
				}
			}
			if err == nil {
				t.Errorf("cut to %d of %d bytes, sums %v: no error", n, len(whole), withSums)
			}
		}
	}
}

// An index with which no sha256 is kept is held against its line in SHA256SUMS before anything is taken; without a line or a list, what
// does not fit is said to be cut short.
func TestChangedIndex(t *testing.T) {
	b, root := pushed(t)
	name, sums := filepath.Join(root, "horseseg.yaml"), filepath.Join(root, "SHA256SUMS")
	index, err := os.ReadFile(name)
	try(t, err)
	list, err := os.ReadFile(sums)
	try(t, err)
	without := ""
	for line := range strings.Lines(string(list)) {
		if !strings.HasSuffix(line, "  horseseg.yaml\n") {
			without += line
		}
	}
	edit := func(old, new string) string {
		out := strings.Replace(string(index), old, new, 1)
		if out == string(index) {
			t.Fatalf("nothing to edit: %s", index)
		}
		return out
	}
	for _, c := range []struct{ what, index, list, want string }{
		{"as it was", string(index), string(list), ""},
		{"without a list", string(index), "", ""},
		{"another seed", edit("\nseed: ", "\nseed: 1"), string(list), "a/b/horseseg.yaml: it is not what SHA256SUMS there lists: got sha256 "},
		{"without its settings", string(index)[:strings.LastIndex(string(index)[:len(index)-1], "\n")+1], string(list), "push it again"},
		{"without its line", string(index), without, "want a line for it"},
		{"other records, without a list", edit("\nrecords: ", "\nrecords: 1"), "", "a/b/horseseg.yaml: is cut short or changed: push it again: "},
	} {
		err := errors.Join(os.Remove(name), os.WriteFile(name, []byte(c.index), 0o666)) // a new file has no metadata
		os.Remove(sums)
		if c.list != "" {
			err = errors.Join(err, os.WriteFile(sums, []byte(c.list), 0o666))
		}
		try(t, err)
		into, err := manifests.OpenStore(t.TempDir())
		try(t, err)
		_, err = b.Pull(t.Context(), into, Request{Names: horseseg})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(into.Dir(), "images")); c.want != "" && err == nil {
			t.Errorf("%s: something was taken", c.what)
		}
	}
}

// A mirror that lacks an index whose parts, or whose line in SHA256SUMS, are there is refused, and the index named.
func TestMissingIndex(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 61)
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	if _, err := manifests.WriteListed(s, "stages/split", m); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Push(t.Context(), s, Request{Names: []string{"stages/split", "horseseg"}}); err != nil {
		t.Fatal(err)
	}
	whole := func() error {
		list, err := b.List(t.Context())
		try(t, err)
		return b.Whole(t.Context(), list)
	}
	if err := whole(); err != nil {
		t.Fatalf("a whole place: %v", err)
	}
	root := filepath.Join(srv.Root, s3test.Bucket, "a/b")
	sums := filepath.Join(root, "SHA256SUMS")
	list, err := os.ReadFile(sums)
	try(t, err)
	parts := filepath.Join(root, "stages/split.d")
	for _, c := range []struct {
		name string
		gone func() error
		want string
	}{
		{"the index", func() error { return os.Remove(filepath.Join(root, "stages/split.yaml")) }, "stages/split.yaml: the manifest is missing"},
		{"index and list", func() error { return os.Remove(sums) }, "stages/split.yaml: the manifest is missing"},
		{"index, list and parts", func() error { return os.RemoveAll(parts) }, ""},
		{"index and parts, with another stage", func() error {
			return errors.Join(os.WriteFile(sums, list, 0o666), os.WriteFile(filepath.Join(root, "stages/x.csv"), []byte("x"), 0o666))
		}, "stages/split.yaml: the manifest is missing"},
		{"all stages", func() error { return os.RemoveAll(filepath.Join(root, "stages")) }, ""},
		{"the only manifest", func() error { return os.Remove(filepath.Join(root, "horseseg.yaml")) }, "horseseg.yaml: the manifest is missing"},
	} {
		try(t, c.gone())
		if err := whole(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s gone: got %v, want %q", c.name, err, c.want)
		}
	}
}

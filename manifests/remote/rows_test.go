package remote

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// Row 63: an object with content whose name ends in "/" is named, and neither fetched nor deleted; one without content, another tool's
// folder, is nothing to speak of.
func TestRow63Markers(t *testing.T) {
	srv := s3test.Start(t)
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.URL.Query().Has("list-type") {
			return s3test.Marker
		}
		return s3test.Pass
	})
	b := open(t, proxy.URL, place)
	s, digest := dataSet(t, 2, 500, 63)
	mustPush(t, b, s, Request{})
	want := []string{"images/"}
	res := mustPush(t, b, s, Request{Delete: true, MaxDelete: 100})
	if !slices.Equal(res.Markers, want) || len(res.Deleted) != 0 || res.Sent != 0 {
		t.Errorf("push: got %+v, want marker %v and nothing done", res, want)
	}
	list, err := b.List(t.Context())
	if err != nil || !slices.Equal(list.Markers, want) || list.Objects != 8+3 {
		t.Errorf("list: got %+v, %v, want marker %v beside 11 objects", list, err, want)
	}
	if _, res := mustPull(t, b, Request{}); res.Manifest != digest || res.Sent != 8 {
		t.Errorf("pull: got %+v", res)
	}
}

// Row 79: a big file whose transfer broke is fetched from where it broke: of 12 MB, no more is asked for again than had not arrived.
func TestRow79Resume(t *testing.T) {
	srv := s3test.Start(t)
	direct := open(t, srv.URL, place)
	s, digest := dataSet(t, 1, 12<<20, 79)
	mustPush(t, direct, s, Request{})
	var broken atomic.Bool
	var ranges atomic.Int32
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/images/") {
			return s3test.Pass
		}
		if v := r.Header.Get("Range"); v != "" {
			if v == "bytes=0-" || !strings.HasSuffix(v, "-") {
				t.Errorf("asked for %q", v)
			}
			ranges.Add(1)
		}
		if broken.CompareAndSwap(false, true) {
			return s3test.Truncate
		}
		return s3test.Pass
	})
	to, err := manifests.OpenStore(filepath.Join(t.TempDir(), "pulled"))
	try(t, err)
	b := open(t, proxy.URL, place)
	b.opts.Attempts, b.opts.Workers = 1, 1 // so that the first pull ends there, as when its process died, and with one file on its way
	if _, err := b.Pull(t.Context(), to, Request{Names: horseseg}); err == nil || errors.Is(err, context.Canceled) {
		t.Fatalf("a pull that was cut: got %v, want an error", err)
	}
	parts, err := filepath.Glob(filepath.Join(to.Dir(), "*", "*.part"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("what arrived: got %v, %v, want one .part", parts, err)
	}
	if st, err := os.Stat(parts[0]); err != nil || st.Size() != 6<<20 {
		t.Errorf("what arrived: got %v, %v, want the first half", st, err)
	}
	res, err := b.Pull(t.Context(), to, Request{Names: horseseg})
	if err != nil || res.Manifest != digest {
		t.Fatalf("again: %+v, %v", res, err)
	}
	if ranges.Load() != 1 {
		t.Errorf("got %d requests for the rest of the file, want 1", ranges.Load())
	}
	checked(t, to)
}

package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests/remote/s3test"
)

// Where the server's disk is full, at whatever object, a push ends in one line that says so. What a reader finds is the manifest that was there before, whole,
// or none; when there is room again the same push finishes.
func TestServerFull(t *testing.T) {
	srv := s3test.StartSmall(t, 64<<20)
	b := open(t, srv.URL, place)
	s, first := dataSet(t, 4, 200_000, 41) // 1.6 MB
	index := filepath.Join(srv.Root, s3test.Bucket, "a/b/horseseg.yaml")
	full := 0
	push := func(free int) {
		t.Helper()
		defer srv.Fill(t, free)()
		_, err := b.Push(t.Context(), s, Request{Names: horseseg})
		if err == nil {
			return
		}
		full++
		if !strings.Contains(err.Error(), "the server's disk is full: make room there") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes free: got %v", free, err)
		}
	}
	push(500_000)
	if _, err := os.Stat(index); err == nil {
		t.Error("a manifest is there, and not all that it names")
	}
	if res := mustPush(t, b, s, Request{}); res.Manifest != first {
		t.Errorf("with room: %+v", res)
	}
	second := fill(t, s, 2, 12<<20, 42) // in parts of 5 MiB; the old objects stay
	for _, free := range []int{4096, 3 << 20, 30 << 20} {
		push(free)
		if _, res := mustPull(t, b, Request{}); res.Manifest != first {
			t.Errorf("%d bytes free: pulled %s, want the one before", free, res.Manifest.Short())
		}
	}
	if full != 4 {
		t.Errorf("the disk was full %d times, want 4", full)
	}
	srv2 := s3test.StartSmall(t, 128<<20) // 48 MB, and their parts meanwhile
	b = open(t, srv2.URL, place)
	if res := mustPush(t, b, s, Request{}); res.Manifest != second {
		t.Errorf("with room: %+v", res)
	}
	mustPull(t, b, Request{})
}

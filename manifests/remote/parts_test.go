package remote

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// Before every write and delete of a push over another manifest, and after the last, the index that is there names parts that are there with their bytes, under the names
// that it gives them: also for readers that know nothing of this program.
func TestPartsOfAnyIndex(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 2, 500, 53)
	direct := open(t, srv.URL, place)
	mustPush(t, direct, s, Request{})
	next, digest := dataSet(t, 3, 500, 54)
	root := filepath.Join(srv.Root, s3test.Bucket, "a/b")
	looked, seen := 0, map[manifests.Digest]bool{}
	look := func() {
		index, err := os.ReadFile(filepath.Join(root, "horseseg.yaml"))
		if err != nil {
			t.Error(err)
			return
		}
		h, err := parseHead(index)
		if err != nil {
			t.Error(err)
			return
		}
		for _, c := range h.pieces() {
			if sum, err := manifests.SumFile(filepath.Join(root, c.Path)); err != nil || sum != c.SHA256 {
				t.Errorf("%s: got %s, %v, want %s", c.Path, sum.Short(), err, c.SHA256.Short())
			}
		}
		looked++
		seen[manifests.Sum(index)] = true
	}
	var one sync.Mutex
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		one.Lock()
		defer one.Unlock()
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			look()
		}
		return s3test.Pass
	})
	mustPush(t, open(t, proxy.URL, place), next, Request{Delete: true, MaxDelete: 100})
	look()
	if looked < 12+2+2 || len(seen) != 2 || !seen[digest] {
		t.Errorf("looked %d times, at %v", looked, seen)
	}
	entries, err := os.ReadDir(filepath.Join(root, "horseseg.d"))
	if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Name(), "0000.") {
		t.Errorf("parts: %v, %v", entries, err)
	}
}

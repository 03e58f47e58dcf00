package remote

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// earlier gives the one part of a manifest the name that earlier versions wrote, and returns the index's digest.
func earlier(t testing.TB, s *manifests.Store) manifests.Digest {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.Dir(), "horseseg.d", "0000.*.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.Rename(found[0], filepath.Join(s.Dir(), "horseseg.d", "0000.yaml")); err != nil {
		t.Fatal(err)
	}
	index, err := s.Read("horseseg.yaml", "")
	if err != nil {
		t.Fatal(err)
	}
	index = bytes.ReplaceAll(index, []byte(filepath.Base(found[0])), []byte("0000.yaml"))
	if err := s.Replace("horseseg.yaml", index); err != nil {
		t.Fatal(err)
	}
	m, digest, err := manifests.Read(s, "horseseg")
	if err == nil {
		var list []byte
		if list, err = manifests.Sums(s, "horseseg", m); err == nil {
			err = s.Replace(manifests.SumsFile, list)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// A set that an earlier version wrote is pushed, pulled with the same bytes, pulled in part, and replaced by one of today.
func TestEarlierParts(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 51)
	digest := earlier(t, s)
	for range 2 {
		if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
			t.Errorf("push: %+v", res)
		}
	}
	back, res := mustPull(t, b, Request{})
	if res.Manifest != digest {
		t.Errorf("pull: %+v", res)
	}
	for _, name := range []string{"horseseg.yaml", "horseseg.d/0000.yaml", manifests.SumsFile} {
		want, err := s.Read(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := back.Read(name, ""); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d other bytes came back, %v", name, len(got), err)
		}
	}
	if _, res := mustPull(t, b, Request{Choice: Choice{Splits: []manifests.Split{manifests.Test}}}); res.Sent != 4 {
		t.Errorf("a choice: %+v", res)
	}
	next, now := dataSet(t, 2, 500, 52)
	mustPush(t, b, next, Request{})
	if _, res := mustPull(t, b, Request{}); res.Manifest != now {
		t.Errorf("pull: %+v", res)
	}
	if res := mustPush(t, b, next, Request{Delete: true, MaxDelete: 100}); !slices.Contains(res.Deleted, "horseseg.d/0000.yaml") || len(res.Deleted) != 8+2 {
		t.Errorf("delete: %+v", res)
	}
	mustPull(t, b, Request{})
}

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

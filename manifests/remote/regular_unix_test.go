//go:build unix

package remote

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// A pipe in the place of any file of a data set is refused, not waited for, on either side.
func TestPipes(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	whole, _ := dataSet(t, 1, 100, 1)
	mustPush(t, b, whole, Request{})
	for _, pattern := range []string{"horseseg.yaml", "horseseg.d/*", "images/*", "masks/*", "SHA256SUMS"} {
		s, _ := dataSet(t, 1, 100, 1)
		names, err := filepath.Glob(filepath.Join(s.Dir(), pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %v", pattern, names, err)
		}
		try(t, os.Remove(names[0]))
		try(t, unix.Mkfifo(names[0], 0o666))
		refused := func(what string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), filepath.Base(names[0])+": is no regular file") {
				t.Errorf("%s: %s: got %v", what, pattern, err)
			}
		}
		if pattern != "SHA256SUMS" { // which push does not read
			_, err = b.Push(t.Context(), s, Request{Names: horseseg})
			refused("push", err)
		}
		if pattern == "horseseg.d/*" {
			continue // a pull replaces parts and reads none
		}
		to, err := manifests.OpenStore(s.Dir())
		try(t, err)
		_, err = b.Pull(t.Context(), to, Request{Names: horseseg})
		refused("pull", err)
	}
}

// What a pull deletes may have any name that a file system takes: what no list can name goes too, and the folder stays one that opens.
func TestDeleteOddNames(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, digest := dataSet(t, 1, 100, 1)
	mustPush(t, b, s, Request{})
	odd := []string{"images/a\nb.png", "images/plain extra.png", "masks/back\\slash.png", "masks/t\tab.png", "masks/\xff.png"}
	for _, p := range odd {
		try(t, os.WriteFile(filepath.Join(s.Dir(), p), nil, 0o666))
	}
	if res, err := b.Pull(t.Context(), s, Request{Names: horseseg, Delete: true, MaxDelete: 4}); err == nil || !there(filepath.Join(s.Dir(), odd[0])) {
		t.Errorf("more than --max-delete: %+v, %v", res, err)
	}
	res, err := b.Pull(t.Context(), s, Request{Names: horseseg, Delete: true, MaxDelete: 5})
	if err != nil || res.Manifest != digest || !slices.Equal(res.Deleted, odd) {
		t.Errorf("got %+v, %v", res, err)
	}
	for _, p := range odd {
		if there(filepath.Join(s.Dir(), p)) {
			t.Errorf("%q is still there", p)
		}
	}
	again, err := manifests.OpenStore(s.Dir())
	try(t, err)
	checked(t, again)
}

//go:build unix

package remote

import (
	"os"
	"path/filepath"
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
		if err := os.Remove(names[0]); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(names[0], 0o666); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Pull(t.Context(), to, Request{Names: horseseg})
		refused("pull", err)
	}
}

package remote

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// Of two pulls into one folder at once the second ends with one line that says so, and the first as if alone; a pull that was killed is in nobody's way.
func TestTwoPulls(t *testing.T) {
	srv := s3test.Start(t)
	s, digest := dataSet(t, 2, 500, 71)
	direct := open(t, srv.URL, place)
	mustPush(t, direct, s, Request{})
	into, err := manifests.OpenStore(filepath.Join(t.TempDir(), "into"))
	try(t, err)
	if err := os.WriteFile(filepath.Join(into.Dir(), ".pull.lock"), nil, 0o666); err != nil { // as of one that was killed
		t.Fatal(err)
	}
	var once sync.Once
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/images/") {
			once.Do(func() {
				_, err := direct.Pull(t.Context(), into, Request{Names: horseseg})
				if locked := (*manifests.LockedError)(nil); !errors.As(err, &locked) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the second: %v", err)
				}
				if res, err := direct.Pull(t.Context(), into, Request{Names: horseseg, DryRun: true}); err != nil || res.Objects != 8 { // it is in nobody's way
					t.Errorf("a dry run: %+v, %v", res, err)
				}
			})
		}
		return s3test.Pass
	})
	res, err := open(t, proxy.URL, place).Pull(t.Context(), into, Request{Names: horseseg})
	if err != nil || res.Manifest != digest || res.Sent != 8 {
		t.Errorf("the first: %+v, %v", res, err)
	}
	checked(t, into)
	if left, err := filepath.Glob(filepath.Join(into.Dir(), ".pull*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

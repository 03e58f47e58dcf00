package remote

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// exchange connects an empty store with a bucket.
func exchange(t *testing.T, b *Bucket, kept string, most int64) (*manifests.Store, *Exchange) {
	t.Helper()
	s, err := manifests.OpenStore(t.TempDir())
	try(t, err)
	x, err := NewExchange(t.Context(), b, s, kept, most)
	try(t, err)
	return s, x
}

// What one store sends another fetches, or reads by its digest; only what is new is sent; what is read is kept by its digest, as far as there is
// room; a damaged copy is fetched again; what is not there is fs.ErrNotExist.
func TestExchange(t *testing.T) {
	srv := s3test.Start(t)
	sent := 0
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut {
			sent++
		}
		return s3test.Pass
	})
	b := open(t, proxy.URL, place)
	a, x := exchange(t, b, t.TempDir(), 1<<20)
	var paths []string
	var sums []manifests.Digest
	for i := range 6 {
		p, sum, err := a.Put("images", string(rune('a'+i)), "bin", bytes.Repeat([]byte{byte(i)}, 1000))
		try(t, err)
		paths, sums = append(paths, p), append(sums, sum)
	}
	for p, text := range map[string]string{"notes/one": "1", "notes/two": "2", "left/out": "no"} {
		try(t, a.Replace(p, []byte(text)))
	}
	send := func(skip func(string) bool) {
		t.Helper()
		try(t, x.Send(t.Context(), skip))
	}
	send(func(p string) bool { return strings.HasPrefix(p, "left/") })
	if _, err := os.Stat(filepath.Join(srv.Root, s3test.Bucket, "a/b/left/out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was to be left out: %v", err)
	}
	try(t, a.Replace("notes/two", []byte("22")))
	send(func(p string) bool { return strings.HasPrefix(p, "left/") })
	if sent != 9 { // eight, and the one that changed
		t.Errorf("sent %d objects, want 9", sent)
	}
	kept := t.TempDir()
	c, y := exchange(t, b, kept, 2500)
	try(t, y.Fetch(t.Context(), "notes/"))
	for p, want := range map[string]string{"notes/one": "1", "notes/two": "22"} {
		if got, err := c.Read(p, ""); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", p, got, err, want)
		}
	}
	for i, p := range paths {
		got, err := c.Read(p, sums[i])
		if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, 1000)) {
			t.Errorf("%s: got %d bytes, %v", p, len(got), err)
		}
		if name := y.cache.name(sums[i]); i == 5 { // damaged on the disk
			try(t, os.WriteFile(name, []byte("x"), 0o666))
		} else {
			old := time.Now().Add(-time.Hour + time.Duration(i)*time.Minute)
			_ = os.Chtimes(name, old, old) // it may have gone already
		}
	}
	if got, err := c.Read(paths[5], sums[5]); err != nil || len(got) != 1000 {
		t.Errorf("after damage: got %d bytes, %v", len(got), err)
	}
	exchange(t, b, kept, 2500) // the next process
	total, files := int64(0), 0
	err := filepath.WalkDir(kept, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			st, err := d.Info()
			if err != nil {
				return err
			}
			total, files = total+st.Size(), files+1
		}
		return err
	})
	if err != nil || total > 2500 || files == 0 {
		t.Errorf("kept: %d bytes in %d files, %v; want at most 2500", total, files, err)
	}
	if _, err := os.Stat(filepath.Join(c.Dir(), "images")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("pictures in the store: %v, want none: they are read from the bucket", err)
	}
	if _, err := c.Read("images/none.bin", sums[0]+"0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("not there: got %v", err)
	}
	try(t, os.Remove(filepath.Join(c.Dir(), "notes", "one")))
	try(t, y.Prune(t.Context(), "notes/"))
	l, err := b.list(t.Context())
	if _, there := l.entries["notes/one"]; err != nil || there || len(l.entries) != 7 {
		t.Errorf("after Prune: %v, %v; want all but notes/one", l, err)
	}
	try(t, y.Remove(t.Context(), "notes/", "images/"))
	if l, err := b.list(t.Context()); err != nil || len(l.entries) != 0 {
		t.Errorf("after Remove: %v, %v", l, err)
	}
}

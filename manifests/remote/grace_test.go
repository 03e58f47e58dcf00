package remote

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

const quarter = 15 * time.Minute

// leave puts an object there that no manifest names, as a push that was killed does, and says how old it is.
func leave(t *testing.T, srv *s3test.Server, b *Bucket, path string, data []byte, age time.Duration) (file string) {
	t.Helper()
	try(t, b.putBytes(t.Context(), path, data, manifests.Sum(data), nil))
	file = filepath.Join(srv.Root, s3test.Bucket, "a/b", path)
	try(t, os.Chtimes(file, time.Time{}, time.Now().Add(-age)))
	return file
}

func there(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// Deletion leaves what is young and not named by the manifest that it replaces, and what was sent again while it ran; the rest goes, however young.
func TestDeleteGrace(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 61)
	mustPush(t, b, s, Request{}) // a moment ago
	young := leave(t, srv, b, "images/young.png", []byte("young"), quarter-time.Minute)
	old := leave(t, srv, b, "images/old.png", []byte("old"), quarter+time.Minute)
	again := leave(t, srv, b, "images/again.png", []byte("again"), quarter+time.Minute)
	next, _ := dataSet(t, 2, 500, 62)
	dry := mustPush(t, b, next, Request{Delete: true, MaxDelete: 100, Grace: quarter, DryRun: true})
	if dry.Young != 1 || len(dry.Deleted) != 8+1+2 || slices.Contains(dry.Deleted, "images/young.png") {
		t.Errorf("dry run: %+v", dry)
	}
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/horseseg.yaml") { // by another push
			if err := os.Chtimes(again, time.Time{}, time.Now()); err != nil {
				t.Error(err)
			}
		}
		return s3test.Pass
	})
	res := mustPush(t, open(t, proxy.URL, place), next, Request{Delete: true, MaxDelete: 11, Grace: quarter})
	if res.Young != 1 || len(res.Deleted) != 8+1+1 || !there(young) || there(old) || !there(again) {
		t.Errorf("%+v; young, old, again: %v, %v, %v", res, there(young), there(old), there(again))
	}
	if res := mustPush(t, b, next, Request{Delete: true, MaxDelete: 2}); len(res.Deleted) != 2 || there(young) {
		t.Errorf("without grace: %+v", res)
	}
	mustPull(t, b, Request{})
}

// An object and a part that were there when a push began, of one that was killed, and that another push deletes meanwhile, are there again before the manifest names it.
func TestLeaningObjectIsDeleted(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, digest := dataSet(t, 2, 500, 63)
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	path := m.Records[0].Image.Path
	data, err := s.Read(path, "")
	try(t, err)
	found, err := filepath.Glob(filepath.Join(s.Dir(), "horseseg.d", "0000.*.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	part := "horseseg.d/" + filepath.Base(found[0])
	text, err := s.Read(part, "")
	try(t, err)
	files := []string{leave(t, srv, b, path, data, time.Hour), leave(t, srv, b, part, text, time.Hour)}
	lists, published := 0, false
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.URL.Query().Has("list-type") {
			if lists++; lists == 2 {
				for _, file := range files {
					if err := os.Remove(file); err != nil {
						t.Error(err)
					}
				}
			}
		}
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/horseseg.yaml") {
			published = true
			for _, file := range files {
				if !there(file) {
					t.Errorf("the manifest is sent, and %s, which it names, is missing", filepath.Base(file))
				}
			}
		}
		return s3test.Pass
	})
	if res := mustPush(t, open(t, proxy.URL, place), s, Request{}); res.Kept != 1 || lists != 3 || !published {
		t.Errorf("%+v, %d lists, published: %v", res, lists, published)
	}
	if _, res := mustPull(t, b, Request{}); res.Manifest != digest {
		t.Errorf("%+v", res)
	}
}

// What the manifest there names is not asked for again, unless it is to be verified: then what has lost its sha256 is sent again.
func TestVerify(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 64)
	mustPush(t, b, s, Request{})
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	file := filepath.Join(srv.Root, s3test.Bucket, "a/b", m.Records[1].Image.Path)
	try(t, os.Remove(file))
	if err := os.WriteFile(file, make([]byte, 500), 0o644); err != nil { // of the same size
		t.Fatal(err)
	}
	if res := mustPush(t, b, s, Request{}); res.Sent != 0 || res.Verified != 0 {
		t.Errorf("%+v", res)
	}
	if res := mustPush(t, b, s, Request{Verify: true}); res.Verified != 8 || res.Repaired != 1 {
		t.Errorf("%+v", res)
	}
	if res := mustPush(t, b, s, Request{Verify: true}); res.Verified != 8 || res.Repaired != 0 {
		t.Errorf("%+v", res)
	}
	mustPull(t, b, Request{})
}

// The list for sha256sum that lies beside a manifest of some records names those and its own parts, and no other.
func TestSumsOfChoice(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 3, 500, 65)
	mustPush(t, b, s, Request{Choice: Choice{Splits: []manifests.Split{manifests.Test}}})
	root := filepath.Join(srv.Root, s3test.Bucket, "a/b")
	data, err := os.ReadFile(filepath.Join(root, manifests.SumsFile))
	try(t, err)
	sums, err := manifests.ParseSums(data)
	if err != nil || len(sums) != 2*3+2 {
		t.Errorf("%d files, %v", len(sums), err)
	}
	for path, want := range sums {
		if got, err := manifests.SumFile(filepath.Join(root, path)); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", path, got.Short(), err, want.Short())
		}
	}
	back, _ := mustPull(t, b, Request{})
	if got, err := back.Read(manifests.SumsFile, ""); err != nil || string(got) != string(data) {
		t.Errorf("pulled: %d other bytes, %v", len(got), err)
	}
}

// A push with nothing to do costs as many requests for any number of objects, but for the pages of one listing.
func TestNothingToDo(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 5, 500, 66)
	requests := map[string]int{}
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		kind := r.Method
		if r.URL.Query().Has("list-type") {
			kind = "list"
		}
		requests[kind]++
		return s3test.Pass
	})
	b := open(t, proxy.URL, place)
	mustPush(t, b, s, Request{})
	clear(requests)
	if res := mustPush(t, b, s, Request{}); res.Kept != 20 {
		t.Errorf("%+v", res)
	}
	// HEAD of the part and of SHA256SUMS; GET of the index and of the unfinished uploads.
	if want := map[string]int{"list": 1, "HEAD": 2, "GET": 2}; !maps.Equal(requests, want) {
		t.Errorf("got %v, want %v", requests, want)
	}
}

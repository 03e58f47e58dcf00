package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// Paths of a foreign index that lie elsewhere than a data set's files are refused; reading it refuses those outside of images/ and masks/.
func TestAcceptPaths(t *testing.T) {
	for _, c := range []struct {
		path string
		ok   bool
	}{
		{"images/a.png", true}, {"masks/x/a.png", true},
		{".bashrc", false}, {".git/hooks/pre-commit", false}, {"images/.git/config", false}, {"masks/.a.png", false},
	} {
		if err := acceptObjects([]File{{"images/first.png", ""}, {c.path, ""}}); (err == nil) != c.ok {
			t.Errorf("object %q: got %v, want accepted %v", c.path, err, c.ok)
		}
	}
	for _, c := range []struct {
		name, part string
		ok         bool
	}{
		{"horseseg", "horseseg.d/0000.yaml", true}, {"stages/ingest", "stages/ingest.d/skipped.yaml", true},
		{".github/workflows/ci", ".github/workflows/ci.d/0000.yaml", false}, {"a/.b", "a/.b.d/0000.yaml", false}, {"images/a", "images/a.d/0000.yaml", false},
		{"horseseg", "horseseg.d/x/0000.yaml", false}, {"horseseg", "setup.yaml", false}, {"horseseg", "other.d/0000.yaml", false}, {"horseseg", "horseseg.d/.x", false},
	} {
		if err := acceptHead(&head{Name: c.name, Skipped: []File{{Path: c.part}}}); (err == nil) != c.ok {
			t.Errorf("manifest %q, part %q: got %v, want accepted %v", c.name, c.part, err, c.ok)
		}
	}
}

// A pull writes over no file that is not the data set's own, unless told to.
func TestPullSparesOthers(t *testing.T) {
	srv := s3test.Start(t)
	horse, digest := dataSet(t, 1, 100, 1)
	b := open(t, srv.URL, place)
	mustPush(t, b, horse, Request{})
	for _, c := range []struct{ file, data, want string }{
		{"horseseg.yaml", "my: notes\n", "another file is there"},
		{"SHA256SUMS", "a list of mine\n", "a list is there that hdseg did not write"},
		{"SHA256SUMS", strings.Repeat("0", 64) + "  disk.iso\n", "a list is there that hdseg did not write"},
		{"SHA256SUMS", strings.Repeat("0", 64) + "  stages/x.agreement.csv\n", "a list is there that hdseg did not write"},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, c.file)
		try(t, os.WriteFile(name, []byte(c.data), 0o666))
		s, err := manifests.OpenStore(dir)
		try(t, err)
		if _, err := b.Pull(t.Context(), s, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--replace") {
			t.Errorf("%s %q: got %v, want %q", c.file, c.data, err, c.want)
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != c.data || there(filepath.Join(dir, "images")) || there(filepath.Join(dir, workDir)) {
			t.Errorf("%s holds %q, %v, or images were fetched", c.file, now, err)
		}
		if _, err := b.Pull(t.Context(), s, Request{Names: horseseg, Replace: true}); err != nil {
			t.Error(err)
		}
		checked(t, s)
	}
	own := strings.Repeat("0", 64) + "  stages/a.b.yaml\n" + strings.Repeat("0", 64) + "  stages/a.b.agreement.csv\n" // as a build writes it
	if s, err := manifests.OpenStore(t.TempDir()); err != nil || s.Replace("SHA256SUMS", []byte(own)) != nil {
		t.Fatal(err)
	} else if _, err := b.Pull(t.Context(), s, Request{Names: horseseg}); err != nil {
		t.Errorf("with lists beside a stage: %v", err)
	}
	dog, _ := dataSet(t, 1, 100, 2)
	was := rewrite(t, dog, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Dataset = "dogseg" })
	if _, err := b.Pull(t.Context(), dog, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), `the data set "dogseg" is there and would be replaced by "horseseg"`) {
		t.Errorf("got %v", err)
	}
	if _, now, err := manifests.Read(dog, "horseseg"); err != nil || now != was {
		t.Errorf("%s, %v: the data set here was replaced", now, err)
	}
	if res, err := b.Pull(t.Context(), dog, Request{Names: horseseg, Replace: true}); err != nil || res.Manifest != digest {
		t.Errorf("%+v, %v", res, err)
	}
}

// Archives over a file of the user are refused before anything is written.
func TestPullRefusesForeignPaths(t *testing.T) {
	b := open(t, s3test.Start(t).URL, place)
	to, err := manifests.OpenStore(t.TempDir())
	try(t, err)
	data, mine := []byte("#!/bin/sh\n"), filepath.Join(to.Dir(), "tools", "run.sh")
	try(t, os.MkdirAll(filepath.Dir(mine), 0o777))
	try(t, os.WriteFile(mine, []byte("mine"), 0o666))
	shards := Files{Index: "tools/shards.json", Data: []byte(`{"header":{"dataset":"horseseg"}}`), List: []File{{"tools/run.sh", manifests.Sum(data)}}}
	if _, err := b.Pull(t.Context(), to, Request{Archives: []Files{shards}}); err == nil || !strings.Contains(err.Error(), "another file is there and would be replaced") {
		t.Errorf("got %v", err)
	}
	if now, err := os.ReadFile(mine); err != nil || string(now) != "mine" || there(filepath.Join(to.Dir(), "images")) {
		t.Errorf("%q, %v, or images were fetched", now, err)
	}
}

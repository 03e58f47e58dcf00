package dense

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/lscrf/tools/dense/arraytest"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), "no array lies there") {
		t.Errorf("an empty folder: got %v", err)
	}
	put("a.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{1, 2}))
	put("more/b.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{3, 4}))
	put("wide.npy", arraytest.NPY("<f4", "False", "1, 1, 3", []float32{3, 4, 5}))
	d, err := Open(dir, "us")
	if err != nil || d.Channels != 2 || d.By != "us" {
		t.Fatalf("got %+v, %v", d, err)
	}
	pictures := &manifests.Manifest{Records: []manifests.Record{{ID: "a"}, {ID: "more/b"}, {ID: "none"}}}
	sign := func(d *feature.Dense) string {
		t.Helper()
		if err := Sign(context.Background(), d, pictures, 2); err != nil {
			t.Fatal(err)
		}
		return d.Digest
	}
	before := sign(d)
	if err := os.Symlink(dir, dir+"-link"); err == nil { // else the system has no links
		if again, err := Open(dir+"-link", "us"); err != nil || sign(again) != before {
			t.Errorf("a link to the folder: got %+v, %v, want the digest %s", again, err, before)
		}
	}
	if a, err := Read(d, "more/b", 0, 0); err != nil || a.Values[1] != 4 {
		t.Errorf("got %+v, %v", a, err)
	}
	for id, want := range map[string]string{"c": "no such file: want an array for every picture", "wide": "got 3 channels, want 2"} {
		if _, err := Read(d, id, 9, 9); err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(*SkipError)) {
			t.Errorf("%s: got %v, want %q", id, err, want)
		}
	}
	if _, err := Read(&feature.Dense{Channels: 2, By: "us"}, "a", 9, 9); err == nil || !strings.Contains(err.Error(), "(2 channels, made by us): name their folder with --dense") {
		t.Errorf("without a folder: got %v", err)
	}
	put("tall.npy", arraytest.NPY("<f4", "False", "3, 1, 2", make([]float32, 6)))
	if _, err := Read(d, "tall", 300, 400); err != nil {
		t.Errorf("a tall picture: %v", err)
	}
	if _, err := Read(d, "tall", 400, 300); err == nil || !strings.Contains(err.Error(), "tall.npy: got a grid of 1 x 3 cells (width x height) for a picture of 400 x 300") {
		t.Errorf("a wide picture: got %v", err)
	}
	put("first.npy", arraytest.NPY("<f4", "False", "48, 4, 2", make([]float32, 48*8)))
	if _, err := Read(d, "first", 300, 400); err == nil || !strings.Contains(err.Error(), "want height x width x channels of the upright picture") {
		t.Errorf("channels first: got %v", err)
	}
	if err := errors.Join(Some(d, []string{"none", "tall"}), Some(d, nil), Some(nil, []string{"none"})); err != nil {
		t.Errorf("tall is there: %v", err)
	}
	if err := Some(d, []string{"none"}); err == nil || !strings.Contains(err.Error(), "none of 1 pictures") {
		t.Errorf("none is not there: got %v", err)
	}
	if sign(d) != before {
		t.Error("arrays of other pictures, another digest")
	}
	put("a.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{1, 2.5}))
	if sign(d) == before {
		t.Error("another value, the same digest")
	}
	if err := Sign(context.Background(), nil, pictures, 1); err != nil {
		t.Error(err)
	}
}

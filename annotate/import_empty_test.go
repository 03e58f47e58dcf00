package annotate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hdseg/manifests"
)

// Unfinished work of every format is skipped and listed, taken when it is meant, and a path without masks is an error.
func TestImportUnfinished(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Class: manifests.Class{Name: "horse"}}, Records: []manifests.Record{
		{ID: "a", Split: manifests.Train, Tier: manifests.Label, Image: manifests.Image{Width: 3, Height: 2, SHA256: manifests.Sum([]byte("a"))}}}}
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const images = `"images":[{"id":1,"file_name":"a.png","width":3,"height":2}],"categories":[{"id":1,"name":"horse"}]`
	coco := file("coco.json", []byte(`{`+images+`,"annotations":[]}`))
	stray := file("stray.json", []byte(`{`+images+`,"annotations":[{"id":1,"image_id":99,"category_id":1,"iscrowd":0,"area":1,"bbox":[0,0,1,1],"segmentation":[[0,0,1,0,1,1,0,1]]}]}`))
	nothing := file("nothing.json", []byte(`{}`))
	empty := filepath.Dir(file("empty/readme.txt", nil))
	zeros := filepath.Dir(file("zeros/a.png", grey(t, 3, 2, 0, 0, 0, 0, 0, 0)))
	shapes := filepath.Dir(file("shapes/a.json", []byte(`{"shapes":[],"imageHeight":2,"imageWidth":3}`)))
	for _, c := range []struct {
		format, path string
		empty        bool
		done, skips  int
		fault        string // of the first skip, or the error
	}{
		{"coco", coco, false, 0, 1, "nothing is figure"},
		{"labelme", shapes, false, 0, 1, "nothing is figure"},
		{"png", zeros, false, 0, 1, "nothing is figure"},
		{"coco", coco, true, 1, 0, ""},
		{"labelme", shapes, true, 1, 0, ""},
		{"png", zeros, true, 1, 0, ""},
		{"coco", stray, true, 1, 1, "1 annotations of an image that the file does not list"},
		{"coco", nothing, false, 0, 0, "holds no masks"},
		{"png", empty, false, 0, 0, "holds no masks"},
	} {
		req := Request{Format: c.format, Path: c.path, By: "Ann", At: time.Unix(0, 0), Empty: c.empty, Workers: 1}
		_, done, skips, err := imported(context.Background(), m, store, req)
		fault := ""
		if err != nil {
			fault = err.Error()
		} else if len(skips) > 0 {
			fault = skips[0].Detail
		}
		if done != c.done || len(skips) != c.skips || !strings.Contains(fault, c.fault) || (fault == "") != (c.fault == "") {
			t.Errorf("%s %s, empty %v: got %d done, %d skips, %q, want %d, %d, %q", c.format, filepath.Base(c.path), c.empty, done, len(skips), fault, c.done, c.skips, c.fault)
		}
	}
}

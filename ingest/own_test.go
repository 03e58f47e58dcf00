package ingest

import (
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A data set that lies in its own source is not read as one, run after run; as the source itself it is refused.
func TestStoreInsideSource(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"masks/a.png", grayMask(40, 30, 0, 255)})
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	for run := range 3 {
		store, err := manifests.OpenStore(filepath.Join(dir, "images", "out"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(t.Context(), req, store, nil)
		if err != nil || res.Kept != 1 {
			t.Fatalf("run %d: got %d records, %v, want the one picture", run, res.Kept, err)
		}
	}
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), req, store, nil); err == nil || !strings.Contains(err.Error(), "give another -o") {
		t.Errorf("the store as its own source: got %v", err)
	}
}

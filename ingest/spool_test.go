package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hdseg/manifests"
)

// While ingest reads pictures out of what it unpacked, another process that opens the store and sweeps up leaves that alone; afterwards
// nothing is left. (Locks know handles, not processes, so that a second handle is as good.)
func TestSpoolSurvivesOpenStore(t *testing.T) {
	req := world(t)
	req.ImageNet = []string{plant(t, t.TempDir(), member{"n02374451.tar.gz", gz(tarOf(
		member{"n02374451_1.JPEG", jpegBytes(40, 30, 4)}, member{"n02374451_2.JPEG", jpegBytes(40, 30, 5)}))})}
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(store.Dir(), ".tmp")
	opened := 0
	res, err := Run(t.Context(), req, store, func(string, int, int) {
		if left, err := os.ReadDir(temp); err == nil && len(left) > 0 {
			if _, err := manifests.OpenStore(store.Dir()); err != nil {
				t.Error(err)
			}
			opened++
		}
	})
	if err != nil || opened < 2 || res.Kept != 6 || len(res.Manifest.Skipped) > 0 {
		t.Fatalf("opened %d times: %+v, %v", opened, res, err)
	}
	if left, err := os.ReadDir(temp); err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

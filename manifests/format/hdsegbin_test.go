package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Files written by h5py (see the tests of package hdf5).
func TestHDSegFile(t *testing.T) {
	for _, v := range []string{"earliest", "matlab"} {
		data, err := os.ReadFile(filepath.Join("hdf5", "testdata", v+".h5"))
		if err != nil {
			t.Fatal(err)
		}
		h, err := OpenHDSeg(bytes.NewReader(data), int64(len(data)))
		if err != nil || h.Images != 3 {
			t.Fatalf("%s: got %+v, %v", v, h, err)
		}
		if image, annotation, err := h.Names(2); err != nil || image != "imga_2007_000002.png" || annotation != "annoa_2007_000002.png" {
			t.Errorf("%s: got %s, %s, %v", v, image, annotation, err)
		}
		if _, _, err := h.Names(3); err == nil || !strings.Contains(err.Error(), "_000003") {
			t.Errorf("%s: got %v", v, err)
		}
	}
	if _, err := OpenHDSeg(strings.NewReader("no"), 2); err == nil {
		t.Error("two bytes were accepted")
	}
}

func TestHDSegName(t *testing.T) {
	for name, want := range map[string]manifests.Tier{"imga_2007_000032.png": manifests.Manual, "annob_n02374451_1234.x": manifests.BBox, "imgc_n02374451_7": manifests.Label} {
		tier, id, err := HDSegName(name)
		if err != nil || tier != want || !strings.Contains(name, id) || strings.Count(id, "_") != 1 {
			t.Errorf("%s: got %s, %s, %v", name, tier, id, err)
		}
	}
	for _, bad := range []string{"", "imgd_1_2", "a_1_2", "imga_1", "imga_1_2_3", "n02374451_1.JPEG"} {
		if _, _, err := HDSegName(bad); err == nil {
			t.Errorf("%q: accepted", bad)
		}
	}
}

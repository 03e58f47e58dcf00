package ingest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"hdseg/manifests"
)

// dataDir finds the shared real data sets, or skips.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
		t.Skipf("SKIPPED: no real data: set HDSEG_DATA (looked in %s)", dir)
	}
	return dir
}

func realRequest(dir string, class manifests.Class, wnid string) Request {
	return Request{
		Dataset: class.Name + "seg", Class: class,
		VOC:      []string{filepath.Join(dir, "VOCdevkit")},
		ImageNet: []string{filepath.Join(dir, "imagenet", wnid+".tar")},
		Boxes:    []string{filepath.Join(dir, "imagenet", "boxes")},
		Test:     filepath.Join(dir, "test", class.Name),
		Options:  Defaults(), Workers: 2, Version: "test",
	}
}

// The shared sets give the counts that their README states.
func TestRealCounts(t *testing.T) {
	dir := dataDir(t)
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("SKIPPED: about 8 s of CPU: set HDSEG_LONG=1")
	}
	for _, c := range []struct {
		class manifests.Class
		wnid  string
		want  [4]int // manual, bbox, label, test
	}{
		{Horse(), "n02374451", [4]int{147, 110, 90, 90}},
		{Dog(), "n02084071", [4]int{249, 150, 90, 110}},
	} {
		store, err := manifests.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(t.Context(), realRequest(dir, c.class, c.wnid), store, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Split(res.Manifest, SplitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, overlaps := p.Manifest, p.Overlaps
		var got [4]int
		for _, r := range m.Records {
			switch {
			case r.Split == manifests.Test:
				got[3]++
			case r.Tier == manifests.Manual:
				got[0]++
			case r.Tier == manifests.BBox:
				got[1]++
			case r.Tier == manifests.Label:
				got[2]++
			}
		}
		t.Logf("%s: read %d, kept %d, dropped %d, other %v, warnings %v, skips %d, overlaps %d", c.class.Name, res.Read, res.Kept, res.Dropped, res.Other, res.Warnings, len(res.Manifest.Skipped), len(overlaps))
		t.Log(res.Duplicates)
		if got != c.want {
			t.Errorf("%s: got %v manual, bbox, label and test records, want %v", c.class.Name, got, c.want)
		}
		for _, err := range m.Validate() {
			t.Error(err)
		}
	}
}

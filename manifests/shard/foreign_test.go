package shard

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// The webdataset library reads what was packed with equal bytes, mask pixels, boxes and counts.
func TestWebdataset(t *testing.T) {
	p := os.Getenv("HDSEG_PYTHON")
	if p == "" || exec.Command(p, "-c", "import numpy, PIL, webdataset").Run() != nil {
		t.Skip("SKIPPED: set HDSEG_PYTHON to a Python with numpy, PIL and webdataset, such as the one that .ci/run makes")
	}
	s, m, digest := world(t, 6)
	dir := filepath.Join(t.TempDir(), "shards")
	mustPack(t, s, m, digest, dir, 2)
	type object map[string]any
	var records []object
	for i := range m.Records {
		r := &m.Records[i]
		k, _ := r.MaskOf(r.Tier)
		boxes := [][4]int{}
		for _, b := range r.Boxes {
			boxes = append(boxes, [4]int{b.XMin, b.YMin, b.XMax, b.YMax})
		}
		records = append(records, object{"id": r.ID, "split": r.Split, "tier": r.Tier, "orientation": 1, "width": r.Image.Width, "height": r.Image.Height,
			"image": r.Image.Path, "mask": k.Path, "masks": map[manifests.Tier]string{r.Tier: k.Path}, "boxes": boxes})
	}
	data, err := json.Marshal(object{"class": "horse", "store": s.Dir(), "records": records})
	if err != nil {
		t.Fatal(err)
	}
	expect := filepath.Join(t.TempDir(), "expect.json")
	if err := os.WriteFile(expect, data, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(p, filepath.Join("..", "..", ".ci", "readback_export.py"), "webdataset", dir, expect).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(got)), "equal: 24 pictures, 24 masks, 6 boxes") {
		t.Errorf("%v: %s", err, got)
	}
}

package shard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The webdataset library reads what was packed with equal bytes, mask pixels, boxes and counts.
func TestWebdataset(t *testing.T) {
	p := os.Getenv("HDSEG_PYTHON")
	if p == "" || exec.Command(p, "-c", "import numpy, PIL, yaml, webdataset").Run() != nil {
		t.Skip("SKIPPED: set HDSEG_PYTHON to a Python with numpy, PIL, yaml and webdataset, such as the one that .ci/run makes")
	}
	s, m, digest := world(t, 6)
	dir := filepath.Join(t.TempDir(), "shards")
	mustPack(t, s, m, digest, dir, 2)
	got, err := exec.Command(p, filepath.Join("..", "..", ".ci", "readback_export.py"), "webdataset", dir, filepath.Join(s.Dir(), "horseseg.yaml")).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(got)), "equal: 24 pictures, 24 masks, 6 boxes") {
		t.Errorf("%v: %s", err, got)
	}
}

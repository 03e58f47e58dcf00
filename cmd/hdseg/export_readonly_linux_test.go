package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A data set that may only be read is exported with its features; nothing stays beside the export. The folder is mounted so in a name space of its own: a
// superuser may write whatever permissions say.
func TestExportReadOnly(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted: %v: %s", err, out)
	}
	set, to := filepath.Dir(drawn(t)), filepath.Join(t.TempDir(), "to", "published")
	if err := os.RemoveAll(filepath.Join(set, "features")); err != nil {
		t.Fatal(err)
	}
	script := `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" 2> /dev/null && shift && exec "$@"`
	c := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", set, program, "export", "--format", "hdseg", "--features", "-i", filepath.Join(set, "horseseg.yaml"), "-o", to, "--progress", "none")
	c.Env = append(os.Environ(), "HDSEG_TEST_MAIN=1")
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState.ExitCode() != exitSkips || !strings.Contains(string(out), "15 images") {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(to, "data", "horse-features.bin")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) != 1 {
		t.Errorf("beside the export: %v, %v", left, err)
	}
}

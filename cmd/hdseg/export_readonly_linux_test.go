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
	try(t, os.RemoveAll(filepath.Join(set, "features")))
	script := `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" 2> /dev/null && shift && exec "$@"`
	c := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", set, program, "export", "--format", "hdseg", "--features", "-i", filepath.Join(set, "horseseg.yaml"), "-o", to, "--progress", "none")
	c.Env = append(os.Environ(), "HDSEG_TEST_MAIN=1", "XDG_CACHE_HOME="+t.TempDir())
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

// A folder that may only be read is refused before any work: by build and ingest as -o, by bench and train where the user's
// cache folder cannot hold the features either. Where it can, they are made there once.
func TestReadOnlyIsSaidFirst(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted: %v: %s", err, out)
	}
	_, args := world(t, false)
	set := filepath.Dir(drawn(t))
	script := `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" 2> /dev/null && shift && exec "$@"`
	for name, c := range map[string][]string{
		"build":  append(args, "-o", set, "--set", "ingest.vocSet=train"),
		"ingest": append([]string{"ingest"}, append(args[1:], "-o", set)...),
		"bench":  {"bench", filepath.Join(set, "horseseg.yaml"), "--set", "superpixel.count=90"},
		"train":  {"train", filepath.Join(set, "horseseg.yaml"), "--set", "superpixel.count=90", "-o", filepath.Join(t.TempDir(), "x.model")},
		"cached": {"train", filepath.Join(set, "horseseg.yaml"), "--set", "superpixel.count=90", "--preset", "fast", "-o", filepath.Join(t.TempDir(), "x.model")},
	} {
		cached, home := name == "cached", filepath.Join(set, "horseseg.yaml", "no-folder")
		if cached {
			home = t.TempDir()
		}
		cmd := exec.Command("unshare", append([]string{"-rm", "sh", "-c", script, "sh", set, program}, append(c, "--progress", "none")...)...)
		cmd.Env = append(os.Environ(), "HDSEG_TEST_MAIN=1", "XDG_CACHE_HOME="+home)
		out, err := cmd.CombinedOutput()
		if cached {
			if err != nil && cmd.ProcessState.ExitCode() != exitSkips || !strings.Contains(string(out), "are kept in "+home) {
				t.Errorf("%s: %v: %s", name, err, out)
			}
			continue
		}
		if err == nil || cmd.ProcessState.ExitCode() != exitError || !strings.Contains(string(out), "a folder that can be written") || strings.Count(string(out), "\n") > 1 {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

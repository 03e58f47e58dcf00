package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A data set that lost or changed a file is not up to date: the same command repairs it.
func TestBuildRepairsFiles(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	want := bytesOf(t, out)
	for _, dir := range []string{"images", "masks/manual", "masks/bbox"} {
		var files []string
		err := filepath.WalkDir(filepath.Join(out, filepath.FromSlash(dir)), func(p string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, p)
			}
			return err
		})
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: got %d files (%v)", dir, len(files), err)
		}
		if err := os.Remove(files[0]); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(files[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[1], append(data, 0), 0o666); err != nil {
			t.Fatal(err)
		}
		must(t, append(build, "-o", out)...)
		if bytesOf(t, out) != want {
			t.Errorf("%s: a lost and a changed file: other bytes after building again", dir)
		}
	}
}

// Trying other settings leaves the build's features alone.
func TestBenchLeavesBuildAlone(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	manifest := filepath.Join(out, "horseseg.yaml")
	must(t, "bench", "-i", manifest, "--set", "superpixel.count=100", "--terms", "unary", "--balance", "paper")
	var again buildResult
	if err := json.Unmarshal([]byte(must(t, append(build, "-o", out, "--json")...)), &again); err != nil {
		t.Fatal(err)
	}
	for _, s := range again.Stages {
		if !s.UpToDate {
			t.Errorf("stage %s ran again after a bench with other settings", s.Name)
		}
	}
}

// A folder holds one data set.
func TestBuildRefusesFolder(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	dog := append([]string{}, build...)
	dog[2] = "dogseg"
	if _, errs, code := hdseg(t, append(dog, "-o", out)...); code != exitError || !strings.Contains(errs, "holds the data set horseseg") {
		t.Errorf("another data set in the folder: got exit %d and %q", code, errs)
	}
	must(t, "check", filepath.Join(out, "horseseg.yaml"))
	foreign := t.TempDir()
	file := filepath.Join(foreign, "horseseg.yaml")
	if err := os.WriteFile(file, []byte("notes: mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := hdseg(t, append(build, "-o", foreign)...); code != exitError || !strings.Contains(errs, "not a manifest of this build") {
		t.Errorf("a foreign horseseg.yaml: got exit %d and %q", code, errs)
	}
	if data, _ := os.ReadFile(file); string(data) != "notes: mine\n" {
		t.Errorf("the foreign file was overwritten: %q", data)
	}
}

// Sources that give nothing are said, with a remedy, on every run.
func TestBuildNotices(t *testing.T) {
	w, _ := world(t, false)
	args := func(more ...string) []string {
		return append([]string{"build", "-c", "horseseg", "--set", "bench.samples=50", "--test", w.TestDir}, more...)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"archive of another class": {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--set", "class.synsets=[n02084071]"), "holds nothing of class horse"},
		"boxes without pictures":   {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--set", "class.synsets=[n02084071]"), "BOXES holds nothing of class"},
		"no masks to learn from":   {args("--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar), "no training record has a manual mask"},
		"no training records":      {args(), "no training record"},
		"wrong class index":        {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--set", "class.voc=19"), "is class.voc right?"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		for range 2 { // the second is up to date
			_, errs, code := hdseg(t, append(c.args, "-o", out)...)
			if (code != exitDone && code != exitSkips) || !strings.Contains(errs, "warning: ") || !strings.Contains(errs, strings.Replace(c.want, "BOXES", filepath.Base(w.BoxesTar), 1)) {
				t.Errorf("%s: got exit %d and %q, want a warning with %q", name, code, errs, c.want)
			}
		}
	}
	if _, errs, code := hdseg(t, args("--voc", w.VOCDir, "--boxes", w.BoxesTar, "-o", t.TempDir())...); code != exitUsage || !strings.Contains(errs, "--imagenet") {
		t.Errorf("--boxes without --imagenet: got exit %d and %q", code, errs)
	}
}

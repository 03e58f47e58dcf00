//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hdseg/manifests/remote/s3test"
)

// Umask decides who may read what commands write: files and folders of data sets, features, models, tables, shards, exports, masks, and what
// pull fetches.
func TestUmask(t *testing.T) {
	longOnly(t)
	_, build := world(t, false)
	srv := s3test.Start(t)
	for _, umask := range []int{0o002, 0o077} {
		t.Chdir(t.TempDir())
		was := syscall.Umask(umask)
		defer syscall.Umask(was)
		must(t, append(build, "-o", "set")...)
		pictures, err := filepath.Glob("set/images/test/*.jpg")
		if err != nil || len(pictures) != small.Tests {
			t.Fatalf("got the test pictures %q, %v, want %d", pictures, err, small.Tests)
		}
		place := "s3://" + s3test.Bucket + "/" + filepath.Base(t.TempDir())
		for _, line := range [][]string{
			{"shard", "-i", "set/horseseg.yaml", "-o", "shards"}, {"train", "-i", "set/horseseg.yaml", "-o", "linear.model"},
			{"export", "--format", "hdseg", "-i", "set/horseseg.yaml", "-o", "exported/hdseg"}, {"export", "--format", "coco", "-i", "set/horseseg.yaml", "-o", "exported/coco"},
			{"annotate", "export", "--format", "cvat", "-i", "set/horseseg.yaml", "-o", "exported/cvat"},
			{"segment", "--model", "linear.model", "-o", "masks", pictures[0]},
			{"push", "set", place, "--endpoint", srv.URL}, {"pull", place, "pulled", "--endpoint", srv.URL},
		} {
			must(t, append(line, "--progress", "none")...)
		}
		seen := 0
		err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			st, err := os.Stat(name)
			want := fs.FileMode(0o666 &^ umask)
			if d.IsDir() {
				want = fs.FileMode(0o777 &^ umask)
			}
			if seen++; err == nil && name != "." && st.Mode().Perm() != want {
				t.Errorf("umask %03o: %s: got mode %v, want %v", umask, name, st.Mode().Perm(), want)
			}
			return err
		})
		if err != nil || seen < 200 {
			t.Errorf("umask %03o: looked at %d files, %v", umask, seen, err)
		}
	}
}

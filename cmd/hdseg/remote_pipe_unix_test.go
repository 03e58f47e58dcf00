//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hdseg/manifests/remote/s3test"
)

// A pipe in the place of an index is refused, not waited for.
func TestPushPipe(t *testing.T) {
	for k, v := range s3test.Environment() {
		t.Setenv(k, v)
	}
	for _, name := range []string{"horseseg.yaml", "shards.json"} {
		dir := t.TempDir()
		try(t, unix.Mkfifo(filepath.Join(dir, name), 0o666))
		for _, from := range []string{dir, filepath.Join(dir, "horseseg.yaml")} {
			_, stderr, code := hdseg(t, "push", from, "s3://sets/x", "--endpoint", "http://127.0.0.1:1")
			want := name + ": not a regular file"
			if from != dir && name != "horseseg.yaml" {
				want = "no such file or folder"
			}
			if code != exitError || !strings.Contains(stderr, want) {
				t.Errorf("push %s: exit %d, %s", filepath.Base(from), code, stderr)
			}
		}
	}
}

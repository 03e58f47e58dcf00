package s3test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// StartSmall runs a server whose disk, a file system in memory seen only by it, has room for so
// many bytes. It skips the test where nobody may mount one, as only Linux lets a program do.
func StartSmall(t testing.TB, bytes int) *Server {
	t.Helper()
	root := t.TempDir()
	if err := CanStartSmall(); err != nil {
		t.Skipf("SKIPPED: no server whose disk is full: %v", err)
	}
	mount := fmt.Sprintf(`mount -t tmpfs -o size=%d hdseg "$1" && mkdir "$1/%s"`, bytes, Bucket)
	s := start(t, root, func(binary string, args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"-rm", "sh", "-c", mount + ` && shift && exec "$@"`, "sh", root, binary},
			args...)...)
	})
	s.Root = fmt.Sprintf("/proc/%d/root%s", s.PID, root)
	return s
}

// CanStartSmall tells whether the system lets a program mount a file system of its own.
func CanStartSmall() error {
	out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "hdseg", os.TempDir()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("unshare: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// Fill leaves so many bytes of a small server's disk free, until empty is called.
func (s *Server) Fill(t testing.TB, free int) (empty func()) {
	t.Helper()
	out, err := exec.Command("stat", "--file-system", "--format=%a %S", s.Root).Output()
	var blocks, size int
	if err == nil {
		_, err = fmt.Sscan(string(out), &blocks, &size)
	}
	name := filepath.Join(s.Root, "fill")
	if n := blocks*size - free; n > 0 && err == nil {
		err = os.WriteFile(name, make([]byte, n), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { os.Remove(name) }
}

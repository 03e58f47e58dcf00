package s3test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// StartSmall runs a server whose disk, a file system in memory seen only by it, has room for so
// many bytes. It skips the test where nobody may mount one.
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
	var st unix.Statfs_t
	if err := unix.Statfs(s.Root, &st); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.Root, "fill")
	if n := int(st.Bavail)*int(st.Bsize) - free; n > 0 {
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func() { os.Remove(name) }
}

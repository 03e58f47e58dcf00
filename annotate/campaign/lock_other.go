//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package campaign

import (
	"os"
	"path/filepath"
)

// lockDir would take a folder for this process; here nothing keeps two servers apart, except that a log refuses to grow
// when another program wrote to it.
func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
}

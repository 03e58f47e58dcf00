package pipeline

import (
	"io/fs"
	"syscall"
)

// changedAt returns when anything of a file changed last, ns since 1970, and its inode.
func changedAt(st fs.FileInfo) (ns int64, inode uint64) {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return s.Ctimespec.Nano(), s.Ino
}

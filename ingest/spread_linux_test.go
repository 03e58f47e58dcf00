package ingest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// spread asks ext2 to ext4 to place each folder that is made in dir apart from all others, as it does with those of its root (`chattr +T`). Another
// file system does not know the flag, and nothing changes.
func spread(b *testing.B, dir string) {
	const topDir = 0x00020000 // FS_TOPDIR_FL of linux/fs.h
	f, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|topDir)
	}
	if err != nil {
		b.Logf("stores lie where the file system puts them: %v", err)
	}
}

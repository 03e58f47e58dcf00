package manifests

import (
	"os"

	"golang.org/x/sys/unix"
)

// canFlush tells that one call can make all files of a store durable, so that none needs a sync of
// its own.
const canFlush = true

// flush writes out the file system that d lies on. syncfs reports write-back errors since Linux
// 5.8.
func flush(d *os.File) error { return unix.Syncfs(int(d.Fd())) }

package manifests

import (
	"os"

	"golang.org/x/sys/unix"
)

// canFlush tells that one call makes all files of a store durable.
const canFlush = true

// flush writes out d's file system. syncfs reports write-back errors since Linux 5.8.
func flush(d *os.File) error { return unix.Syncfs(int(d.Fd())) }

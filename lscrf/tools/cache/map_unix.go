//go:build unix

package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file for reading.
func mapFile(name string) ([]byte, func() error, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if st.Size() == 0 {
		return nil, func() error { return nil }, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: name, Err: err}
	}
	return data, func() error { return unix.Munmap(data) }, nil
}

// forget takes mapped bytes out of this process's memory; who reads them again gets them from the
// file. What the system says to it does not matter.
func forget(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }

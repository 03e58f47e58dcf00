//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package manifests

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for the exclusive lock of f, which ends when f is closed. File systems without
// locks count as locked by nobody else.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return ignoreUnsupported(err)
		}
	}
}

// tryLockFile tells whether it got the lock; false on a file system without locks.
func tryLockFile(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// takeLock takes the lock of f, or with shared one that others may share, or returns errLocked; see
// lockFile.
func takeLock(f *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return ignoreUnsupported(err)
}

// ignoreUnsupported drops the errors of file systems that cannot lock or sync a folder.
func ignoreUnsupported(err error) error {
	// the last is NFS, of what is open for reading only
	for _, e := range []error{unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.ENOLCK, unix.EINVAL, unix.EBADF} {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

func isReadOnlyFS(err error) bool { return errors.Is(err, unix.EROFS) }

// writable returns what keeps this process from making files in a folder. It makes none: one made
// to try would stay where the process is killed.
func writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &os.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}

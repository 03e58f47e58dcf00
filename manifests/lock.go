package manifests

import (
	"errors"
	"os"
)

// ErrLocked tells that another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

// TryLock makes the file name if it is missing and takes its lock, or returns ErrLocked. unlock
// removes the file. A process that dies lets go of its locks. Where there are no locks, everyone
// gets them.
func TryLock(name string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := takeLock(f); err != nil {
			f.Close()
			return nil, err
		}
		if isAt(f, name) {
			return func() { os.Remove(name); f.Close() }, nil
		}
		f.Close() // whoever held it has removed it meanwhile
	}
}

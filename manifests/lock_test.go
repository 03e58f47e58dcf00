//go:build unix

package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A lock is held by one at a time, whoever comes and goes, and leaves no file; one that was left by a process that died is locked by nobody.
func TestTryLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(name, nil, 0o666); err != nil { // of a process that died
		t.Fatal(err)
	}
	unlock, err := TryLock(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = TryLock(name)
	if want := fmt.Sprintf("process %d on ", os.Getpid()); !isLocked(err) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("a second time: %v, want %q first", err, want)
	}
	unlock()
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
	var holders, got atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := 0; n < 50; {
				unlock, err := TryLock(name)
				if isLocked(err) {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				if holders.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				holders.Add(-1)
				unlock()
				n++
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != 200 {
		t.Errorf("got it %d times, want 200", got.Load())
	}
	if _, err := TryLock(filepath.Join(t.TempDir(), "no", "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

func isLocked(err error) bool {
	locked := (*LockedError)(nil)
	return errors.As(err, &locked)
}

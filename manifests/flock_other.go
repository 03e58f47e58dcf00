//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package manifests

import "os"

// Without locks nobody's temporary files are taken for abandoned: they stay.

func lockFile(*os.File) error       { return nil }
func tryLockFile(*os.File) bool     { return false }
func takeLock(*os.File, bool) error { return nil }
func isReadOnlyFS(error) bool       { return false }
func ignoreUnsupported(error) error { return nil } // folders cannot be synced

// writable returns what keeps this process from making files in a folder. It tries: nothing else
// tells on Windows.
func writable(dir string) error {
	f, err := tempIn(dir)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"sort"

	"hdseg/manifests"
)

// Digest returns the sha256, as 64 hexadecimal digits, of all regular files below dir:
// of their slash-separated relative paths in byte order, each followed by a zero byte
// and the sha256 of the contents. Two trees have one digest exactly when they hold the
// same files with the same bytes; modes, times and empty folders do not count.
//
// A file or folder is left out where a pattern of exclude (path.Match) matches its
// relative path or its last element: "*.run.yaml", "cache". A symbolic link or other
// special file that is not excluded is an error, as is a bad pattern.
func Digest(dir string, exclude ...string) (string, error) {
	for _, p := range exclude {
		if _, err := path.Match(p, ""); err != nil {
			return "", fmt.Errorf("demo: digest: pattern %q: %w", p, err)
		}
	}
	excluded := func(name string) bool {
		for _, p := range exclude {
			whole, _ := path.Match(p, name)
			last, _ := path.Match(p, path.Base(name))
			if whole || last {
				return true
			}
		}
		return false
	}
	var lines []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case name != "." && excluded(name):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: got a %v, want a regular file", name, d.Type())
		}
		sum, err := manifests.SumFile(file)
		if err != nil {
			return err
		}
		lines = append(lines, name+"\x00"+string(sum))
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("demo: digest: %w", err)
	}
	sort.Strings(lines) // by path: no path holds a zero byte
	all := sha256.New()
	for _, l := range lines {
		io.WriteString(all, l)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

package manifests

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A journal lists what one commit does, in order: the renames, a line "temporary name<tab>path"
// each, and the files to remove, "<tab>path". When it has its name, commit-*, all its files are on
// the disk; from then on the commit happens, if need be in the next process that opens the store.
const journalPrefix = "commit-"

// commit renames files in their order and then removes some paths: all of it or, if the process
// dies before the journal has its name, nothing. What last returns decides which; the files must be
// on the disk. No other process commits meanwhile.
func (s *Store) commit(last func() (files []*staged, gone []string, err error)) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	files, gone, err := last()
	if err != nil || len(files)+len(gone) == 0 {
		return err
	}
	var text bytes.Buffer
	for _, g := range files {
		final, err := filepath.Rel(s.dir, g.final)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s\t%s\n", filepath.Base(g.temp), filepath.ToSlash(final))
	}
	for _, p := range gone {
		if _, err := s.Path(p); err != nil { // nor would it be a line
			return err
		}
		fmt.Fprintf(&text, "\t%s\n", p)
	}
	j, err := stageData(s.temp(), s.temp(), text.Bytes(), true)
	if err != nil {
		return err
	}
	defer j.close()
	j.final = filepath.Join(s.temp(), journalPrefix+filepath.Base(j.temp))
	if err := SyncDir(s.temp()); err != nil { // the temporary names
		return err
	}
	if err := j.rename(); err != nil {
		return err
	}
	if err := SyncDir(s.temp()); err != nil {
		return err
	}
	for _, g := range files {
		g.done = true // from here on only forward
	}
	return s.replay(j.final)
}

// replay carries out a journal, whole or what is left of it, and removes it.
func (s *Store) replay(journal string) error {
	data, err := os.ReadFile(journal)
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	var gone []string
	for line := range strings.Lines(string(data)) {
		temp, final, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, err := s.Path(final)
		if !ok || err != nil || temp != "" && temp != filepath.Base(temp) {
			return fmt.Errorf("%s: line %q: want a temporary name, a tab and a path", journal, line)
		}
		if temp == "" {
			gone = append(gone, name)
			continue
		}
		err = os.Rename(filepath.Join(s.temp(), temp), name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // not there: renamed before
			return err
		}
		dirs[filepath.Dir(name)] = true
	}
	if err := syncDirs(dirs); err != nil {
		return err
	}
	for _, name := range gone { // a reader of the old index may still have been at them
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Remove(journal)
}

// settle replays the journals, removes the temporary files that no living process holds, and calls
// then before another process may commit again.
func (s *Store) settle(then func()) error {
	if _, err := os.Stat(s.temp()); errors.Is(err, fs.ErrNotExist) {
		then()
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		then()
		return err
	}
	defer unlock()
	defer then()
	entries, err := os.ReadDir(s.temp())
	if err != nil {
		return err
	}
	for _, journals := range []bool{true, false} {
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), journalPrefix) != journals {
				continue
			}
			name := filepath.Join(s.temp(), e.Name())
			act := os.Remove
			if journals {
				act = s.replay
			}
			if err := ifAbandoned(name, act); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// ifAbandoned calls act(name) if no process holds the file's lock, which it takes meanwhile.
func ifAbandoned(name string, act func(string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if !tryLockFile(f) || !isAt(f, name) {
		return nil
	}
	return act(name)
}

// lock waits until no other process commits or recovers.
func (s *Store) lock() (unlock func(), err error) {
	d, err := os.Open(s.temp())
	if err != nil {
		return nil, err
	}
	if err := lockFile(d); err != nil {
		d.Close()
		return nil, err
	}
	return func() { d.Close() }, nil
}

var errLocked = errors.New("locked") // by another process

// A LockedError tells that another process holds a lock. Owner is "process 1234 on HOST", or
// "another process" if it is not known.
type LockedError struct{ Owner string }

func (e *LockedError) Error() string { return e.Owner + " holds the lock" }

// TryLock makes the file name if it is missing, takes its lock and writes who has it into the file,
// or returns a *LockedError. unlock removes the file. A process that dies lets go of its locks.
// Where there are no locks, everyone gets them.
func TryLock(name string) (unlock func(), err error) { return tryLock(name, false) }

// tryLock is TryLock, or with shared takes a lock that others may share: the last removes the file.
func tryLock(name string, shared bool) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := takeLock(f, shared); errors.Is(err, errLocked) {
			owner, _ := io.ReadAll(io.LimitReader(f, 200))
			f.Close()
			return nil, &LockedError{cmp.Or(strings.TrimSpace(string(owner)), "another process")}
		} else if err != nil {
			f.Close()
			return nil, err
		}
		if isAt(f, name) {
			host, _ := os.Hostname()
			if err := f.Truncate(0); err == nil { // whose owner died
				fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
			}
			return func() {
				if !shared || tryLockFile(f) {
					os.Remove(name)
				}
				f.Close()
			}, nil
		}
		f.Close() // whoever held it has removed it meanwhile
	}
}

// Occupy keeps other builds out of a store's folder, and what Join lets in, until release is
// called, or returns a *LockedError at once: it comes before OpenStore, which waits for whoever
// writes there. Nobody is kept out of a store that may only be read: a build that finds all done
// works there.
func Occupy(dir string) (release func(), err error) { return occupy(dir, false) }

// Join is Occupy for a command that works with what builds made: it keeps builds out, and no other
// such command.
func Join(dir string) (release func(), err error) { return occupy(dir, true) }

// Discard removes a folder whose occupier died. One that is occupied stays, one that never was, and
// any on a file system without locks.
func Discard(dir string) error {
	name := filepath.Join((&Store{dir: dir}).temp(), occupied)
	return ifAbandoned(name, func(string) error { return os.RemoveAll(dir) })
}

// occupied is the file whose lock is held; settle removes it if its owner died.
const occupied = "building"

func occupy(dir string, shared bool) (release func(), err error) {
	temp := (&Store{dir: dir}).temp()
	name := filepath.Join(temp, occupied)
	if err = os.MkdirAll(temp, 0o777); err == nil {
		release, err = tryLock(name, shared)
	}
	if ReadOnly(err) {
		return func() {}, nil
	}
	if locked := (*LockedError)(nil); errors.As(err, &locked) {
		does := "builds"
		if leave, err := tryLock(name, true); err == nil {
			does = "works"
			leave()
		}
		err = fmt.Errorf("another hdseg %s in %s: wait until it ends, or give another -o: %w", does, dir, locked)
	}
	return release, err
}

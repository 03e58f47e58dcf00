package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// files lists the regular files below dir, without those in .tmp, and how many there are in .tmp.
func files(t testing.TB, dir string) (names []string, temporary int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if strings.HasPrefix(rel, ".tmp") {
			temporary++
		} else {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, temporary
}

func TestPut(t *testing.T) {
	s := testStore(t)
	p, d, err := s.Put("images/x", "n1_2", "jpg", []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	// sha256("abc") as in FIPS 180-2, appendix B.1.
	if want := Digest("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); d != want || p != "images/x/n1_2.ba7816bf8f01.jpg" {
		t.Errorf("got %s, %s", p, d)
	}
	name, err := s.Path(p)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if before.Mode().Perm() != 0o644 {
		t.Errorf("got mode %v", before.Mode())
	}
	if _, _, err := s.Put("images/x", "n1_2", "jpg", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(name)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file is written again: %v", err)
	}
	// What a power loss may leave: the right size and other bytes.
	if err := os.WriteFile(name, make([]byte, 3), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(p, d); err == nil || !strings.Contains(err.Error(), p+": the bytes changed") {
		t.Errorf("got %v", err)
	}
	if _, _, err := s.Put("images/x", "n1_2", "jpg", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read(p, d); err != nil || string(data) != "abc" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, n := files(t, s.Dir()); n != 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

func TestPathsStayInside(t *testing.T) {
	s := testStore(t)
	for _, p := range []string{"", ".", "..", "../a", "a/../b", "/a", "a//b", "a/", "./a", `a\b`, "a\nb", "a\x00b", "\xff"} {
		if _, err := s.Path(p); err == nil {
			t.Errorf("%q is accepted", p)
		}
		if err := s.Replace(p, nil); err == nil {
			t.Errorf("%q is written", p)
		}
		if _, err := s.Read(p, ""); err == nil {
			t.Errorf("%q is read", p)
		}
	}
	if _, _, err := s.Put("../x", "a", "png", nil); err == nil {
		t.Error("../x is written")
	}
	for _, p := range []string{"a", "a/b.c", "é/ü", "a b", "..a"} {
		if _, err := s.Path(p); err != nil {
			t.Error(err)
		}
	}
}

// Readers see whole files, whoever writes and sweeps at the time.
func TestStoreFromManyGoroutines(t *testing.T) {
	s := testStore(t)
	old, young := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<16)
	if err := s.Replace("x/f", old); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 30 {
				data := old
				if (i+w)%2 == 0 {
					data = young
				}
				if err := s.Replace("x/f", data); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Put("y", "g", "bin", data); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 60 {
			if _, err := OpenStore(s.Dir()); err != nil {
				t.Error(err)
			}
			data, err := s.Read("x/f", "")
			if err != nil || !bytes.Equal(data, old) && !bytes.Equal(data, young) {
				t.Errorf("got %d bytes of a mixture, %v", len(data), err)
			}
		}
	})
	wg.Wait()
	if names, n := files(t, s.Dir()); n != 0 || len(names) != 3 {
		t.Errorf("got %v and %d temporary files", names, n)
	}
}

func TestOpenStoreSweeps(t *testing.T) {
	s := testStore(t)
	if err := os.Mkdir(s.temp(), 0o777); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(s.temp(), "123")
	if err := os.WriteFile(left, []byte("cut sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, release, err := s.CreateTemp() // as of another process: locks know handles, not processes
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	open := func() {
		if _, err := OpenStore(s.Dir()); err != nil {
			t.Fatal(err)
		}
	}
	open()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that nobody holds is still there: %v", err)
	}
	if _, err := os.Stat(f.Name()); err != nil {
		t.Errorf("a file in use was removed: %v", err)
	}
	release()
	open()
	if _, err := os.Stat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a released file is still there: %v", err)
	}
}

// A process that died between the journal and the last rename has written the new manifest, not half of it.
func TestOpenStoreFinishesACommit(t *testing.T) {
	t.Parallel()
	old, young := sample(3, 1), sample(PartRecords+1, 1)
	for renamed := range 4 {
		s := testStore(t)
		if _, err := Write(s, "a", old); err != nil {
			t.Fatal(err)
		}
		other := testStore(t)
		want, err := Write(other, "a", young)
		if err != nil {
			t.Fatal(err)
		}
		journal := ""
		left := named(t, s, "a.d/0000.yaml")
		for i, p := range []string{named(t, other, "a.d/0000.yaml"), named(t, other, "a.d/0001.yaml"), "a.yaml"} {
			data, err := other.Read(p, "")
			if err != nil {
				t.Fatal(err)
			}
			temp := filepath.Join(s.temp(), string(rune('1'+i)))
			if i < renamed {
				temp = filepath.Join(s.Dir(), p)
			}
			if err := os.WriteFile(temp, data, 0o644); err != nil {
				t.Fatal(err)
			}
			journal += string(rune('1'+i)) + "\t" + p + "\n"
		}
		journal += "\t" + left + "\n"
		if err := os.WriteFile(filepath.Join(s.temp(), journalPrefix+"9"), []byte(journal), 0o644); err != nil {
			t.Fatal(err)
		}
		// A process that has had the store open all the time gets the old one until the new index is there.
		if _, got, err := Read(s, "a"); err != nil || (got == want) != (renamed == 3) {
			t.Errorf("%d renamed: Read gives %s, %v, want %s", renamed, got, err, want)
		}
		if _, err := OpenStore(s.Dir()); err != nil {
			t.Fatal(err)
		}
		if _, got, err := Read(s, "a"); err != nil || got != want {
			t.Errorf("%d renamed: got %s, %v, want %s", renamed, got, err, want)
		}
		if names, n := files(t, s.Dir()); n != 0 || len(names) != 4 {
			t.Errorf("%d renamed: %v and %d temporary files are left", renamed, names, n)
		}
	}
}

// A journal is carried out only inside the store.
func TestJournalStaysInside(t *testing.T) {
	for _, line := range []string{"1\t../out\n", "../1\tin\n", "1 in\n", "1\t/out\n", "\t../in\n", "\n"} {
		s := testStore(t)
		if err := s.Replace("in", []byte("old")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.temp(), journalPrefix+"1"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenStore(s.Dir()); err == nil || !strings.Contains(err.Error(), "want a temporary name, a tab and a path") {
			t.Errorf("%q: got %v", line, err)
		}
	}
}

// What is fresh is forgotten only after it was flushed, one by one or all at once.
func TestFlush(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, fewFiles, fewFiles + 5} {
		s := testStore(t)
		for i := range n {
			if _, _, err := s.Put("x", fmt.Sprint(i), "bin", []byte{1}); err != nil {
				t.Fatal(err)
			}
		}
		if many := n > fewFiles; canFlush && (s.fresh.many != many || !many && len(s.fresh.names) != n) {
			t.Errorf("%d files: got %d names, many is %v", n, len(s.fresh.names), s.fresh.many)
		}
		if err := s.Flush(); err != nil {
			t.Errorf("%d files: %v", n, err)
		}
		if names, many := s.fresh.names, s.fresh.many; len(names) != 0 || many {
			t.Errorf("%d files: got %d names after the flush", n, len(names))
		}
	}
}

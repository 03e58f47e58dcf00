package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/manifests"
)

// A tree is a folder of a test.
type tree struct {
	t   *testing.T
	dir string
}

func (f tree) write(name, text string) {
	f.t.Helper()
	file := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

// A linked source, a linked folder in it, and a link that leads nowhere are followed. Circles end.
func TestSourceFilesFollowLinks(t *testing.T) {
	f := tree{t, t.TempDir()}
	f.write("real/a.txt", "1")
	f.write("elsewhere/b.txt", "1")
	for from, to := range map[string]string{"source": "real", "real/more": "../elsewhere", "real/up": "..", "real/none": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(f.dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := sourceFiles("voc", filepath.Join(f.dir, "source"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range list {
		names = append(names, w.name)
	}
	if want := []string{"voc/source/a.txt", "voc/source/more/b.txt", "voc/source/none"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if _, err := sourceFiles("voc", filepath.Join(f.dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing source: got %v", err)
	}
}

// A file is read again where the system says that it was touched, and has changed where its bytes
// have: not by its time or place, but even if size and time of the last change stayed.
func TestWitness(t *testing.T) {
	f := tree{t, t.TempDir()}
	s, err := manifests.OpenStore(filepath.Join(f.dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	f.write("src/a.jpg", "aaaa")
	f.write("src/b.jpg", "bbbb")
	a := filepath.Join(f.dir, "src", "a.jpg")
	then := time.Unix(1e9, 0)
	look := func(all bool) (changes string, known int) {
		t.Helper()
		files, err := sourceFiles("voc", filepath.Join(f.dir, "src"))
		if err != nil {
			t.Fatal(err)
		}
		w := openWitness(s, "sources")
		for _, k := range files {
			if st, err := stampOf(k.file); err == nil && w.known[k.name].stamp == st {
				known++
			}
		}
		sums, err := w.look(context.Background(), files, all, 2, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.write(s, false); err != nil {
			t.Fatal(err)
		}
		return w.changes(files, sums), known
	}
	for _, c := range []struct {
		name    string
		do      func()
		changes string
		known   int // files that need not be read
	}{
		{"for the first time", func() {}, "", 0},
		{"again", func() {}, "", 2},
		{"a new time", func() { os.Chtimes(a, then, then) }, "", 1},
		{"other bytes of the same size and time", func() { f.write("src/a.jpg", "AAAA"); os.Chtimes(a, then, then) },
			"1 changed (src/a.jpg)", 1},
		{"another file of the same bytes, size and time", func() {
			f.write("src/new", "AAAA")
			os.Chtimes(filepath.Join(f.dir, "src", "new"), then, then)
			os.Rename(filepath.Join(f.dir, "src", "new"), a)
		}, "", 1},
		{"one more, one less", func() { f.write("src/c.jpg", "c"); os.Remove(a) }, "1 new (src/c.jpg), 1 gone (src/a.jpg)", 1},
		{"at the end", func() {}, "", 2},
	} {
		c.do()
		if changes, known := look(false); changes != c.changes || known != c.known {
			t.Errorf("%s: got %q, %d known, want %q, %d", c.name, changes, known, c.changes, c.known)
		}
	}
	// a change that the system does not show: all are read
	w := openWitness(s, "sources")
	for name, k := range w.known {
		k.sum = "0123456789abcdef"
		w.now[name] = k
	}
	if err := w.write(s, false); err != nil {
		t.Fatal(err)
	}
	if changes, _ := look(false); changes != "" {
		t.Errorf("what the system does not show: got %q", changes)
	}
	if changes, _ := look(true); changes != "2 changed (src/b.jpg, src/c.jpg)" {
		t.Errorf("all are read: got %q", changes)
	}
}

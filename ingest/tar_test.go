package ingest

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A fault is what a walk refused.
type fault struct{ origin, reason, detail string }

// testWalker returns a walker and the faults that it will have met.
func testWalker(t testing.TB, visit func(entry) error) (w *walker, faults *[]fault) {
	temp := t.TempDir()
	faults = new([]fault)
	return &walker{ctx: t.Context(), room: &room{}, visit: visit, aside: func(string, string) {},
		spool: func() (*os.File, error) { return os.CreateTemp(temp, "") },
		fault: func(origin, reason, detail string) { *faults = append(*faults, fault{origin, reason, detail}) }}, faults
}

// walkAll lists the files and faults of a tree as strings.
func walkAll(t testing.TB, root string, lax bool) (files, faults []string, err error) {
	t.Helper()
	w, found := testWalker(t, func(e entry) error {
		data, err := e.read(1 << 20)
		files = append(files, e.name+"="+string(data))
		return err
	})
	w.lax = lax
	err = w.walk(root)
	for _, f := range *found {
		faults = append(faults, f.origin+" "+f.reason)
	}
	return files, faults, err
}

func archiveFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	return filepath.Join(plant(t, t.TempDir(), member{name, data}), name)
}

// A member is used only if it is a regular file under a clean relative name; names are refused,
// never cleaned.
func TestUnsafeMembers(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	put := func(h tar.Header) {
		t.Helper()
		h.Mode, h.Size = 0o644, 0
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	bad := []string{"../evil", "/abs", "a/../../x", "a/../b", `C:\x`, "C:/x", `a\b`}
	for _, n := range bad {
		put(tar.Header{Name: n})
	}
	put(tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})
	put(tar.Header{Name: "hard", Typeflag: tar.TypeLink, Linkname: "good"})
	put(tar.Header{Name: "pipe", Typeflag: tar.TypeFifo})
	put(tar.Header{Name: "dir/", Typeflag: tar.TypeDir})
	put(tar.Header{Name: "good"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.tar", "x.tar.gz"} {
		data := b.Bytes()
		if name == "x.tar.gz" {
			data = gz(data)
		}
		files, faults, err := walkAll(t, archiveFile(t, name, data), false)
		if err != nil || !slices.Equal(files, []string{"good="}) {
			t.Errorf("%s: got %v, %v", name, files, err)
		}
		var want []string
		for _, n := range append(bad, "link", "hard", "pipe") {
			want = append(want, name+"!"+n+" unsafe_member")
		}
		if !slices.Equal(faults, want) {
			t.Errorf("%s: got %v, want %v", name, faults, want)
		}
	}
}

// Wherever a tar is cut, even between two members, where archive/tar sees a clean end, it is an error
// that names the archive; with allowTruncated, its whole members are used and the archive is listed.
func TestTruncatedTar(t *testing.T) {
	whole := tarOf(member{"a.txt", []byte("first")}, member{"b.txt", []byte("second")})
	// Header 512 + data 512 each, then 1024 of end blocks: 3072, padded by archive/tar to nothing more.
	if len(whole) != 3072 {
		t.Fatalf("got %d bytes, want 3072", len(whole))
	}
	for _, c := range []struct {
		keep  int
		files []string
	}{
		{2560, []string{"a.txt=first", "b.txt=second"}}, // one of the two end blocks
		{2048, []string{"a.txt=first", "b.txt=second"}}, // between members: none
		{1600, []string{"a.txt=first", "b.txt=second"}}, // inside the padding of b, whose data ends at 1542
		{1540, []string{"a.txt=first"}},                 // inside b's data
		{1300, []string{"a.txt=first"}},                 // inside b's header
		{1024, []string{"a.txt=first"}},
		{515, nil},
	} {
		for _, name := range []string{"x.tar", "x.tar.gz"} {
			data := whole[:c.keep]
			if name == "x.tar.gz" {
				data = gz(data)
			}
			file := archiveFile(t, name, data)
			_, _, err := walkAll(t, file, false)
			var ae *ArchiveError
			if !errors.As(err, &ae) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s cut at %d: got %v, want an ArchiveError", name, c.keep, err)
			}
			files, faults, err := walkAll(t, file, true)
			if err != nil || !slices.Equal(files, c.files) || len(faults) != 1 || !strings.HasSuffix(faults[0], " truncated_archive") {
				t.Errorf("%s cut at %d, lax: got %v %v %v, want %v", name, c.keep, files, faults, err, c.files)
			}
		}
	}
	// A gzip stream that was cut: its members cannot be trusted.
	z := gz(tarOf(member{"a.txt", bytes.Repeat([]byte("abc123"), 999)}))
	if _, _, err := walkAll(t, archiveFile(t, "x.tgz", z[:len(z)-9]), false); err == nil {
		t.Error("a cut gzip stream was accepted")
	}
}

// A name that is in an archive twice is refused the second time.
func TestDuplicateMember(t *testing.T) {
	data := tarOf(member{"a.txt", []byte("1")}, member{"b.txt", []byte("2")}, member{"./a.txt", []byte("3")})
	files, faults, err := walkAll(t, archiveFile(t, "x.tar", data), false)
	if err != nil || !slices.Equal(files, []string{"a.txt=1", "b.txt=2"}) || !slices.Equal(faults, []string{"x.tar!./a.txt duplicate_member"}) {
		t.Errorf("got %v %v %v", files, faults, err)
	}
}

// What is called an archive and is none, and archives without end.
func TestNotArchives(t *testing.T) {
	if _, _, err := walkAll(t, archiveFile(t, "x.tar", []byte("hello")), false); err == nil || !strings.Contains(err.Error(), "x.tar") {
		t.Errorf("got %v", err)
	}
	dir := plant(t, t.TempDir(), member{"a.txt", []byte("1")}, member{"x.tar", []byte("hello")})
	if _, _, err := walkAll(t, dir, false); err == nil {
		t.Error("a folder with a broken archive was accepted")
	}
	files, faults, err := walkAll(t, dir, true)
	if err != nil || len(files) != 1 || len(faults) != 1 {
		t.Errorf("lax: got %v %v %v", files, faults, err)
	}
	deep := tarOf(member{"a.txt", []byte("1")})
	for range 5 {
		deep = tarOf(member{"in.tar", deep})
	}
	if _, _, err := walkAll(t, archiveFile(t, "x.tar", deep), false); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("deep: got %v", err)
	}
	if _, _, err := walkAll(t, filepath.Join(t.TempDir(), "none"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such path: got %v", err)
	}
}

// Folders: links are followed but not in circles, what systems leave behind is passed over.
func TestFolderLinks(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"a/1.txt", []byte("1")}, member{".DS_Store", nil}, member{"a/._1.txt", nil})
	elsewhere := plant(t, t.TempDir(), member{"2.txt", []byte("2")})
	for link, to := range map[string]string{"a/up": dir, "b": elsewhere, "c": filepath.Join(dir, "nowhere")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	files, faults, err := walkAll(t, dir, false)
	if err != nil || !slices.Equal(files, []string{"a/1.txt=1", "b/2.txt=2"}) || len(faults) != 1 || !strings.HasSuffix(faults[0], "/c unreadable") {
		t.Errorf("got %v %v %v", files, faults, err)
	}
}

// An empty archive and one of before POSIX are archives.
func TestOldTar(t *testing.T) {
	data := tarOf(member{"a.txt", []byte("1")})
	sum := 0
	copy(data[257:265], make([]byte, 8)) // no magic, no version
	copy(data[148:156], "        ")
	for _, c := range data[:512] {
		sum += int(c)
	}
	copy(data[148:], fmt.Sprintf("%06o\x00 ", sum))
	files, _, err := walkAll(t, archiveFile(t, "x.tar", data), false)
	if err != nil || len(files) != 1 {
		t.Errorf("V7: got %v, %v", files, err)
	}
	if files, _, err = walkAll(t, archiveFile(t, "x.tar", tarOf()), false); err != nil || len(files) != 0 {
		t.Errorf("empty: got %v, %v", files, err)
	}
}

// FuzzTar holds the walker against any bytes: no panic, and every member lies inside the archive.
func FuzzTar(f *testing.F) {
	f.Add(tarOf(member{"a.txt", []byte("1")}, member{"b/c.tar", tarOf(member{"d", []byte("2")})}))
	f.Add(tarOf(member{"../x", nil})[:700])
	f.Add(gz(tarOf(member{"n.tgz", gz(tarOf(member{"d", []byte("2")}))})))
	f.Add([]byte("30 mtime=99999999999999999999\n"))
	f.Add(zipOf(f, member{"a.txt", []byte("1")}, member{".b/c.tar", tarOf(member{"d", []byte("2")})}))
	f.Add(slices.Concat(header("a", '1', 5000, nil), header("b/", '5', 4096, nil), header("hole", 'S', 4, map[int]string{386: "00004000000\x0000000000004\x00", 483: "00046113200\x00"}), block("data"), make([]byte, 1024)))
	defer func(n int64) { maxUnpacked = n }(maxUnpacked)
	maxUnpacked = 1 << 20
	f.Fuzz(func(t *testing.T, data []byte) {
		temp := plant(t, t.TempDir(), member{"x", data})
		regular := map[string]bool{} // as the standard library reads them, where it is a plain tar
		for r := tar.NewReader(bytes.NewReader(data)); ; {
			h, err := r.Next()
			if err != nil {
				break
			}
			if h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeCont {
				regular[path.Clean(h.Name)] = true
			}
		}
		for _, lax := range []bool{false, true} {
			visited := map[string]bool{}
			w, _ := testWalker(t, func(e entry) error {
				if b, err := e.read(1 << 20); err == nil && int64(len(b)) != e.size {
					t.Fatalf("%s: got %d bytes, want %d", e.name, len(b), e.size)
				}
				if path.IsAbs(e.name) || path.Clean(e.name) != e.name || e.name == ".." || strings.HasPrefix(e.name, "../") {
					t.Fatalf("visited %q", e.name)
				}
				if own := path.Clean(strings.TrimPrefix(e.origin, "x!")); own == e.name { // not of an archive inside
					if len(regular) > 0 && !regular[own] {
						t.Fatalf("visited %q, which is no regular file", own)
					}
					if visited[own] {
						t.Fatalf("visited %q twice", own)
					}
					visited[own] = true
				}
				return nil
			})
			w.lax = lax
			e := entry{origin: "x", file: filepath.Join(temp, "x"), size: int64(len(data))}
			if kind, err := e.archiveKind(); err == nil && kind != notArchive {
				var large errUnpacked
				if err := w.archive(e, kind, 0); err != nil && lax && !errors.As(err, &large) {
					t.Fatalf("lax: %v", err)
				}
			}
		}
	})
}

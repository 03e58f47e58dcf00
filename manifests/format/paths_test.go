package format

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// The very path counts first, then the longest ending of one file; other folders contradict unless
// there is only one.
func TestPaths(t *testing.T) {
	many := NewPaths([]string{"p0.jpg", "x/p0.jpg", "y/q0.jpg", "a/b/r.jpg", "c/b/r.jpg", "x/s.jpg"})
	one := NewPaths([]string{"val/p0.jpg", "val/p1.jpg"})
	for _, c := range []struct {
		in         *Paths
		name, want string
		moved      bool
		err        error
	}{
		{many, "p0.jpg", "p0.jpg", false, nil},
		{many, "x/p0.jpg", "x/p0.jpg", false, nil},
		{many, "images/x/p0.jpg", "x/p0.jpg", true, nil}, // two parts beat one
		// the last name is that of two
		{many, "/srv/sets/p0.jpg", "", false, ErrAmbiguous},
		// y/q0.jpg lies in another folder
		{many, "/srv/sets/q0.jpg", "", false, fs.ErrNotExist},
		// a drive is one more folder
		{many, `D:\data\y\q0.jpg`, "y/q0.jpg", true, nil},
		{many, "http://host/y/q0.jpg?size=l", "y/q0.jpg", false, nil}, // a URL's path
		{many, "q0.jpg", "y/q0.jpg", true, nil},                       // an ending of one file
		{many, "b/r.jpg", "", false, ErrAmbiguous},                    // of two
		// x/s.jpg lies in another folder
		{many, "z/s.jpg", "", false, fs.ErrNotExist},
		{many, "nothing.jpg", "", false, fs.ErrNotExist}, //
		{many, "../x/s.jpg", "x/s.jpg", false, nil},      //
		{one, "p0.jpg", "val/p0.jpg", true, nil},         //
		// all pictures lie in one folder
		{one, "train/p0.jpg", "val/p0.jpg", true, nil},
		{one, "train/sub/p1.jpg", "val/p1.jpg", true, nil},                //
		{one, "https://h/a%20b/p0.jpg", "val/p0.jpg", true, nil},          //
		{NewPaths(nil), "p0.jpg", "", false, fs.ErrNotExist},              //
		{NewPaths([]string{"a b.jpg"}), "a b.jpg", "a b.jpg", false, nil}, //
	} {
		got, how, err := c.in.Find(c.name)
		if got != c.want || (how == OtherFolder) != c.moved || !errors.Is(err, c.err) {
			t.Errorf("%s: got %q, %q, %v, want %q, %v, %v", c.name, got, how, err, c.want, c.moved, c.err)
		}
	}
}

// macOS writes an accent as a letter of its own (NFD), others with its letter (NFC). Names of either form find files of the other, unless
// both are there.
func TestPathsUnicode(t *testing.T) {
	const nfc, nfd = "x/caf\u00e9.jpg", "x/cafe\u0301.jpg"
	for _, c := range []struct {
		files           []string
		name, want, how string
		err             error
	}{
		{[]string{nfc, "p.jpg"}, nfd, nfc, OtherSpelling, nil},
		{[]string{nfd, "p.jpg"}, "cafe\u0301.jpg", nfd, OtherFolder, nil},
		{[]string{nfd, "p.jpg"}, "images/" + nfc, nfd, OtherSpelling, nil},
		{[]string{nfc, nfd}, nfd, nfd, "", nil},
		{[]string{nfc, nfd}, "x/cafe\u0301.png", "", "", fs.ErrNotExist},
		{[]string{"x/\u212b.jpg", "x/A\u030a.jpg"}, "x/\u00c5.jpg", "", "", ErrAmbiguous}, // both are written as a third
		{[]string{nfc, "y/b.jpg"}, "z/cafe\u0301.jpg", "", "", fs.ErrNotExist},            // another folder
		{[]string{nfc}, "cafe.jpg", "", "", fs.ErrNotExist},
	} {
		got, how, err := NewPaths(c.files).Find(c.name)
		if got != c.want || how != c.how || !errors.Is(err, c.err) {
			t.Errorf("%q of %q: got %q, %q, %v, want %q, %q, %v", c.name, c.files, got, how, err, c.want, c.how, c.err)
		}
	}
}

// What is found is one of the files and has the last part of the name; a file's own path finds it.
func FuzzPaths(f *testing.F) {
	f.Add("a.jpg\nx/a.jpg\nx/b.jpg", "C:\\data\\x\\a.jpg")
	f.Add("caf\u00e9.jpg\nb.jpg", "cafe\u0301.jpg")
	f.Add("images/p.jpg", "https://host/some/p.jpg?raw=1")
	f.Fuzz(func(t *testing.T, list, name string) {
		var files []string
		for file := range strings.SplitSeq(list, "\n") {
			if file = CleanPath(file); !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		p := NewPaths(files)
		if got, _, err := p.Find(name); err == nil && (!slices.Contains(files, got) || norm.NFC.String(path.Base(got)) != norm.NFC.String(path.Base(CleanPath(name)))) {
			t.Errorf("%q: got %q of %q", name, got, files)
		}
		for _, file := range files {
			if CleanPath(file) != file {
				continue
			}
			if got, how, err := p.Find(file); err != nil || got != file || how != "" {
				t.Errorf("%q: got %q, %q, %v", file, got, how, err)
			}
		}
	})
}

package format

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
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
		got, moved, err := c.in.Find(c.name)
		if got != c.want || moved != c.moved || !errors.Is(err, c.err) {
			t.Errorf("%s: got %q, %v, %v, want %q, %v, %v", c.name, got, moved, err, c.want, c.moved, c.err)
		}
	}
}

// What is found is one of the files and has the last part of the name; a file's own path finds it.
func FuzzPaths(f *testing.F) {
	f.Add("a.jpg\nx/a.jpg\nx/b.jpg", "C:\\data\\x\\a.jpg")
	f.Add("images/p.jpg", "https://host/some/p.jpg?raw=1")
	f.Fuzz(func(t *testing.T, list, name string) {
		var files []string
		for file := range strings.SplitSeq(list, "\n") {
			if file = CleanPath(file); !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		p := NewPaths(files)
		if got, _, err := p.Find(name); err == nil && (!slices.Contains(files, got) || path.Base(got) != path.Base(CleanPath(name))) {
			t.Errorf("%q: got %q of %q", name, got, files)
		}
		for _, file := range files {
			if CleanPath(file) != file {
				continue
			}
			if got, moved, err := p.Find(file); err != nil || got != file || moved {
				t.Errorf("%q: got %q, %v, %v", file, got, moved, err)
			}
		}
	})
}

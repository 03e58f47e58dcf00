package format

import (
	"errors"
	"io/fs"
	"testing"
)

// The very path counts first, then the longest ending of one file; other folders contradict unless there is only one.
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
		{many, "images/x/p0.jpg", "x/p0.jpg", true, nil},                  // two parts beat one
		{many, "/home/me/p0.jpg", "p0.jpg", true, nil},                    // x/p0.jpg contradicts
		{many, `D:\data\y\q0.jpg`, "y/q0.jpg", true, nil},                 // a drive is one more folder
		{many, "http://host/d/p0.jpg?size=l", "p0.jpg", true, nil},        // a URL's path
		{many, "q0.jpg", "y/q0.jpg", true, nil},                           // an ending of one file
		{many, "b/r.jpg", "", false, ErrAmbiguous},                        // of two
		{many, "z/s.jpg", "", false, fs.ErrNotExist},                      // x/s.jpg lies in another folder
		{many, "nothing.jpg", "", false, fs.ErrNotExist},                  //
		{many, "../x/s.jpg", "x/s.jpg", false, nil},                       //
		{one, "p0.jpg", "val/p0.jpg", true, nil},                          //
		{one, "train/p0.jpg", "val/p0.jpg", true, nil},                    // all pictures lie in one folder
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

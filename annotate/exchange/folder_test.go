package exchange

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A folder of masks may hold links, as tools that version data make them. Nothing that has the name
// of a mask vanishes.
func TestFolderLinks(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	for _, f := range []string{filepath.Join(dir, "file.png"), filepath.Join(dir, "CAPITALS.PNG"), filepath.Join(elsewhere, "x"), filepath.Join(dir, "notes.txt")} {
		if err := os.WriteFile(f, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.png": filepath.Join(elsewhere, "x"), "two.png": "link.png", "broken.png": "nowhere", "round.png": "round.png", "folder.png": elsewhere} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("this system makes no symbolic links: ", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	masks, err := Open(PNG, dir, options("horse", false))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"file": "", "CAPITALS": "", "link": "", "two": "", "broken": "not there", "round": "symbolic links", "folder": "want a file"}
	for _, d := range masks {
		fault, ok := want[d.Name]
		delete(want, d.Name)
		if !ok || d.File == "" || (d.Err == nil) != (fault == "") || d.Err != nil && (!strings.Contains(d.Err.Error(), fault) || strings.Contains(d.Err.Error(), dir)) {
			t.Errorf("%s: got fault %v, want %q", d.Name, d.Err, fault)
		}
		if d.Err == nil {
			if m, input, err := d.Mask(3, 2); err != nil || m.Width != 3 || input != manifests.Sum(b.Bytes()) {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// An export that was killed leaves nothing at the folder's name, and the next one is made; so is
// one into an empty folder.
func TestExportWhole(t *testing.T) {
	for _, kind := range Formats {
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		killed, err := Create(kind, dir, "horse")
		if err != nil {
			t.Fatal(err)
		}
		if err := killed.Add(items()[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder is there before it is whole", kind)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := Create(kind, dir, "horse")
		if err != nil {
			t.Fatal(kind, err)
		}
		if err := next.Add(items()[0]); err != nil {
			t.Fatal(err)
		}
		if err := next.Close(); err != nil {
			t.Fatal(kind, err)
		}
		killed.Abort()
		left, err := os.ReadDir(parent)
		if err != nil || len(left) != 1 || left[0].Name() != "out" {
			t.Errorf("%s: got %v, %v, want the folder and nothing else", kind, left, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
			t.Errorf("%s: got %v, %v, want two entries", kind, files, err)
		}
	}
}

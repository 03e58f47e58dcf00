package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hdseg/manifests"
)

// walkTree lists the files that a walk sees and the folders that it passes over.
func walkTree(t *testing.T, root string) (files, again []string) {
	t.Helper()
	w, faults := testWalker(t, func(e entry) error { files = append(files, e.name); return nil })
	w.aside = func(code, name string) { again = append(again, code+" "+name) }
	if err := w.walk(root); err != nil || len(*faults) > 0 {
		t.Fatal(err, *faults)
	}
	return files, again
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// Each of 16 folders has two links to the next, which are 65,535 ways: every folder is read once all the same, under its own name,
// and each link is named.
func TestLinksThatFanOut(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	const n = 16
	for i := range n {
		plant(t, root, member{fmt.Sprintf("d%02d/%d.txt", i, i), nil})
	}
	for i := range n - 1 {
		for _, name := range []string{"a", "b"} {
			link(t, fmt.Sprintf("../d%02d", i+1), filepath.Join(root, fmt.Sprintf("d%02d", i), name))
		}
	}
	files, again := walkTree(t, root)
	if len(files) != n || len(again) != 2*(n-1) || files[15] != "d15/15.txt" || !slices.Contains(again, "folder_again root/d03/b") {
		t.Errorf("got %d files, passed over %d: %v", len(files), len(again), again)
	}
	// The same outside the tree: only the first link leads there.
	outside := t.TempDir()
	link(t, filepath.Join(root, "d00"), filepath.Join(outside, "in"))
	files, again = walkTree(t, outside)
	if len(files) != n || len(again) != n-1 || files[1] != "in/a/1.txt" {
		t.Errorf("from outside: got %d files, passed over %d: %v", len(files), len(again), files)
	}
}

// Circles end, and are named: a folder in itself, two in one another, and a folder images in images.
func TestLinksInCircles(t *testing.T) {
	root := filepath.Join(plant(t, t.TempDir(), member{"root/a/1.txt", nil}, member{"root/b/2.txt", nil}, member{"root/images/3.txt", nil}), "root")
	link(t, "..", filepath.Join(root, "a", "up"))
	link(t, "../b", filepath.Join(root, "a", "images"))
	link(t, "../a", filepath.Join(root, "b", "images"))
	link(t, ".", filepath.Join(root, "images", "images"))
	files, again := walkTree(t, root)
	slices.Sort(files)
	slices.Sort(again)
	if want := []string{"a/1.txt", "a/images/2.txt", "b/2.txt", "b/images/1.txt", "images/3.txt"}; !slices.Equal(files, want) {
		t.Errorf("got %v, want %v", files, want)
	}
	if want := []string{"root/a/images/images", "root/a/up", "root/b/images/images", "root/b/images/up", "root/images/images"}; len(again) != len(want) {
		t.Errorf("passed over %v, want %v", again, want)
	}
}

// A devkit's folders under the names of a plain folder, by links: read as both.
func TestLinksWithMeaning(t *testing.T) {
	req := folderOf(t, member{"JPEGImages/a.jpg", jpegBytes(40, 30, 1)}, member{"SegmentationClass/a.png", grayMask(40, 30, 0, 255)})
	link(t, "JPEGImages", filepath.Join(req.Folders[0], "images"))
	link(t, "SegmentationClass", filepath.Join(req.Folders[0], "masks"))
	res := wantSkips(t, req)
	if r := record(t, res, "a"); r.Tier != manifests.Manual {
		t.Errorf("got %+v", r)
	}
}

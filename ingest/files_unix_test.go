//go:build unix

package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"hdseg/manifests"
)

// Everything that a file system may hold in a folder of pictures: each that is not read has one line that says why, without
// the machine's paths, and nothing is waited for.
func TestFilesOfAllKinds(t *testing.T) {
	long := strings.Repeat("x", 250)
	req := folderOf(t,
		member{"images/a.JPEG", jpegBytes(40, 30, 1)}, member{"images/a.jpg", jpegBytes(40, 30, 2)}, member{"images/A.jpg", jpegBytes(40, 30, 3)},
		member{"images/two\nlines.jpg", jpegBytes(40, 30, 4)}, member{"images/bad\xff.jpg", jpegBytes(40, 30, 5)}, member{"images/" + long + ".jpg", jpegBytes(40, 30, 6)},
		member{"images/gone.jpg", jpegBytes(40, 30, 7)}, member{"images/cut.jpg", jpegBytes(40, 30, 8)}, member{"target.bin", jpegBytes(40, 30, 9)})
	images := filepath.Join(req.Folders[0], "images")
	for name, target := range map[string]string{"link.jpg": "../target.bin", "nowhere.jpg": "none", "circle.jpg": "circle.jpg", "device.jpg": os.DevNull} {
		if err := os.Symlink(target, filepath.Join(images, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(images, "pipe.jpg"), 0o666); err != nil {
		t.Fatal(err)
	}
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), req, store, func(stage string, done, total int) {
		if stage == "list" && total > 0 { // between listing and reading
			if err := os.Remove(filepath.Join(images, "gone.jpg")); err != nil {
				t.Error(err)
			}
			if err := os.Truncate(filepath.Join(images, "cut.jpg"), 100); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // record: reason and a part of the detail
		"a":                      "duplicate_id 001/images/a.jpg: 001/images/a.JPEG has this name and is kept",
		"gone":                   "unreadable_image 001/images/gone.jpg: no such file or directory",
		"cut":                    "unreadable_image 001/images/cut.jpg: the file was cut while ingest ran: got 100 bytes",
		"001/images/nowhere.jpg": "unreadable a link that leads nowhere: no such file or directory",
		"001/images/circle.jpg":  "unreadable a link that leads nowhere: too many levels of symbolic links",
		"001/images/device.jpg":  "unsafe_member want a regular file, got a device",
		"001/images/pipe.jpg":    "unsafe_member want a regular file, got a pipe",
	}
	for _, s := range res.Manifest.Skipped {
		if reason, detail, _ := strings.Cut(want[s.Record], " "); s.Reason != reason || !strings.Contains(s.Detail, detail) || strings.Contains(s.Detail, req.Folders[0]) {
			t.Errorf("got %+v, want %q", s, want[s.Record])
		}
		delete(want, s.Record)
	}
	if len(want) > 0 {
		t.Errorf("not said: %v", want)
	}
	var ids []string
	for _, r := range res.Manifest.Records {
		ids = append(ids, r.ID)
		if strings.Contains(r.Image.Origin, "\n") || !utf8.ValidString(r.Image.Origin) {
			t.Errorf("%s: got origin %q", r.ID, r.Image.Origin)
		}
	}
	if !slices.Equal(ids, []string{"A", "a", "bad%FF", "link", "two%0Alines", safeID(long)}) {
		t.Errorf("got %q", ids)
	}
}

// A file that goes between the listing of its folder and the look at its size is one line, too.
func TestFileGoneWhileWalking(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"a.jpg", []byte("1")}, member{"b.jpg", []byte("2")}, member{"c.jpg", []byte("3")})
	var seen []string
	w, faults := testWalker(t, func(e entry) error {
		seen = append(seen, e.name)
		if e.name == "a.jpg" {
			return os.Remove(filepath.Join(dir, "b.jpg"))
		}
		return nil
	})
	if err := w.walk(dir); err != nil || !slices.Equal(seen, []string{"a.jpg", "c.jpg"}) {
		t.Errorf("got %v, %v", seen, err)
	}
	if f := *faults; len(f) != 1 || f[0].reason != "unreadable" || f[0].detail != "no such file or directory" {
		t.Errorf("got %v", f)
	}
}

// Pictures and masks without permission are a line each, a folder or an archive without it is an error that names it.
func TestFilesWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may read everything")
	}
	req := folderOf(t, member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/b.jpg", jpegBytes(40, 30, 2)}, member{"masks/b.png", grayMask(40, 30, 0, 255)}, member{"images/closed/c.jpg", jpegBytes(4, 3, 1)})
	at := func(name string) string { return filepath.Join(req.Folders[0], name) }
	for _, name := range []string{"images/a.jpg", "masks/b.png"} {
		if err := os.Chmod(at(name), 0); err != nil {
			t.Fatal(err)
		}
	}
	res := wantSkips(t, req, "a unreadable_image", "b unreadable_mask")
	for _, s := range res.Manifest.Skipped {
		if !strings.HasSuffix(s.Detail, ": permission denied") || strings.Contains(s.Detail, req.Folders[0]) {
			t.Errorf("got %v", s)
		}
	}
	if err := os.Chmod(at("images/closed"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(at("images/closed"), 0o777)
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "closed: permission denied") {
		t.Errorf("got %v", err)
	}
}

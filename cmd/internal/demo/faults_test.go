package demo

import (
	"archive/tar"
	"bytes"
	"encoding/xml"
	"errors"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests/format"
)

func TestPlantedFaultsAreThere(t *testing.T) {
	o := small()
	o.Faults = true
	dir, w := drawIn(t, o)
	images, err := members(t, w.ImageNetTar)
	if err != nil {
		t.Fatal(err)
	}
	pictures := map[string][]byte{}
	for _, m := range images {
		pictures[strings.TrimSuffix(m.name, ".JPEG")] = m.data
	}
	found := map[Kind]int{}
	for _, f := range w.Planted {
		found[f.Kind]++
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		switch f.Kind {
		case CorruptImage:
			if _, err := jpeg.Decode(bytes.NewReader(pictures[f.Record])); err == nil || len(pictures[f.Record]) == 0 {
				t.Errorf("%s decodes, want a cut JPEG", f.Record)
			}
			delete(pictures, f.Record)
		case MissingMask:
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: got %v, want no such file", f.Path, err)
			}
			picture := strings.NewReplacer("SegmentationClass", "JPEGImages", "masks", "images", ".png", ".jpg").Replace(file)
			decode(t, picture)
		case BoxOutside:
			checkOutside(t, w, f.Record)
		case TruncatedTar:
			whole, err := members(t, file)
			if strings.Contains(f.Path, "member") {
				if !errors.Is(err, io.ErrUnexpectedEOF) || len(whole) != 2 {
					t.Errorf("%s: got %d members and %v, want 2 and an unexpected end", f.Path, len(whole), err)
				}
			} else if err != nil || len(whole) != 2 || endsInZeros(t, file) {
				t.Errorf("%s: got %d members and %v, want 2 and no end blocks", f.Path, len(whole), err)
			}
		case Duplicate:
			a, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(w.VOCDir, "JPEGImages", f.Twin+".jpg"))
			if err != nil || !bytes.Equal(a, b) || f.Twin == f.Record {
				t.Errorf("%s and %s: want equal bytes under two ids, %v", f.Record, f.Twin, err)
			}
			decode(t, filepath.Join(w.TestDir, "masks", f.Record+".png"))
		}
	}
	for k, n := range map[Kind]int{CorruptImage: 1, MissingMask: 2, BoxOutside: 1, TruncatedTar: 2, Duplicate: 1} {
		if found[k] != n {
			t.Errorf("%s: got %d planted, want %d", k, found[k], n)
		}
	}
	for id, data := range pictures {
		if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s, which is sound: %v", id, err)
		}
	}
}

func checkOutside(t *testing.T, w World, id string) {
	t.Helper()
	files, err := members(t, w.BoxesTar)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range files {
		if !strings.HasSuffix(m.name, "/"+id+".xml") {
			continue
		}
		var a format.VOCAnnotation
		if err := xml.Unmarshal(m.data, &a); err != nil {
			t.Fatal(err)
		}
		for _, o := range a.Objects {
			if o.XMin <= a.Width || o.XMax < o.XMin {
				t.Errorf("%s: columns %d..%d of %d, want all to the right of the picture", id, o.XMin, o.XMax, a.Width)
			}
		}
		return
	}
	t.Errorf("%s has no box file", id)
}

func endsInZeros(t *testing.T, file string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return len(data) >= 1024 && bytes.Equal(data[len(data)-1024:], make([]byte, 1024))
}

// The faults are additions: every sound record has the bytes that it has without them.
func TestFaultsLeaveTheSoundRecordsAlone(t *testing.T) {
	o := small()
	dir, sound := drawIn(t, o)
	o.Faults = true
	_, w := drawIn(t, o)
	checked := 0
	for _, pattern := range []string{"VOCdevkit/VOC2012/*/*", "test/*/*", "truth/*"} {
		for _, file := range list(t, filepath.Join(dir, filepath.FromSlash(pattern))) {
			if s, err := os.Stat(file); err != nil || s.IsDir() {
				continue
			}
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := os.ReadFile(file)
			b, err := os.ReadFile(filepath.Join(filepath.Dir(w.TestDir), rel))
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs in the world with faults: %v", rel, err)
			}
			checked++
		}
	}
	if want := 3*(8+3) + 2*5 + 8 + 4; checked != want {
		t.Errorf("compared %d files, want %d", checked, want)
	}
	before, err := members(t, sound.ImageNetTar)
	if err != nil {
		t.Fatal(err)
	}
	after, err := members(t, w.ImageNetTar)
	if err != nil || len(after) != len(before)+2 {
		t.Fatalf("members: got %d, %v, want two more than %d", len(after), err, len(before))
	}
	for i, m := range before {
		if after[i].name != m.name || !bytes.Equal(after[i].data, m.data) {
			t.Errorf("member %d: got %s, want the bytes of %s", i, after[i].name, m.name)
		}
	}
}

func TestArchiveHeadersHaveNoOwner(t *testing.T) {
	_, w := drawIn(t, small())
	f, err := os.Open(w.ImageNetTar)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := tar.NewReader(f).Next()
	if err != nil {
		t.Fatal(err)
	}
	if h.Mode != 0o644 || h.Gid != 0 || h.Gname != "" {
		t.Errorf("got mode %o, group %d %q, want 644 and none", h.Mode, h.Gid, h.Gname)
	}
}

package ingest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

func stanfordFiles() []member {
	return []member{
		{"images/a.jpg", jpegBytes(3, 2, 1)}, {"images/b.jpg", jpegBytes(3, 2, 2)}, {"images/c.jpg", jpegBytes(3, 2, 3)},
		{"images/d.jpg", jpegBytes(3, 2, 4)}, {"images/e.jpg", []byte("no")},
		{"labels/a.regions.txt", []byte("7 7 0\n-1 1 7\n")}, {"labels/b.regions.txt", []byte("1 1 1\n2 2 2\n")},
		{"labels/c.regions.txt", []byte("7 7\n7 7\n")}, {"labels/e.regions.txt", []byte("7 7 7\n7 7 7\n")},
		{"labels/a.surfaces.txt", nil}, {"horizons.txt", []byte("a 3 2 1\nb 3 2 -4\n")},
	}
}

func TestStanford(t *testing.T) {
	dir := plant(t, t.TempDir(), stanfordFiles()...)
	req := Request{Dataset: "stanford", Class: manifests.Class{Name: "foreground"}, Stanford: []string{dir}, Options: Defaults(), Workers: 2, Version: "test"}
	res := wantSkips(t, req, "c mask_size", "d missing_mask", "e not_a_picture")
	if res.Other["other_class"] != 1 || len(res.Manifest.Records) != 1 {
		t.Errorf("got %v and %d records", res.Other, len(res.Manifest.Records))
	}
	_, store := mustIngest(t, req)
	if m := maskOf(t, store, record(t, res, "a")); !slices.Equal(m.Pix, []uint8{1, 1, 0, 255, 0, 1}) {
		t.Errorf("got %v", m.Pix)
	}
}

func TestScenes(t *testing.T) {
	dir := plant(t, t.TempDir(), stanfordFiles()...)
	for _, workers := range []int{1, 4} {
		var got []string
		skips, err := Scenes(t.Context(), dir, Defaults(), workers, func(s Scene) error {
			got = append(got, s.ID)
			if s.ID == "a" && (!slices.Equal(s.Labels.Pix, []uint8{7, 7, 0, 255, 1, 7}) || s.Image.Width != 3) {
				t.Errorf("got %+v", s)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, []string{"a", "b"}) || len(skips) != 3 || skips[0].Record != "c" || !strings.Contains(skips[0].Detail, "got 2 x 2, want the picture's 3 x 2") {
			t.Errorf("got %v, %v, %v", got, skips, err)
		}
	}
	stop := errors.New("enough")
	if _, err := Scenes(t.Context(), dir, Defaults(), 2, func(Scene) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if _, err := Scenes(t.Context(), plant(t, t.TempDir(), member{"x", nil}), Defaults(), 2, func(Scene) error { return nil }); err == nil {
		t.Error("an empty tree was accepted")
	}
}

// The shared frames: 235 of 320 x 240, labels 0..10.
func TestScenesReal(t *testing.T) {
	dir := dataDir(t)
	n := 0
	var seen [256]int
	skips, err := Scenes(t.Context(), dir+"/iccv09Data", Defaults(), 2, func(s Scene) error {
		n++
		if s.Image.Width != 320 || s.Image.Height != 240 {
			t.Errorf("%s: got %d x %d", s.ID, s.Image.Width, s.Image.Height)
		}
		for _, v := range s.Labels.Pix {
			seen[v]++
		}
		return nil
	})
	if err != nil || n != 235 || len(skips) != 0 {
		t.Errorf("got %d scenes, %v, %v", n, skips, err)
	}
	for v, count := range seen {
		if (count > 0) != (v <= 10 || v == 255) {
			t.Errorf("label %d occurs %d times", v, count)
		}
	}
}

// Labels whose picture is gone are listed, in Scenes too; the case of extensions does not matter.
func TestStanfordOrphan(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"images/a.JPG", jpegBytes(3, 2, 1)}, member{"labels/a.REGIONS.TXT", []byte("7 7 0\n-1 1 7\n")}, member{"labels/9.regions.txt", []byte("7 7\n")})
	req := Request{Dataset: "stanford", Class: manifests.Class{Name: "foreground"}, Stanford: []string{dir}, Options: Defaults(), Workers: 2, Version: "test"}
	if res := wantSkips(t, req, "9 mask_without_image"); res.Kept != 1 || res.Dropped != 0 {
		t.Errorf("kept %d, dropped %d", res.Kept, res.Dropped)
	}
	skips, err := Scenes(t.Context(), dir, Defaults(), 1, func(Scene) error { return nil })
	if err != nil || len(skips) != 1 || !strings.Contains(skips[0].Detail, "labels/9.regions.txt") {
		t.Errorf("got %v, %v", skips, err)
	}
}

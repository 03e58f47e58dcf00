package ingest

import (
	"slices"
	"strings"
	"testing"
)

// Pictures in hidden folders are read like others; hidden pictures, and those in folders of copies, are named among what was left aside; only
// what systems leave behind is passed over without a word. Folders and archives have one rule.
func TestHiddenPaths(t *testing.T) {
	home := "home/u/.cache/imagenet/"
	files := []member{
		{home + "n02374451_1.JPEG", jpegBytes(40, 30, 1)}, {"n02374451_2.JPEG", jpegBytes(40, 30, 2)}, {".n02374451_3.JPEG", jpegBytes(40, 30, 3)},
		{"a/.thumbnails/n02374451_4.JPEG", jpegBytes(40, 30, 4)}, {".hidden.tar", tarOf(member{"n02374451_5.JPEG", jpegBytes(40, 30, 5)})}, {"a/.notes", nil},
		{"a/.cache.tar/n02374451_6.JPEG", jpegBytes(40, 30, 6)},
		{"$RECYCLE.BIN/n02374451_7.JPEG", jpegBytes(40, 30, 7)}, {".DS_Store", nil}, {"__MACOSX/n02374451_2.JPEG", nil}, {"a/._n02374451_2.JPEG", nil}, {"Thumbs.db", nil}, {"a/desktop.ini", nil}, {".git/config", nil},
	}
	dir := plant(t, t.TempDir(), files...)
	for name, root := range map[string]string{"folder": dir, "tar": archiveFile(t, "x.tar", tarOf(files...)), "tgz": archiveFile(t, "x.tgz", gz(tarOf(files...))), "zip": archiveFile(t, "x.zip", zipOf(t, files...))} {
		req := Request{Dataset: "x", Class: Horse(), ImageNet: []string{root}, Options: Defaults(), Workers: 1, Version: "test"}
		res := wantSkips(t, req)
		for _, id := range []string{"n02374451_1", "n02374451_2", "n02374451_6"} {
			record(t, res, id)
		}
		var aside []string
		for _, a := range res.Aside {
			aside = append(aside, a.Code+" "+a.Name[strings.IndexAny(a.Name, "/!")+1:])
		}
		want := []string{"hidden_file a/.notes", "hidden_picture $RECYCLE.BIN/n02374451_7.JPEG", "hidden_picture .hidden.tar", "hidden_picture .n02374451_3.JPEG", "hidden_picture a/.thumbnails/n02374451_4.JPEG"}
		if res.Kept != 3 || !slices.Equal(aside, want) {
			t.Errorf("%s: kept %d, left aside %q, want 3 and %q", name, res.Kept, aside, want)
		}
		if !slices.ContainsFunc(res.Notices(&req), func(s string) bool { return strings.HasPrefix(s, "4 pictures or archives hide") }) {
			t.Errorf("%s: got %v", name, res.Notices(&req))
		}
	}
}

// A plain folder with hidden masks and a hidden picture says so.
func TestHiddenMasks(t *testing.T) {
	res := wantSkips(t, folderOf(t, member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/.b.jpg", jpegBytes(40, 30, 2)}, member{".masks/a.png", grayMask(40, 30, 0, 255)}))
	want := []Aside{{"hidden_picture", "001/images/.b.jpg"}, {"picture_outside_images", "001/.masks/a.png"}}
	if res.Kept != 1 || !slices.Equal(res.Aside, want) {
		t.Errorf("kept %d, left aside %v", res.Kept, res.Aside)
	}
}

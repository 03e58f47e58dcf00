package ingest

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"hdseg/manifests"
)

// The folders are found in any case; one that is written so goes before others on the same way; two spellings beside each other are refused.
func TestFolderCase(t *testing.T) {
	mask := grayMask(40, 30, 0, 255)
	for name, files := range map[string][]member{
		"Masks":           {{"images/a.jpg", jpegBytes(40, 30, 1)}, {"Masks/a.png", mask}},
		"both":            {{"IMAGES/a.jpg", jpegBytes(40, 30, 1)}, {"Masks/a.png", mask}},
		"within another":  {{"set/Images/a.jpg", jpegBytes(40, 30, 1)}, {"set/masks/a.png", mask}, {"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n")}},
		"a picture's own": {{"images/Masks/a.jpg", jpegBytes(40, 30, 1)}, {"masks/Masks/a.png", mask}},
	} {
		id := "a"
		if name == "a picture's own" {
			id = "Masks%2Fa"
		}
		if r := record(t, wantSkips(t, folderOf(t, files...)), id); r.Tier != manifests.Manual {
			t.Errorf("%s: got %s", name, r.Tier)
		}
		if r := record(t, wantSkips(t, Request{Dataset: "x", Class: Horse(), Test: archiveFile(t, "x.tar", tarOf(files...)), Options: Defaults(), Workers: 1, Version: "test"}), id); r.Tier != manifests.Manual {
			t.Errorf("%s in an archive: got %s", name, r.Tier)
		}
	}
	req := folderOf(t, member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"Masks/a.png", mask}, member{"masks/b.png", mask})
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "got the folders Masks and masks beside each other, want one") {
		t.Errorf("got %v", err)
	}
	// In two sets each may have its own.
	wantSkips(t, folderOf(t, member{"x/images/a.jpg", jpegBytes(40, 30, 1)}, member{"x/Masks/a.png", mask}, member{"y/Images/b.jpg", jpegBytes(40, 30, 2)}, member{"y/masks/b.png", mask}))
}

// Masks in every format that keeps values; one that does not, and one that is not read, with what to do.
func TestFolderMaskFormats(t *testing.T) {
	pal := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.Black, color.White})
	for i := range pal.Pix {
		if i%40 >= 20 {
			pal.Pix[i] = 1
		}
	}
	var b, g bytes.Buffer
	if err := bmp.Encode(&b, pal); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&g, pal, nil); err != nil {
		t.Fatal(err)
	}
	req := folderOf(t, member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/b.jpg", jpegBytes(40, 30, 2)}, member{"images/c.jpg", jpegBytes(40, 30, 3)},
		member{"images/d.jpg", jpegBytes(40, 30, 4)}, member{"images/e.jpg", jpegBytes(40, 30, 5)},
		member{"masks/a.bmp", b.Bytes()}, member{"masks/b.gif", g.Bytes()}, member{"masks/c.jpg", jpegBytes(40, 30, 1)},
		member{"masks/d.tif", []byte("II*\x00\x08\x00\x00\x00")}, member{"masks/e.png", []byte("II*\x00\x08\x00\x00\x00")})
	res := wantSkips(t, req, "c lossy_mask", "d unsupported_mask", "e corrupt_mask")
	for _, id := range []string{"a", "b"} {
		if m := record(t, res, id).Masks[0]; m.Figure != 600 {
			t.Errorf("%s: got %+v", id, m)
		}
	}
	for i, want := range []string{
		"/masks/c.jpg: mask: got a JPEG file, which does not keep values exactly: want PNG, BMP, GIF or lossless WebP",
		"/masks/d.tif: got a mask in a format that masks are not read from, want PNG, BMP, GIF or lossless WebP",
		"/masks/e.png: mask: got a file in the format TIFF, want PNG, BMP, GIF or lossless WebP",
	} {
		if d := res.Manifest.Skipped[i].Detail; !strings.Contains(d, want) {
			t.Errorf("got %q, want %q", d, want)
		}
	}
	if record(t, res, "d").Tier != manifests.Label || res.Kept != 3 {
		t.Errorf("kept %d", res.Kept)
	}
}

// A table names pictures by any path that leads into images; only boxes of the class, by its name in any case or a synset, count; columns that say
// nothing are named.
func TestFolderTableNames(t *testing.T) {
	files := []member{{"Images/sub/b.jpg", jpegBytes(40, 30, 1)}}
	for _, name := range []string{"sub/b.jpg", "./sub/b.jpg", "images/sub/b.jpg", "./images/sub/b.jpg", "Images//sub/./b.jpg", `.\Images\sub\b.jpg`, "/data/mine/images/sub/b.jpg"} {
		res := wantSkips(t, folderOf(t, append(files, member{"boxes.csv", []byte("image;xmin;ymin;xmax;ymax\n" + name + ";1;2;5;6\n")})...))
		if r := record(t, res, "sub%2Fb"); !slices.Equal(r.Boxes, []manifests.Box{{XMin: 1, YMin: 2, XMax: 5, YMax: 6}}) {
			t.Errorf("%s: got %v", name, r.Boxes)
		}
	}
	res := wantSkips(t, folderOf(t, append(files, member{"boxes.csv", []byte("image,class,xmin,ymin,xmax,ymax,score\nsub/b.jpg,dog,1,1,2,2,1\nsub/b.jpg,Horse,3,3,4,4,1\nsub/b.jpg,n02374451,5,5,6,6,1\nsub/b.jpg,,7,7,8,8,1\n")})...))
	if r := record(t, res, "sub%2Fb"); len(r.Boxes) != 3 || r.Boxes[0].XMin != 3 || res.Other["box_of_other_class"] != 1 {
		t.Errorf("got %v, %v", r.Boxes, res.Other)
	}
	if i := slices.IndexFunc(res.Aside, func(a Aside) bool { return a.Code == "box_table_column" }); i < 0 || !strings.HasSuffix(res.Aside[i].Name, "/boxes.csv: score") {
		t.Errorf("got %v", res.Aside)
	}
}

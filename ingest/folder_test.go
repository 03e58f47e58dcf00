package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A plain training folder: a mask makes a manual record, boxes a bbox record, neither a label record.
func TestFolder(t *testing.T) {
	dir := plant(t, t.TempDir(),
		member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/sub/b.png", grayMask(20, 10, 1, 2)}, member{"images/c.jpg", withExif(jpegBytes(40, 30, 3), 6)},
		member{"images/d.jpg", jpegBytes(40, 30, 4)}, member{"masks/a.png", grayMask(40, 30, 0, 255)}, member{"masks/z.png", grayMask(40, 30, 0, 255)},
		member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax,label\nsub/b.png,1,2,5,6,\nimages/c.jpg,0,0,30,40,horse\nc.jpg,1,1,3,3,dog\nd.jpg,50,50,60,60,\nnone.jpg,1,2,3,4,\n")},
		member{"readme.txt", nil})
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 2, Version: "test"}
	res := wantSkips(t, req, "d box_outside", "none box_without_image", "z mask_without_image")
	for id, want := range map[string]struct {
		tier  manifests.Tier
		boxes []manifests.Box
	}{
		"a":       {manifests.Manual, nil},
		"sub%2Fb": {manifests.BBox, []manifests.Box{{XMin: 1, YMin: 2, XMax: 5, YMax: 6}}},
		"c":       {manifests.BBox, []manifests.Box{{XMax: 30, YMax: 40}}}, // upright pixels
		"d":       {manifests.Label, nil},
	} {
		if r := record(t, res, id); r.Tier != want.tier || !slices.Equal(r.Boxes, want.boxes) || r.Split != manifests.Train {
			t.Errorf("%s: got %s %v, want %v", id, r.Tier, r.Boxes, want)
		}
	}
	if res.Other["other_file"] != 1 || res.Other["box_of_other_class"] != 1 || res.Dropped != 0 || len(res.Aside) != 2 || !strings.HasSuffix(res.Aside[0].Name, "/boxes.csv: line 4: dog") || !strings.HasSuffix(res.Aside[1].Name, "/readme.txt") {
		t.Errorf("got %v, %v, %v", res.Other, res.Warnings, res.Aside)
	}
	plant(t, dir, member{"boxes.csv", []byte("image,xmin\n")})
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "boxes.csv: box table") {
		t.Errorf("got %v", err)
	}
	picture, mask := jpegBytes(4, 4, 1), grayMask(4, 4, 0, 1)
	for want, files := range map[string][]member{
		"no pictures in a folder images; want images/ with the pictures and masks/ with masks of the same names; the folder holds pictures/": {{"pictures/a.jpg", picture}},
		"the folder holds a.jpg, b.jpg, c.jpg, d.jpg and 1 more files":                                                                       {{"a.jpg", picture}, {"b.jpg", picture}, {"c.jpg", picture}, {"d.jpg", picture}, {"e.jpg", picture}},
		"no picture has a mask of its name in masks/: got masks/a_mask.png for a.jpg, want masks/a.png":                                      {{"images/a.jpg", picture}, {"masks/a_mask.png", mask}},
		"no picture has a mask of its name in masks/: got images/b.mask.png for b.jpg, want masks/b.png":                                     {{"images/a.jpg", picture}, {"images/b.jpg", picture}, {"images/b.mask.png", mask}},
	} {
		req.Folders = []string{plant(t, t.TempDir(), files...)}
		if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	// one mask that fits, or a picture that is only called like a mask, is no reason to refuse all
	for _, files := range [][]member{
		{{"images/a.jpg", picture}, {"masks/a.png", mask}, {"images/b.jpg", picture}, {"masks/b_mask.png", mask}},
		{{"images/a.jpg", picture}, {"images/a_seg.jpg", picture}},
	} {
		req.Folders = []string{plant(t, t.TempDir(), files...)}
		if _, _, err := ingestOf(t, req); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

// A source whose folder of pictures is named instead: the message has the flag, the whole path and, if it would do, the folder above.
func TestFolderAbove(t *testing.T) {
	pictures := plant(t, t.TempDir(), member{"images/a.jpg", jpegBytes(4, 4, 1)}, member{"JPEGImages/a.jpg", jpegBytes(4, 4, 1)}, member{"annotations/readme.txt", nil})
	in, alone := filepath.Join(pictures, "images"), plant(t, t.TempDir(), member{"deep/a.jpg", jpegBytes(4, 4, 1)})
	for flag, c := range map[string]struct {
		req  Request
		want string
	}{
		"--folder":   {Request{Folders: []string{in}}, "images/ with the pictures and masks/ with masks of the same names: name the folder above, " + pictures + ", which holds images/"},
		"--test":     {Request{Test: in, Folders: []string{pictures}}, "name the folder above, " + pictures + ", which holds images/"},
		"--voc":      {Request{VOC: []string{filepath.Join(pictures, "JPEGImages")}}, "name the folder above, " + pictures + ", which holds JPEGImages/"},
		"--hdseg":    {Request{HDSeg: []string{filepath.Join(pictures, "annotations")}}, "name the folder above, " + pictures + ", which holds annotations/"},
		"--stanford": {Request{Stanford: []string{in}}, "name the folder above, " + pictures + ", which holds images/"},
		"--imagenet": {Request{ImageNet: []string{in}}, "the folder holds a.jpg"},
		"--folder ":  {Request{Folders: []string{alone}}, "the folder holds deep/"},
	} {
		c.req.Dataset, c.req.Class, c.req.Options, c.req.Workers, c.req.Version = "x", Horse(), Defaults(), 1, "test"
		_, _, err := ingestOf(t, c.req)
		paths := append(slices.Concat(c.req.VOC, c.req.HDSeg, c.req.Stanford, c.req.ImageNet), c.req.Test)
		if paths[0] == "" {
			paths = c.req.Folders
		}
		if want := "ingest: " + strings.TrimSpace(flag) + " " + paths[0] + ": got no "; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s ... %s", flag, err, want, c.want)
		}
	}
}

func TestSelect(t *testing.T) {
	c, err := Select(Horse(), []string{"n02391049"}, []string{"n02389026", "n02374451"})
	if err != nil || len(c.Synsets) != 87 || slices.Contains(c.Synsets, "n02389026") || !slices.Contains(c.Synsets, "n02391049") || !slices.IsSorted(c.Synsets) {
		t.Errorf("got %v, %v", c.Synsets, err)
	}
	if len(Horse().Synsets) != 88 {
		t.Error("the class itself changed")
	}
	if c, err = Select(Horse(), []string{"n02374451"}, nil); err != nil || len(c.Synsets) != 88 {
		t.Errorf("one that is there: got %d, %v", len(c.Synsets), err)
	}
	for _, bad := range []string{"horse", "n02391049"} {
		if _, err := Select(Horse(), nil, []string{bad}); err == nil {
			t.Errorf("excluding %s, which is not there, was accepted", bad)
		}
	}
	if _, err := Select(Horse(), []string{"zebra"}, nil); err == nil {
		t.Error("zebra is no wnid")
	}
}

// A file in masks that has a picture's name but is no picture was meant as its mask; beside a mask that is read it is left aside.
func TestFolderUnreadMask(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"images/1.JPG", jpegBytes(40, 30, 1)}, member{"images/2.jpg", jpegBytes(40, 30, 2)}, member{"images/4.jpg", jpegBytes(40, 30, 4)},
		member{"masks/1.PNG", grayMask(40, 30, 0, 255)}, member{"masks/1.json", []byte("{}")}, member{"masks/2.npy", []byte("\x93NUMPY")}, member{"masks/4.JSON", []byte("{}")}, member{"masks/notes.txt", nil})
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	res := wantSkips(t, req, "2 unsupported_mask", "4 unsupported_mask")
	if res.Other["other_file"] != 2 || len(res.Aside) != 2 || res.Dropped != 0 || res.Kept != 3 || record(t, res, "1").Tier != manifests.Manual {
		t.Errorf("got %v, %v, dropped %d, kept %d", res.Other, res.Aside, res.Dropped, res.Kept)
	}
	if d := res.Manifest.Skipped[0].Detail; !strings.Contains(d, "2.npy") || !strings.Contains(d, "PNG") {
		t.Errorf("got %q", d)
	}
}

// A source that is missing or is neither file nor folder is named by its flag, without waiting for it.
func TestReadable(t *testing.T) {
	dir := t.TempDir()
	for want, req := range map[string]Request{
		"":                                       {VOC: []string{dir}, Test: dir, COCO: []COCO{{dir, dir}}},
		"--voc nowhere: no such file or folder":  {VOC: []string{dir, "nowhere"}},
		"--test nowhere: no such file or folder": {Folders: []string{dir}, Test: "nowhere"},
		"--coco b: no such file or folder":       {COCO: []COCO{{dir, "b"}}},
		"--folder " + os.DevNull + ": want a file or a folder, got a device": {Folders: []string{os.DevNull}},
	} {
		if err := req.Readable(); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestSeveralTestFolders says it when --test holds folders of pictures that may show different classes.
func TestSeveralTestFolders(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"dog/images/a.jpg", jpegBytes(40, 30, 1)}, member{"dog/masks/a.png", grayMask(40, 30, 0, 255)},
		member{"horse/images/b.jpg", jpegBytes(40, 30, 2)}, member{"horse/masks/b.png", grayMask(40, 30, 0, 255)})
	for test, want := range map[string]string{dir: "holds 2 folders with images: dog (1), horse (1)", filepath.Join(dir, "dog"): ""} {
		res := wantSkips(t, Request{Dataset: "x", Class: Horse(), Test: test, Options: Defaults(), Workers: 1, Version: "test"})
		if got := strings.Join(res.Labels, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", test, got, want)
		}
	}
}

package ingest

import (
	"strings"
	"testing"

	"hdseg/manifests"
)

// A mask belongs to the picture in the folder images beside it, and to no picture of another set.
func TestFolderSets(t *testing.T) {
	mask := grayMask(40, 30, 0, 255)
	for name, c := range map[string]struct {
		files   []member
		train   []string // skips
		test    []string
		manual  []string // training records with a mask
		without []string
	}{
		"two sets with one name": {
			[]member{{"a/images/1.jpg", jpegBytes(40, 30, 1)}, {"b/images/1.jpg", jpegBytes(40, 30, 2)}, {"b/masks/1.png", mask}},
			[]string{"1 duplicate_id"}, []string{"1 missing_mask"}, nil, []string{"1"},
		},
		"mask of another set": {
			[]member{{"set1/images/x.jpg", jpegBytes(40, 30, 1)}, {"set2/masks/x.png", mask}},
			[]string{"x mask_without_image"}, []string{"x mask_without_image", "x missing_mask"}, nil, []string{"x"},
		},
		"two whole sets": {
			[]member{{"a/images/1.jpg", jpegBytes(40, 30, 1)}, {"a/masks/1.png", mask}, {"b/images/sub/2.jpg", jpegBytes(40, 30, 2)}, {"b/masks/sub/2.png", mask}},
			nil, nil, []string{"1", "sub%2F2"}, nil,
		},
		"an archive each": {
			[]member{{"images.tar", tarOf(member{"images/1.jpg", jpegBytes(40, 30, 1)})}, {"masks.tar", tarOf(member{"masks/1.png", mask})}},
			nil, nil, []string{"1"}, nil,
		},
		"archives of both": {
			[]member{{"a.tar", tarOf(member{"images/1.jpg", jpegBytes(40, 30, 1)}, member{"images/2.jpg", jpegBytes(40, 30, 2)}, member{"masks/2.png", mask})},
				{"b.tar", tarOf(member{"images/3.jpg", jpegBytes(40, 30, 3)}, member{"masks/1.png", mask})}},
			[]string{"1 mask_without_image"}, []string{"1 mask_without_image", "1 missing_mask", "3 missing_mask"}, []string{"2"}, []string{"1", "3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := plant(t, t.TempDir(), c.files...)
			req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
			res := wantSkips(t, req, c.train...)
			for _, id := range c.manual {
				if r := record(t, res, id); r.Tier != manifests.Manual {
					t.Errorf("%s: got %s", id, r.Tier)
				}
			}
			for _, id := range c.without {
				if r := record(t, res, id); r.Tier != manifests.Label || len(r.Masks) > 0 {
					t.Errorf("%s: got %s, %v: a mask of another set", id, r.Tier, r.Masks)
				}
			}
			req.Folders, req.Test = nil, dir
			for _, s := range c.test {
				if got, _ := mustIngest(t, req); !strings.Contains(strings.Join(reasons(got), ","), s) {
					t.Errorf("as --test: got %v, want %s", reasons(got), s)
				}
			}
		})
	}
}

// Each set has a box table of its own.
func TestFolderSetTables(t *testing.T) {
	dir := plant(t, t.TempDir(),
		member{"a/images/1.jpg", jpegBytes(40, 30, 1)}, member{"b/images/2.jpg", jpegBytes(40, 30, 2)}, member{"b/boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n1.jpg,1,2,5,6\n2.jpg,1,2,5,6\n")},
		member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n1.jpg,1,2,5,6\n")})
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	res := wantSkips(t, req, "001/boxes.csv box_without_image", "1 box_without_image")
	if a, b := record(t, res, "1"), record(t, res, "2"); len(a.Boxes) != 0 || len(b.Boxes) != 1 {
		t.Errorf("got %v, %v", a.Boxes, b.Boxes)
	}
}

// Of two masks of one picture the first counts, and the other is named.
func TestFolderMaskTwice(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"images/1.jpg", jpegBytes(40, 30, 1)}, member{"masks/1.jpeg", nil}, member{"masks/1.png", grayMask(40, 30, 0, 255)})
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	wantSkips(t, req, "1 corrupt_mask", "1 duplicate_id")
}

package ingest

import (
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// wantDetail finds a skip of a record with this reason whose detail names both files.
func wantDetail(t *testing.T, res *Result, record, reason, lost, kept string) {
	t.Helper()
	for _, s := range res.Manifest.Skipped {
		if s.Record == record && s.Reason == reason && strings.Contains(s.Detail, lost+": ") && strings.Contains(s.Detail, kept+" ") {
			return
		}
	}
	t.Errorf("no skip %s %s that says %s is lost and %s kept: %v", record, reason, lost, kept, res.Manifest.Skipped)
}

// VOC pictures of one name: the JPEG counts, whichever is read first, and the other is named.
func TestVOCPictureTwice(t *testing.T) {
	for _, other := range []string{"png", "bmp"} { // one after .jpg in the order of names, one before
		v := "VOC2012/"
		picture := vocMask(40, 30, 13)
		dir := plant(t, t.TempDir(),
			member{v + "ImageSets/Segmentation/trainval.txt", []byte("000032\n")}, member{v + "ImageSets/Segmentation/trainval.md", []byte("none\n")},
			member{v + "JPEGImages/000032.jpg", jpegBytes(40, 30, 1)}, member{v + "JPEGImages/000032." + other, picture}, member{v + "JPEGImages/000032.xml", nil},
			member{v + "JPEGImages/000033.jpg", jpegBytes(40, 30, 2)}, member{v + "JPEGImages/000033.png", picture},
			member{v + "SegmentationClass/000032.png", vocMask(40, 30, 13)})
		req := Request{Dataset: "x", Class: Horse(), VOC: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
		res := wantSkips(t, req, "000032 duplicate_id") // 000033 is not in the set
		wantDetail(t, res, "000032", "duplicate_id", "000032."+other, "000032.jpg")
		if r := record(t, res, "000032"); r.Image.Format != "jpeg" {
			t.Errorf("got %+v", r.Image)
		}
		if res.Other["other_file"] != 1 {
			t.Errorf("got %v", res.Other)
		}
	}
}

// A tree of HDSeg that holds a copy of itself, and pictures of one name.
func TestHDSegTwice(t *testing.T) {
	mask := grayMask(40, 30, 0, 255)
	var files []member
	for _, at := range []string{"", "copy/"} {
		files = append(files, member{at + "annotations/HorseSeg/voc12/2008_000001.gt.png", mask}, member{at + "images/HorseSeg/voc12/2008_000001.jpg", jpegBytes(40, 30, 1)})
	}
	files = append(files, member{"annotations/HorseSeg/test/foo_1.png", mask},
		member{"images/HorseSeg/test/foo_1.jpg", jpegBytes(40, 30, 2)}, member{"images/HorseSeg/test/foo_1.png", vocMask(40, 30, 13)})
	dir := plant(t, t.TempDir(), files...)
	req := Request{Dataset: "x", Class: Horse(), HDSeg: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	res := wantSkips(t, req, "2008_000001 duplicate_id", "foo_1 duplicate_id")
	wantDetail(t, res, "2008_000001", "duplicate_id", "001/copy/annotations/HorseSeg/voc12/2008_000001.gt.png", "001/annotations/HorseSeg/voc12/2008_000001.gt.png")
	wantDetail(t, res, "2008_000001", "duplicate_id", "001/images/HorseSeg/voc12/2008_000001.jpg", "001/copy/images/HorseSeg/voc12/2008_000001.jpg")
	wantDetail(t, res, "foo_1", "duplicate_id", "foo_1.png", "foo_1.jpg")
	if r := record(t, res, "foo_1"); r.Image.Format != "jpeg" {
		t.Errorf("got %+v", r.Image)
	}

	// Two trees: the first one's picture with its masks is kept.
	req.HDSeg = append(req.HDSeg, plant(t, t.TempDir(), files...))
	res, _ = mustIngest(t, req)
	if len(res.Manifest.Records) != 2 || len(record(t, res, "2008_000001").Masks) != 1 {
		t.Errorf("got %+v", res.Manifest.Records)
	}
}

// A picture of another source gets one mask of HDSeg, the drawn one, from one tree.
func TestHDSegAttachedTwice(t *testing.T) {
	mask := grayMask(40, 30, 0, 255)
	tree := []member{{"annotations/HorseSeg/n02374451/n02374451_1.bb.png", grayMask(40, 30, 255, 0)}, {"annotations/HorseSeg/n02374451/n02374451_1.gt.png", mask}}
	req := world(t)
	req.HDSeg = []string{plant(t, t.TempDir(), tree...), plant(t, t.TempDir(), tree...)}
	res, store := mustIngest(t, req)
	r := record(t, res, "n02374451_1")
	if len(r.Masks) != 1 || r.Masks[0].Tier != HDSegTier || maskOf(t, store, r).Pix[0] != 0 || res.Other["hdseg_attached"] != 1 {
		t.Errorf("got %+v, %v", r.Masks, res.Other)
	}
	wantDetail(t, res, "n02374451_1", "duplicate_id", "n02374451_1.bb.png", "n02374451_1.gt.png")
}

// Labels belong to the pictures of the folder beside theirs.
func TestStanfordSets(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"a/images/1.jpg", jpegBytes(2, 1, 1)}, member{"b/images/2.jpg", jpegBytes(2, 1, 2)},
		member{"b/labels/1.regions.txt", []byte("7 0\n")}, member{"b/labels/2.regions.txt", []byte("7 0\n")})
	req := Request{Dataset: "x", Class: Horse(), Stanford: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
	res := wantSkips(t, req, "1 mask_without_image", "1 missing_mask")
	if len(res.Manifest.Records) != 1 || res.Manifest.Records[0].Tier != manifests.Manual {
		t.Errorf("got %+v", res.Manifest.Records)
	}
}

// A source that is named twice, also by another path, is refused at the start.
func TestSourceTwice(t *testing.T) {
	dir := t.TempDir()
	twice := []string{dir, filepath.Join(dir, "..", filepath.Base(dir)) + "/"}
	for flag, set := range map[string]func(r *Request){
		"voc":      func(r *Request) { r.VOC = twice },
		"imagenet": func(r *Request) { r.ImageNet = twice },
		"boxes":    func(r *Request) { r.ImageNet, r.Boxes = twice[:1], twice },
		"stanford": func(r *Request) { r.Stanford = twice },
		"hdseg":    func(r *Request) { r.HDSeg = twice },
		"segments": func(r *Request) { r.Segments = twice },
		"folder":   func(r *Request) { r.Folders = twice },
		"coco":     func(r *Request) { r.COCO = []COCO{{twice[0], dir}, {twice[1], dir}} },
	} {
		req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 1, Version: "test"}
		set(&req)
		if err := req.Validate(); err == nil || !strings.Contains(err.Error(), "--"+flag+" ") || !strings.Contains(err.Error(), "name it once") {
			t.Errorf("%s: got %v", flag, err)
		}
	}
}

package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// vocParts are the pictures with their sets and boxes, and the masks, of a year of two pictures.
func vocParts() (pictures, masks []member) {
	v := "VOCdevkit/VOC2012/"
	return []member{
			{v + "ImageSets/Segmentation/trainval.txt", []byte("a\nb\n")}, {v + "JPEGImages/a.jpg", jpegBytes(40, 30, 1)}, {v + "JPEGImages/b.jpg", jpegBytes(40, 30, 2)},
			{v + "Annotations/a.xml", boxXML(40, 30, [5]any{"horse", 1, 1, 20, 30})}},
		[]member{{v + "SegmentationClass/a.png", vocMask(40, 30, 13)}, {v + "SegmentationClass/b.png", vocMask(40, 30, 13)}}
}

func vocOf(root string) Request {
	return Request{Dataset: "x", Class: Horse(), VOC: []string{root}, Options: Defaults(), Workers: 1, Version: "test"}
}

// A devkit in several archives of one folder is one devkit; an archive of it alone says what is missing and what to do.
func TestVOCInSeveralArchives(t *testing.T) {
	pictures, masks := vocParts()
	dir := plant(t, t.TempDir(), member{"images.tar", tarOf(pictures...)}, member{"masks.tar.gz", gz(tarOf(masks...))})
	res := wantSkips(t, vocOf(dir))
	a := record(t, res, "a")
	if res.Kept != 2 || a.Tier != manifests.Manual || a.Source != "voc2012" || !slices.Equal(a.Boxes, []manifests.Box{{XMax: 20, YMax: 30}}) || !strings.HasSuffix(a.Image.Origin, "/images.tar!VOCdevkit/VOC2012/JPEGImages/a.jpg") {
		t.Errorf("kept %d, got %+v", res.Kept, a)
	}
	if _, _, err := ingestOf(t, vocOf(dir+"/masks.tar.gz")); err == nil || !strings.Contains(err.Error(), "ingest: masks.tar.gz: got 2 files in VOCdevkit/VOC2012/SegmentationClass, want ImageSets/Segmentation/trainval.txt too: where a devkit lies in several archives, put them into one folder") {
		t.Errorf("got %v", err)
	}
	res = wantSkips(t, vocOf(dir+"/images.tar"), "a missing_mask", "b missing_mask")
	if d := res.Manifest.Skipped[0].Detail; !strings.Contains(d, "put them into one folder") {
		t.Errorf("got %q", d)
	}

	// The same file in both: the first counts, the other is listed.
	plant(t, dir, member{"more.tar", tarOf(masks[0])})
	wantSkips(t, vocOf(dir), "a duplicate_id")

	// Two whole devkits stay two, of which one is read.
	plant(t, dir, member{"more.tar", tarOf(append(pictures, masks...)...)})
	if res, _ := mustIngest(t, vocOf(dir)); res.Other["older_voc_year"] != 1 {
		t.Errorf("got %v", res.Other)
	}
	pictures[0].name = strings.Replace(pictures[0].name, "trainval", "train", 1)
	other := archiveFile(t, "other.tar", tarOf(append(pictures, masks...)...))
	if _, _, err := ingestOf(t, vocOf(other)); err == nil || !strings.Contains(err.Error(), "other.tar: got the image sets train, want trainval: name one of them with --set ingest.vocSet") {
		t.Errorf("got %v", err)
	}
}

// A devkit whose folders are spelled in another case is the same devkit.
func TestVOCFolderCase(t *testing.T) {
	req := world(t)
	want, _ := mustIngest(t, req)
	year := filepath.Join(req.VOC[0], "VOC2012")
	for _, folder := range []string{"JPEGImages", "SegmentationClass", "Annotations", "ImageSets/Segmentation", "ImageSets"} {
		other := filepath.Join(year, filepath.Dir(folder), strings.ToLower(filepath.Base(folder)))
		if err := os.Rename(filepath.Join(year, folder), other); err != nil {
			t.Fatal(err)
		}
	}
	res := wantSkips(t, req)
	if a, b := record(t, res, "2007_000001"), record(t, want, "2007_000001"); len(a.Boxes) != 1 || !slices.Equal(a.Boxes, b.Boxes) || a.Tier != manifests.Manual || res.Kept != want.Kept {
		t.Errorf("got %+v, want %+v", a, b)
	}
	// Of two spellings of one folder the second is a file twice.
	plant(t, year, member{"JPEGImages/2007_000001.jpg", jpegBytes(40, 30, 9)}, member{"Annotations/2007_000001.xml", boxXML(40, 30)})
	if res := wantSkips(t, req, "2007_000001 duplicate_id"); len(res.Manifest.Skipped) != 2 {
		t.Errorf("got %v", res.Manifest.Skipped)
	}
}

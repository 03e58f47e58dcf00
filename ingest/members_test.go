package ingest

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"

	"hdseg/manifests"
)

// withLinks is an archive that also has links, which are refused, under these names.
func withLinks(t *testing.T, links []string, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range links {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: "elsewhere"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The share of --max-skip is one of pictures: a refused member counts where it would have been a picture of the request, not where it is a mask, a
// box file or a picture among these, whose own pictures are there. Each is listed all the same.
func TestRefusedMembersThatArePictures(t *testing.T) {
	mask, class := grayMask(40, 30, 0, 255), vocMask(40, 30, 13)
	voc := []member{{"VOC2012/ImageSets/Segmentation/trainval.txt", []byte("a\n")}, {"VOC2012/JPEGImages/a.jpg", jpegBytes(40, 30, 1)}, {"VOC2012/SegmentationClass/a.png", class}}
	folder := []member{{"images/a.jpg", jpegBytes(40, 30, 1)}, {"masks/a.png", mask}}
	hdseg := []member{{"HDSeg/images/HorseSeg/voc12/a.JPEG", jpegBytes(40, 30, 1)}, {"HDSeg/annotations/HorseSeg/voc12/a.gt.png", mask}}
	picture := member{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}
	for name, c := range map[string]struct {
		links   []string
		members []member
		put     func(r *Request, file string)
		dropped int
	}{
		"folder: masks":   {[]string{"masks/b.png", "masks/c.png", "notes/d.png"}, folder, func(r *Request, f string) { r.Folders = []string{f} }, 0},
		"folder: picture": {[]string{"masks/b.png", "images/b.jpg", "images/sub/c.jpg"}, folder, func(r *Request, f string) { r.Folders = []string{f} }, 2},
		"voc":             {[]string{"VOC2012/SegmentationClass/b.png", "VOC2012/SegmentationObject/a.png", "VOC2012/JPEGImages/b.jpg"}, voc, func(r *Request, f string) { r.VOC = []string{f} }, 1},
		"hdseg": {[]string{"HDSeg/annotations/HorseSeg/voc12/b.gt.png", "HDSeg/images/HorseSeg/voc12/b.JPEG"}, hdseg,
			func(r *Request, f string) { r.HDSeg = []string{f} }, 1},
		"imagenet": {[]string{"n02374451_2.JPEG", "n01440764_1.JPEG", "list.txt"}, []member{picture}, func(r *Request, f string) { r.ImageNet = []string{f} }, 1},
		"boxes": {[]string{"n02374451_1.xml", "n02374451_1.JPEG"}, []member{{"n02374451_1.xml", boxXML(40, 30)}}, func(r *Request, f string) {
			r.ImageNet, r.Boxes = []string{archiveFile(t, "p.tar", tarOf(picture))}, []string{f}
		}, 0},
	} {
		req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 1, Version: "test"}
		c.put(&req, archiveFile(t, "x.tar", withLinks(t, c.links, c.members...)))
		res, _ := mustIngest(t, req)
		if n := len(res.Manifest.Skipped); n != len(c.links) || res.Dropped != c.dropped || res.Read != 1+c.dropped || res.Kept != 1 {
			t.Errorf("%s: got %v, dropped %d, read %d, kept %d", name, reasons(res), res.Dropped, res.Read, res.Kept)
		}
		req.Options.MaxSkip = 0
		if _, _, err := ingestOf(t, req); (err != nil) != (c.dropped > 0) {
			t.Errorf("%s: with a limit of 0 got %v", name, err)
		}
	}
}

// Content decides what a file of a synset archive is: the extension neither makes a picture nor keeps one from being read.
func TestSynsetArchiveStrays(t *testing.T) {
	synset := tarOf(member{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}, member{"n02374451_2.tiff", []byte("II*\x00\x08\x00\x00\x00")},
		member{"n02374451_3.tiff", jpegBytes(40, 30, 3)}, member{"n02374451_4.JPEG", []byte("II*\x00\x08\x00\x00\x00")},
		member{"n02374451_8.txt", []byte("a remark")}, member{"n02374451_9.txt", jpegBytes(40, 30, 9)}, member{"n01440764_5.txt", []byte("of another synset")})
	res := wantSkips(t, Request{Dataset: "x", Class: Horse(), ImageNet: []string{archiveFile(t, "n02374451.tar", synset)}, Options: Defaults(), Workers: 1, Version: "test"},
		"n02374451_2 unsupported_picture", "n02374451_4 unsupported_picture")
	if res.Dropped != 2 || res.Kept != 3 || res.Warnings["ext_mismatch"] != 2 || len(res.Aside) != 1 || res.Aside[0] != (Aside{"other_file", "n02374451.tar!n02374451_8.txt"}) || res.Other["other_synset"] != 1 {
		t.Errorf("dropped %d, kept %d, %v, %v, %v", res.Dropped, res.Kept, res.Warnings, res.Aside, res.Other)
	}
	for _, id := range []string{"n02374451_3", "n02374451_9"} {
		if r := record(t, res, id); r.Image.Format != "jpeg" || r.Tier != manifests.Label || !strings.HasSuffix(r.Image.Path, ".jpg") {
			t.Errorf("got %+v", r)
		}
	}
}

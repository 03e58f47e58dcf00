package ingest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// folderOf plants a plain training folder and returns the request for it.
func folderOf(t testing.TB, files ...member) Request {
	return Request{
		Dataset: "x", Class: Horse(), Folders: []string{plant(t, t.TempDir(), files...)}, Options: Defaults(), Workers: 2, Version: "test",
	}
}

// A record's size comes from the same decoding as its pixels, and a source that states the size of the turned
// picture is refused, not believed.
func TestSizesComeFromPixels(t *testing.T) {
	stored := strings.Replace(cocoB, `"width": 6, "height": 5`, `"width": 5, "height": 6`, 1) // what a viewer shows
	wantSkips(t, cocoRequest(t, stored, `{"id": 1, "image_id": 11, "category_id": 2, "segmentation": [[1,1,3,1,3,3]]}`), "sub%2Fb mask_size")
	res, store := mustIngest(t, folderOf(t, member{"images/p.jpg", withExif(jpegBytes(40, 30, 1), 8)}, member{"masks/p.png", grayMask(40, 30, 0, 255)}))
	r := record(t, res, "p")
	if m := maskOf(t, store, r); r.Image.Width != 30 || r.Image.Height != 40 || m.Width != 30 || m.Height != 40 {
		t.Errorf("got %+v and a mask of %d x %d, want 30 x 40", r.Image, m.Width, m.Height)
	}
}

// The record says that the tag was applied, and the stored bytes keep it.
func TestStoredBytesKeepExif(t *testing.T) {
	data := withExif(jpegBytes(40, 30, 1), 6)
	res, store := mustIngest(t, folderOf(t, member{"images/p.jpg", data}))
	r := record(t, res, "p")
	if r.Image.Orientation != 6 || r.Image.Width != 30 || slices.Contains(r.Image.Notes, "exif_ignored") {
		t.Errorf("got %+v", r.Image)
	}
	if b, err := store.Read(r.Image.Path, r.Image.SHA256); err != nil || !bytes.Equal(b, data) {
		t.Errorf("the stored bytes changed: %v", err)
	}
}

// Broken metadata never costs a picture; it is noted and counted.
func TestBrokenExifKeepsPicture(t *testing.T) {
	bad := withExif(jpegBytes(40, 30, 1), 6)
	copy(bad[12:], "\xff\xfe\xff") // where the byte order should be
	res := wantSkips(t, folderOf(t, member{"images/p.jpg", bad}))
	if r := record(t, res, "p"); r.Image.Orientation != 1 || !slices.Contains(r.Image.Notes, "exif_broken") || res.Warnings["exif_broken"] != 1 {
		t.Errorf("got %+v, %v", r.Image, res.Warnings)
	}
}

// bombPNG is a small file that declares w x h pixels.
func bombPNG(w, h uint32) []byte {
	data := grayMask(8, 8, 0)
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// Whatever is wrong with a picture (or a mask) takes the same way: a skip with a reason, and the others go on.
// The message names the limit, and a higher limit lets the picture in.
func TestPicturesTakeOnePath(t *testing.T) {
	whole := jpegBytes(40, 30, 1)
	files := []member{
		{"images/bomb.png", bombPNG(65535, 65535)}, {"images/cut.jpg", whole[:len(whole)/2]}, {"images/text.jpg", []byte("<html>")},
		{"images/empty.jpg", nil}, {"images/zero.png", bombPNG(0, 5)}, {"images/good.jpg", whole}, {"images/wide.png", grayMask(300, 200, 5)},
		{"images/m1.jpg", jpegBytes(40, 30, 2)}, {"masks/m1.png", bombPNG(65535, 65535)},
		{"images/m2.jpg", jpegBytes(40, 30, 3)}, {"masks/m2.png", nil},
	}
	req := folderOf(t, files...)
	req.Options.Limits.MaxPixels = 50_000
	res := wantSkips(t, req, "bomb too_large", "cut corrupt_image", "empty not_a_picture", "m1 too_large", "m2 corrupt_mask", "text not_a_picture", "wide too_large", "zero corrupt_image")
	if res.Kept != 1 || res.Dropped != 8 {
		t.Errorf("kept %d, dropped %d", res.Kept, res.Dropped)
	}
	for _, s := range res.Manifest.Skipped {
		if s.Record == "wide" && !strings.Contains(s.Detail, "got 300 x 200 pixels, want at most 50000") {
			t.Errorf("got %q", s.Detail)
		}
	}
	req.Options.Limits.MaxPixels = 60_000
	if res, _ := mustIngest(t, req); res.Kept != 2 {
		t.Errorf("a limit of 60000: kept %d, want 2", res.Kept)
	}
}

// A set in which the class is nowhere is no error and no crash: no record, all counted.
func TestClassIsNowhere(t *testing.T) {
	req := world(t)
	v := filepath.Join(req.VOC[0], "VOC2012", "SegmentationClass")
	plant(t, v, member{"2007_000001.png", vocMask(40, 30, 12)}, member{"2008_000002.png", vocMask(30, 40, 0)})
	req.ImageNet, req.Boxes, req.Test = nil, nil, ""
	res, store := mustIngest(t, req)
	if res.Kept != 0 || res.Other["other_class"] != 3 || len(res.Manifest.Skipped) != 0 {
		t.Errorf("got %+v", res)
	}
	if _, err := manifests.Write(store, "stages/ingest", res.Manifest); err != nil {
		t.Error(err)
	}
	if m, _, err := manifests.Read(store, "stages/ingest"); err != nil || len(m.Records) != 0 {
		t.Errorf("got %+v, %v", m, err)
	}
}

// Where objects overlap none is lost: figure is their union, whatever their order.
func TestOverlappingObjects(t *testing.T) {
	a := `{"id": 1, "image_id": 10, "category_id": 2, "segmentation": [[0,0,4,0,4,3,0,3]]}`
	b := `{"id": 2, "image_id": 10, "category_id": 2, "segmentation": [[2,1,6,1,6,5,2,5]]}`
	for _, objects := range []string{a + "," + b, b + "," + a} {
		res, _ := mustIngest(t, cocoRequest(t, cocoA, objects))
		// 4 x 3 + 4 x 4 - the 2 x 2 of both.
		if m := record(t, res, "a").Masks[0]; m.Figure != 24 {
			t.Errorf("got %d figure pixels, want 24", m.Figure)
		}
	}
}

// A mask of another size is only scaled when asked to, and the record says so.
func TestResizeMasks(t *testing.T) {
	req := folderOf(t, member{"images/p.jpg", jpegBytes(40, 30, 1)}, member{"masks/p.png", grayMask(20, 15, 0, 255)})
	wantSkips(t, req, "p mask_size")
	req.Options.ResizeMasks = ResizeNearest
	res, store := mustIngest(t, req)
	r := record(t, res, "p")
	m := maskOf(t, store, r)
	if m.Width != 40 || m.At(19, 29) != 0 || m.At(20, 0) != 1 || res.Warnings["mask_resized"] != 1 || !slices.Contains(r.Image.Notes, "mask_resized") {
		t.Errorf("got %+v, %v", r, res.Warnings)
	}
	req.Options.ResizeMasks = "linear"
	if err := req.Validate(); err == nil {
		t.Error("linear was accepted")
	}
}

// Masks in RGB. In a folder, black and white in RGB is a mask like one in grey; colors and transparency are refused by name.
func TestRGBMasks(t *testing.T) {
	rgb := func(c color.NRGBA) []byte {
		img := image.NewNRGBA(image.Rect(0, 0, 40, 30))
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 255
		}
		img.SetNRGBA(0, 0, color.NRGBA{1, 0, 0, 255}) // keep the encoder from writing grey
		img.SetNRGBA(0, 0, color.NRGBA{0, 0, 0, 255})
		for x := range 10 {
			img.SetNRGBA(x, 3, c)
		}
		return pngBytes(img)
	}
	res, store := mustIngest(t, folderOf(t,
		member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"masks/a.png", rgb(color.NRGBA{255, 255, 255, 255})},
		member{"images/b.jpg", jpegBytes(40, 30, 2)}, member{"masks/b.png", rgb(color.NRGBA{192, 0, 128, 255})},
		member{"images/c.jpg", jpegBytes(40, 30, 3)}, member{"masks/c.png", rgb(color.NRGBA{255, 255, 255, 7})}))
	if got := reasons(res); !slices.Equal(got, []string{"b corrupt_mask", "c corrupt_mask"}) {
		t.Errorf("got %v", res.Manifest.Skipped)
	}
	if m := maskOf(t, store, record(t, res, "a")); m.At(9, 3) != 1 || m.At(10, 3) != 0 || m.At(0, 0) != 0 {
		t.Error("the white pixels are figure")
	}
}

// Coordinates from 0 to the width show that a devkit counts from 0; the switch is remarked and boxes are
// held to the picture.
func TestVOCBoxesFromZero(t *testing.T) {
	req := world(t)
	x := filepath.Join(req.VOC[0], "VOC2012", "Annotations")
	plant(t, x, member{"2007_000001.xml", boxXML(40, 30, [5]any{"horse", 0, 0, 40, "29.5"})}, member{"2008_000002.xml", boxXML(30, 40, [5]any{"horse", 4, 5, 9, 9})})
	for base, want := range map[string][2]manifests.Box{
		"auto": {{XMax: 40, YMax: 30}, {XMin: 4, YMin: 5, XMax: 10, YMax: 10}},
		"1":    {{XMax: 40, YMax: 30}, {XMin: 3, YMin: 4, XMax: 9, YMax: 9}},
	} {
		req.Options.BoxBase = base
		res := wantSkips(t, req)
		if a, b := record(t, res, "2007_000001").Boxes, record(t, res, "2008_000002").Boxes; len(a) != 1 || a[0] != want[0] || len(b) != 1 || b[0] != want[1] {
			t.Errorf("base %s: got %v and %v, want %v", base, a, b, want)
		}
		said := strings.Join(res.Notices(&req), "\n")
		if strings.Contains(said, "VOCdevkit/VOC2012/Annotations/2007_000001.xml has a box with a coordinate from 0 to below 1") != (base == "auto") {
			t.Errorf("base %s: got %s", base, said)
		}
		if n := res.Warnings["boxes_count_from_0"]; (n == 1) != (base == "auto") || res.Warnings["box_clipped"] != 1 {
			t.Errorf("base %s: got %v", base, res.Warnings)
		}
	}
}

// What follows a picture is noted, and the bytes stay as they came.
func TestTrailingBytesAreNoted(t *testing.T) {
	data := append(jpegBytes(40, 30, 1), "<html>"...)
	res, store := mustIngest(t, folderOf(t, member{"images/p.jpg", data}))
	r := record(t, res, "p")
	if b, err := store.Read(r.Image.Path, r.Image.SHA256); err != nil || !bytes.Equal(b, data) || res.Warnings["trailing_bytes"] != 1 {
		t.Errorf("got %v, %v", err, res.Warnings)
	}
	if _, err := os.Stat(filepath.Join(store.Dir(), r.Image.Path)); err != nil {
		t.Error(err)
	}
}

package ingest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// paletteOf is a palette PNG of the given rows.
func paletteOf(t testing.TB, w int, pix ...uint8) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, len(pix)/w), format.VOCPalette())
	copy(img.Pix, pix)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Two horses (objects 1 and 3) and a dog (object 2):
//
//	class    13 13 255  0        object   1 1 255 0
//	         12 13   0 13                 2 3   0 3
//	         12  0   0 13                 2 0   0 3
func objectWorld(t testing.TB) Request {
	v := "VOC2012/"
	dir := plant(t, t.TempDir(),
		member{v + "ImageSets/Segmentation/trainval.txt", []byte("2008_000001\n")},
		member{v + "JPEGImages/2008_000001.jpg", jpegBytes(4, 3, 1)},
		member{v + "SegmentationClass/2008_000001.png", paletteOf(t, 4, 13, 13, 255, 0, 12, 13, 0, 13, 12, 0, 0, 13)},
		member{v + "SegmentationObject/2008_000001.png", paletteOf(t, 4, 1, 1, 255, 0, 2, 3, 0, 3, 2, 0, 0, 3)},
		member{v + "Annotations/2008_000001.xml", boxXML(4, 3, [5]any{"horse", 1, 1, 2, 2}, [5]any{"dog", 1, 2, 2, 3}, [5]any{"horse", 2, 2, 4, 3})},
	)
	return Request{Dataset: "horseseg", Class: Horse(), VOC: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
}

// Another tool paints objects in colors of its own; the box that fits one best is its.
func TestVOCObjectsOfColors(t *testing.T) {
	req := objectWorld(t)
	req.Options.Object = ObjectAll
	img := image.NewNRGBA(image.Rect(0, 0, 4, 3))
	for i, v := range []uint8{1, 1, 255, 0, 2, 3, 0, 3, 2, 0, 0, 3} {
		c := map[uint8]color.NRGBA{0: {0, 0, 0, 255}, 1: {250, 50, 83, 255}, 2: {1, 2, 3, 255}, 3: {9, 9, 200, 255}, 255: {224, 224, 192, 255}}[v]
		img.SetNRGBA(i%4, i/4, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte("background:0,0,0::\ndog:64,0,128::\nhorse:192,0,128::\n")}, member{"VOC2012/SegmentationObject/2008_000001.png", b.Bytes()})
	res, store := mustIngestSome(t, req)
	for id, want := range map[string]struct {
		mask []uint8
		box  manifests.Box
	}{
		"2008_000001-1": {[]uint8{1, 1, 255, 0, 0, 255, 0, 255, 0, 0, 0, 255}, manifests.Box{XMax: 2, YMax: 2}},
		"2008_000001-3": {[]uint8{255, 255, 255, 0, 0, 1, 0, 1, 0, 0, 0, 1}, manifests.Box{XMin: 1, YMin: 1, XMax: 4, YMax: 3}},
	} {
		r := record(t, res, id)
		if m := maskOf(t, store, r); !slices.Equal(m.Pix, want.mask) || !slices.Equal(r.Boxes, []manifests.Box{want.box}) {
			t.Errorf("%s: got %v, %v, want %v, %v", id, m.Pix, r.Boxes, want.mask, want.box)
		}
	}
}

func TestVOCObjects(t *testing.T) {
	first, second := manifests.Box{XMax: 2, YMax: 2}, manifests.Box{XMin: 1, YMin: 1, XMax: 4, YMax: 3}
	for object, want := range map[string]map[string]struct {
		mask  []uint8
		boxes []manifests.Box
	}{
		ObjectUnion:   {"2008_000001": {[]uint8{1, 1, 255, 0, 0, 1, 0, 1, 0, 0, 0, 1}, []manifests.Box{first, second}}},
		ObjectLargest: {"2008_000001": {[]uint8{255, 255, 255, 0, 0, 1, 0, 1, 0, 0, 0, 1}, []manifests.Box{second}}},
		ObjectAll: {
			"2008_000001-1": {[]uint8{1, 1, 255, 0, 0, 255, 0, 255, 0, 0, 0, 255}, []manifests.Box{first}},
			"2008_000001-3": {[]uint8{255, 255, 255, 0, 0, 1, 0, 1, 0, 0, 0, 1}, []manifests.Box{second}},
		},
	} {
		req := objectWorld(t)
		req.Options.Object = object
		res, store := mustIngestSome(t, req)
		if len(res.Manifest.Records) != len(want) || len(res.Duplicates) != 0 {
			t.Errorf("%s: got %d records and duplicates %v", object, len(res.Manifest.Records), res.Duplicates)
		}
		for id, w := range want {
			r := record(t, res, id)
			if m := maskOf(t, store, r); !slices.Equal(m.Pix, w.mask) || !slices.Equal(r.Boxes, w.boxes) {
				t.Errorf("%s: %s: got %v %v, want %v", object, id, m.Pix, r.Boxes, w)
			}
		}
	}
	// A devkit without any object mask is refused as a whole, with the way out; a picture without its own is one skip.
	req := world(t)
	for _, object := range []string{ObjectLargest, ObjectAll} {
		req.Options.Object = object
		if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "VOC2012: object "+object) || !strings.Contains(err.Error(), "--object union") {
			t.Errorf("got %v", err)
		}
	}
	plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte("background:0,0,0::\ndog:64,0,128::\nhorse:192,0,128::\n")}, member{"VOC2012/SegmentationObject/2007_000001.png", vocMask(40, 30, 1)})
	wantSkips(t, req, "2008_000002 missing_object_mask")
}

// mustIngestSome is mustIngest for requests that make several records of a picture.
func mustIngestSome(t testing.TB, req Request) (*Result, *manifests.Store) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), req, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range res.Manifest.Validate() {
		t.Error(err)
	}
	return res, store
}

// A class mask that lost its palette holds grey values, not classes; the class's own number may be above VOC's.
func TestVOCValues(t *testing.T) {
	for _, c := range []struct {
		class uint8
		pix   []uint8
		want  string
	}{
		{13, []uint8{0, 13, 20, 255}, ""}, {40, []uint8{0, 40, 30, 255}, ""},
		{13, []uint8{0, 0, 72, 220}, "pixel (0, 1) has value 72"}, {13, []uint8{0, 13, 0, 21}, "pixel (1, 1) has value 21"},
	} {
		err := vocValues(&format.Indexed{Width: 2, Height: 2, Pix: c.pix}, c.class)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("class %d, %v: got %v, want %q", c.class, c.pix, err, c.want)
		}
	}
}

// Masks that no image set lists are one skip with their number, each named among what is left aside; one of another set is none; the case of extensions
// does not matter. A mask without its picture is a skip of its own.
func TestVOCUnlisted(t *testing.T) {
	v := "VOC2012/"
	dir := plant(t, t.TempDir(), member{v + "ImageSets/Segmentation/trainval.TXT", []byte("a\n")}, member{v + "ImageSets/Segmentation/other.txt", []byte("b 1\n")},
		member{v + "JPEGImages/a.JPG", jpegBytes(40, 30, 1)}, member{v + "SegmentationClass/a.PNG", vocMask(40, 30, 13)},
		member{v + "JPEGImages/b.jpg", jpegBytes(40, 30, 2)}, member{v + "SegmentationClass/b.png", vocMask(40, 30, 13)},
		member{v + "SegmentationClass/d.png", vocMask(40, 30, 13)})
	for i := range 8 {
		name := fmt.Sprintf("c%d", i)
		plant(t, dir, member{v + "JPEGImages/" + name + ".jpg", jpegBytes(40, 30, 3+i)}, member{v + "SegmentationClass/" + name + ".png", vocMask(40, 30, 13)})
	}
	res := wantSkips(t, vocOf(dir), "001/VOC2012/ImageSets/Segmentation/trainval.TXT mask_not_listed", "d mask_without_image")
	if d := res.Manifest.Skipped[0].Detail; res.Kept != 1 || res.Dropped != 0 || len(res.Manifest.Skipped) != 2 || !strings.HasPrefix(d, "8 masks are in no set of ImageSets/Segmentation: c0, c1, c2, c3, c4, c5 and 2 more: add their names to trainval.txt") {
		t.Errorf("kept %d, dropped %d, got %q", res.Kept, res.Dropped, d)
	}
	if res.Other["mask_not_listed"] != 8 || len(res.Aside) != 8 || res.Aside[7] != (Aside{"mask_not_listed", "001/VOC2012/SegmentationClass/c7.png"}) {
		t.Errorf("got %v, %v", res.Other, res.Aside)
	}
}

// Where class masks show persons is kept with the mask: by VOC's numbers, or by the names of another tool's labels; a class of persons has none.
func TestVOCPersons(t *testing.T) {
	voc := paletteOf(t, 4, 13, 15, 255, 0, 15, 15, 0, 13, 12, 0, 0, 13)
	const persons = "11116" // rows .#.. ##.. ....
	for name, c := range map[string]struct {
		class  manifests.Class
		labels string
		want   string
	}{
		"voc":         {Horse(), "", persons},
		"dogs":        {manifests.Class{Name: "dog", VOC: 12}, "", persons},
		"person":      {manifests.Class{Name: "person", VOC: 15}, "", ""},
		"names":       {Horse(), "background:0,0,0::\nhorse:192,0,128::\nperson:192,128,128::\ndog:64,0,128::\n", persons},
		"other names": {Horse(), "background:0,0,0::\nhorse:192,0,128::\nrider:192,128,128::\ndog:64,0,128::\n", ""},
	} {
		req := objectWorld(t)
		req.Class = c.class
		plant(t, req.VOC[0], member{"VOC2012/SegmentationClass/2008_000001.png", voc})
		if c.labels != "" {
			plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte(c.labels)})
		}
		res, _ := mustIngestSome(t, req)
		r := record(t, res, "2008_000001")
		if got := r.Persons(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

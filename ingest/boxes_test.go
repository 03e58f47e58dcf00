package ingest

import (
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// VOC's files, a table's lines, COCO's annotations.
func TestBoxesOfEverySource(t *testing.T) {
	detail := func(req Request, skip string) string {
		t.Helper()
		return wantSkips(t, req, skip).Manifest.Skipped[0].Detail
	}
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/Annotations/2007_000001.xml", boxXML(40, 30, [5]any{"horse", 2, 2, 9, 9}, [5]any{"horse", 7, 5, 7, 9})})
	if d := detail(req, "2007_000001 box_empty"); !strings.HasPrefix(d, "VOCdevkit/VOC2012/Annotations/2007_000001.xml: object 2 (horse): got a side") {
		t.Errorf("got %q", d)
	}
	picture := member{"images/a.jpg", jpegBytes(40, 30, 1)}
	for csv, want := range map[string]string{
		"image,xmin,ymin,xmax,ymax\na.jpg,1,1,9,9\na.jpg,5,1,5,9\n":                       "/boxes.csv: line 3: got a side",
		"image,xmin,ymin,xmax,ymax,label\n\nimages/a.jpg,1,1,9,9,\na.jpg,5,1,5,9,horse\n": "/boxes.csv: line 4 (horse): got a side",
	} {
		if d := detail(folderOf(t, picture, member{"boxes.csv", []byte(csv)}), "a box_empty"); !strings.Contains(d, want) {
			t.Errorf("got %q, want %q", d, want)
		}
	}
	if d := detail(folderOf(t, picture, member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\na.jpg,1,1,9,9\ngone.jpg,5,1,5,9\n")}), "gone box_without_image"); !strings.Contains(d, "/boxes.csv: line 3: 1 row belongs") {
		t.Errorf("got %q", d)
	}
	coco := cocoRequest(t, cocoA, `{"id": 77, "image_id": 10, "category_id": 2, "bbox": [500, 1, 2, 2], "segmentation": [[1,1,3,1,3,3]]}`)
	if d := detail(coco, "a box_outside"); !strings.HasPrefix(d, "instances.json: object 1 (annotation 77): ") {
		t.Errorf("got %q", d)
	}
}

// Boxes of a picture of another shape, or VOC's of another size, are not of this picture: each is refused by name, and the picture is kept.
func TestBoxMisfit(t *testing.T) {
	pictures := []member{{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}, {"n02374451_2.JPEG", jpegBytes(40, 30, 2)}, {"n02374451_3.JPEG", jpegBytes(40, 30, 3)}, {"n02374451_4.JPEG", jpegBytes(40, 30, 4)}}
	req := imageNetOf(t, pictures, []member{
		{"n02374451_1.xml", boxXML(30, 40, [5]any{"x", 3, 4, 20, 30})}, {"n02374451_2.xml", boxXML(1000, 40, [5]any{"x", 3, 4, 20, 30})},
		{"n02374451_3.xml", boxXML(81, 60, [5]any{"x", 2, 3, 20, 30})}, {"n02374451_4.xml", boxXML(40, 30, [5]any{"x", 2, 3, 20, 30})}})
	plant(t, req.VOC[0], member{"VOC2012/Annotations/2007_000001.xml", boxXML(80, 60, [5]any{"horse", 2, 2, 9, 9})}, member{"VOC2012/Annotations/2008_000002.xml", boxXML(40, 30, [5]any{"horse", 2, 2, 9, 9})})
	res := wantSkips(t, req, "2007_000001 box_misfit", "2008_000002 box_misfit", "n02374451_1 box_misfit", "n02374451_2 box_misfit")
	for i, want := range []string{
		"2007_000001.xml: object 1 (horse): the file is about a picture of 80 x 60 pixels, got one of 40 x 30; the picture is kept",
		"2008_000002.xml: object 1 (horse): the file is about a picture of 40 x 30 pixels, got one of 30 x 40: turned by a quarter; the picture",
		"n02374451_1.xml: object 1 (x): the file is about a picture of 30 x 40 pixels, got one of 40 x 30, which has another shape: turned by a quarter; the",
		"n02374451_2.xml: object 1 (x): the file is about a picture of 1000 x 40 pixels, got one of 40 x 30, which has another shape; the",
	} {
		if d := res.Manifest.Skipped[i].Detail; !strings.Contains(d, want) {
			t.Errorf("got %q, want %q", d, want)
		}
	}
	if record(t, res, "n02374451_1").Tier != manifests.Label || record(t, res, "n02374451_3").Tier != manifests.BBox || res.Dropped != 0 {
		t.Errorf("got %+v", res.Manifest.Records)
	}
}

// What is refused decides nothing: a worthless box with a 0 or less does not move the others by a pixel; a good one in a later file does.
func TestBoxBaseOfRefused(t *testing.T) {
	good := [5]any{"x", 5, 6, 19, 29}
	for name, c := range map[string]struct {
		w, h int // that the second file says; its picture has 40 x 30
		box  [5]any
		from int // 4 where the set counts from 1
	}{
		"zeros":         {40, 30, [5]any{"x", 0, 0, 0, 0}, 4},
		"negative":      {40, 30, [5]any{"x", -10, -10, -5, -5}, 4},
		"clipped":       {40, 30, [5]any{"x", -10, 0, 20, 20}, 4},
		"outside":       {40, 30, [5]any{"x", 50, 0, 60, 9}, 4},
		"other shape":   {30, 40, [5]any{"x", 0, 0, 9, 9}, 4},
		"a real one":    {40, 30, [5]any{"x", 0, 3, 9, 9}, 5},
		"one of double": {80, 60, [5]any{"x", 0, 3, 9, 9}, 5},
	} {
		pictures := []member{{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}, {"n02374451_2.JPEG", jpegBytes(40, 30, 2)}}
		req := imageNetOf(t, pictures, []member{{"n02374451_1.xml", boxXML(40, 30, good)}, {"n02374451_2.xml", boxXML(c.w, c.h, c.box)}})
		res, _ := mustIngest(t, req)
		if got := record(t, res, "n02374451_1").Boxes[0]; got.XMin != c.from || (len(res.FromZero) > 0) != (c.from == 5) {
			t.Errorf("%s: got %v, %v", name, got, res.FromZero)
		}
		// A file that belongs to no picture shows what its own size allows.
		if name == "other shape" {
			req.ImageNet = []string{plant(t, t.TempDir(), pictures[:1]...)}
			if res, _ := mustIngest(t, req); record(t, res, "n02374451_1").Boxes[0].XMin != 5 {
				t.Errorf("no picture: got %v", record(t, res, "n02374451_1").Boxes)
			}
		}
	}
	req := world(t)
	x := filepath.Join(req.VOC[0], "VOC2012", "Annotations")
	plant(t, x, member{"2007_000001.xml", boxXML(80, 60, [5]any{"horse", 0, 0, 40, 29})}, member{"2008_000002.xml", boxXML(30, 40, [5]any{"horse", 4, 5, 9, 9})})
	if res := wantSkips(t, req, "2007_000001 box_misfit"); record(t, res, "2008_000002").Boxes[0].XMin != 3 {
		t.Errorf("VOC: got %v", record(t, res, "2008_000002").Boxes)
	}
}

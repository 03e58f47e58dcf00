package ingest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

func cocoRequest(t testing.TB, images, annotations string) Request {
	dir := plant(t, t.TempDir(), member{"images/a.jpg", jpegBytes(6, 5, 1)}, member{"images/sub/b.jpg", withExif(jpegBytes(6, 5, 2), 6)},
		member{"instances.json", fmt.Appendf(nil, `{"annotations": [%s], "images": [%s], "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "horse"}]}`, annotations, images)})
	return Request{Dataset: "x", Class: Horse(), COCO: []COCO{{dir + "/instances.json", dir + "/images"}}, Options: Defaults(), Workers: 2, Version: "test"}
}

const (
	cocoA = `{"id": 10, "file_name": "a.jpg", "width": 6, "height": 5}`
	cocoB = `{"id": 11, "file_name": "sub/b.jpg", "width": 6, "height": 5}`
)

func TestCOCO(t *testing.T) {
	req := cocoRequest(t, cocoA+","+cocoB+`,{"id": 12, "file_name": "c.jpg", "width": 6, "height": 5}, {"id": 13, "file_name": "d.jpg", "width": 6, "height": 5}`,
		`{"id": 1, "image_id": 10, "category_id": 2, "bbox": [1, 1, 3, 2], "segmentation": [[1,1,4,1,4,3,1,3]]},
		 {"id": 2, "image_id": 10, "category_id": 1, "bbox": [0, 0, 6, 5], "segmentation": [[0,0,6,0,6,5]]},
		 {"id": 3, "image_id": 11, "category_id": 2, "iscrowd": 1, "segmentation": {"size": [5, 6], "counts": [0, 5, 25]}},
		 {"id": 4, "image_id": 12, "category_id": 2, "segmentation": []}`)
	res := wantSkips(t, req, "c missing_image")
	if res.Other["other_class"] != 1 || res.Read != 4 {
		t.Errorf("got %v, read %d", res.Other, res.Read)
	}
	_, store := mustIngest(t, req)
	a := record(t, res, "a")
	if m := maskOf(t, store, a); m.At(1, 1) != 1 || m.At(3, 2) != 1 || m.At(4, 2) != 0 || a.Masks[0].Figure != 6 || !slices.Equal(a.Boxes, []manifests.Box{{XMin: 1, YMin: 1, XMax: 4, YMax: 3}}) {
		t.Errorf("a: got %v, %+v", m.Pix, a)
	}
	b := record(t, res, "sub%2Fb")
	if m := maskOf(t, store, b); m.At(0, 4) != 255 || m.At(1, 0) != 0 || b.Image.Width != 6 || !slices.Contains(b.Image.Notes, "exif_ignored") {
		t.Errorf("b: got %v, %+v", m.Pix, b)
	}
}

// Faults of an instances file's entries are skips that name the picture, those of the file itself are errors. A size
// that is not the picture's is one of them.
func TestCOCOFaults(t *testing.T) {
	annotation := func(image int, segmentation string) string {
		return fmt.Sprintf(`{"id": 1, "image_id": %d, "category_id": 2, "bbox": [9, 9, 3, 2], "segmentation": %s}`, image, segmentation)
	}
	for _, c := range []struct{ images, annotations, want string }{
		{cocoA, strings.Replace(annotation(10, "[]"), `"bbox": [9, 9, 3, 2], `, "", 1), "a empty_annotation"},
		{cocoA, annotation(10, "[[1,2]]"), "a bad_annotation,a box_outside"},
		{cocoA, annotation(10, `{"size": [6, 5], "counts": [30]}`), "a bad_annotation,a box_outside"},
		{strings.Replace(cocoA, `"width": 6, "height": 5`, `"width": 5, "height": 6`, 1), annotation(10, "[[1,1,3,1,3,3]]"), "a mask_size"},
		{strings.Replace(cocoA, `"width": 6`, `"width": 6.5`, 1), annotation(10, "[[1,1,3,1,3,3]]"), "a box_outside"},
		{strings.Replace(cocoA, `"width": 6`, `"width": 999999999`, 1), annotation(10, "[[1,1,3,1,3,3]]"), "a too_large"},
		{cocoA, annotation(10, "[[1,1,3,1,3,3]]"), "a box_outside"},
		{cocoA, strings.Replace(annotation(10, "[[1,1,3,1,3,3]]"), "[9, 9, 3, 2]", "[5, 5, 10]", 1), "a bad_box_file"},
		{cocoA, strings.Replace(annotation(10, "[[1,1,3,1,3,3]]"), "[9, 9, 3, 2]", "[1, null, 2, 2]", 1), "a bad_box_file"},
		{cocoA, annotation(10, "[[1,1,null,1,3,3]]"), "a bad_annotation,a box_outside"},
	} {
		wantSkips(t, cocoRequest(t, c.images, c.annotations), strings.FieldsFunc(c.want, func(r rune) bool { return r == 44 })...)
	}
	req := cocoRequest(t, cocoA, "{")
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "instances.json: coco: line 1") {
		t.Errorf("got %v", err)
	}
	req = cocoRequest(t, cocoA, annotation(10, "[]"))
	req.Class.Name = "zebra"
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "zebra, the file has dog, horse") {
		t.Errorf("got %v", err)
	}
}

// What belongs to nothing is counted, and pictures that share an id are refused: their masks would be anybody's.
func TestCOCOLoose(t *testing.T) {
	object := func(image, category int) string {
		return fmt.Sprintf(`{"id": 1, "image_id": %d, "category_id": %d, "segmentation": [[1,1,4,1,4,3,1,3]]}`, image, category)
	}
	req := cocoRequest(t, cocoA, object(10, 2)+","+object(99, 2)+","+object(10, 7))
	res, _ := mustIngest(t, req)
	if res.Kept != 1 || res.Other["annotation_without_image"] != 1 || res.Other["annotation_of_unknown_category"] != 1 || len(res.Notices(&req)) != 2 {
		t.Errorf("got %d records, %v, %q", res.Kept, res.Other, res.Notices(&req))
	}
	req = cocoRequest(t, cocoA+","+cocoA, object(10, 2))
	if res, _ := mustIngest(t, req); res.Kept != 1 || res.Other["image_listed_twice"] != 1 {
		t.Errorf("an entry that stands there twice: got %d records, %v", res.Kept, res.Other)
	}
	req = cocoRequest(t, cocoA, object(10, 1))
	if res, _ := mustIngest(t, req); len(res.Barren) != 1 {
		t.Errorf("no annotation of the class: got %v", res.Barren)
	}
}

// An instances file that is packed, or a folder, is refused with the remedy.
func TestCOCOPacked(t *testing.T) {
	req := cocoRequest(t, cocoA, `{"id": 1, "image_id": 10, "category_id": 2, "segmentation": [[1,1,4,1,4,3,1,3]]}`)
	data, err := os.ReadFile(req.COCO[0].Instances)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string][]byte{"i.json.gz": gz(data), "i.tar": tarOf(member{"instances.json", data}), "i.json": gz(tarOf(member{"instances.json", data})), "i.zip": []byte("PK\x03\x04...")} {
		req.COCO[0].Instances = archiveFile(t, name, packed)
		if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "ingest: --coco "+req.COCO[0].Instances+": got an archive or a compressed file, want the JSON file itself: unpack it") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	req.COCO[0].Instances = t.TempDir()
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "got a folder, want a JSON file") {
		t.Errorf("got %v", err)
	}
}

// Of the entries that may mean one file, exact names come first, those that differ in nothing but a
// prefix are joined, and those of another folder are read with a remark where nobody else wants it.
func TestCOCOPlaces(t *testing.T) {
	object := func(id, image int, x int) string {
		return fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": 2, "segmentation": [[%d,1,%d,1,%d,3,%d,3]]}`, id, image, x, x+2, x+2, x)
	}
	image := func(id int, file, size string) string {
		return fmt.Sprintf(`{"id": %d, "file_name": %q%s}`, id, file, size)
	}
	for name, c := range map[string]struct {
		files, images []string
		figure        map[string]int // by id
		skips         string
		remarks       int
	}{
		"another folder":           {[]string{"clipB/1.jpg"}, []string{image(1, "clipA/1.jpg", "")}, map[string]int{"clipB%2F1": 4}, "", 1},
		"which lists it itself":    {[]string{"clipB/1.jpg"}, []string{image(1, "clipA/1.jpg", ""), image(2, "clipB/1.jpg", "")}, map[string]int{"clipB%2F1": 4}, "clipA%2F1 missing_image", 0},
		"two others":               {[]string{"clipB/1.jpg"}, []string{image(1, "clipA/1.jpg", ""), image(2, "clipC/1.jpg", "")}, nil, "clipA%2F1 missing_image clipC%2F1 missing_image", 0},
		"the folder's own name":    {[]string{"1.jpg"}, []string{image(1, "images/1.jpg", "")}, map[string]int{"1": 4}, "", 0},
		"a prefix of another tool": {[]string{"1.jpg"}, []string{image(1, "1.jpg", ""), image(2, "up/1.jpg", "")}, map[string]int{"1": 8}, "", 0},
		"and another size":         {[]string{"1.jpg"}, []string{image(1, "1.jpg", `, "width": 6, "height": 5`), image(2, "up/1.jpg", `, "width": 12, "height": 10`)}, map[string]int{"1": 4}, "up%2F1 mask_size", 0},
		"two that fit equally":     {[]string{"1.jpg"}, []string{image(1, "train/1.jpg", ""), image(2, "val/1.jpg", "")}, nil, "train%2F1 missing_image val%2F1 missing_image", 0},
		"two beside its own":       {[]string{"1.jpg"}, []string{image(1, "train/1.jpg", ""), image(2, "1.jpg", "")}, map[string]int{"1": 8}, "", 1},
		"the whole path":           {[]string{"x/1.jpg"}, []string{image(1, "/srv/images/x/1.jpg", "")}, map[string]int{"x%2F1": 4}, "", 1},
		"capital letters":          {[]string{"x/1.jpg"}, []string{image(1, "x/1.JPG", "")}, nil, "x%2F1 missing_image", 0},
		"a last name of two":       {[]string{"1.jpg", "x/1.jpg"}, []string{image(1, "z/1.jpg", "")}, nil, "z%2F1 missing_image", 0},
	} {
		var members []member
		for i, f := range c.files {
			members = append(members, member{"images/" + f, jpegBytes(6, 5, i+1)})
		}
		members = append(members, member{"instances.json", fmt.Appendf(nil, `{"annotations": [%s, %s], "images": [%s], "categories": [{"id": 2, "name": "horse"}]}`,
			object(1, 1, 0), object(2, 2, 3), strings.Join(c.images, ","))})
		dir := plant(t, t.TempDir(), members...)
		res, _, err := ingestOf(t, Request{Dataset: "x", Class: Horse(), COCO: []COCO{{dir + "/instances.json", dir + "/images"}}, Options: Defaults(), Workers: 2, Version: "test"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]int{}
		for _, r := range res.Manifest.Records {
			got[r.ID] = r.Masks[0].Figure
		}
		var skips []string
		for _, s := range res.Manifest.Skipped {
			skips = append(skips, s.Record+" "+s.Reason)
		}
		if len(got) != len(c.figure) || fmt.Sprint(got) != fmt.Sprint(c.figure) && len(got) > 0 || strings.Join(skips, " ") != c.skips || res.Warnings["found_in_other_folder"] != c.remarks {
			t.Errorf("%s: got %v, %q, %d remarks, want %v, %q, %d", name, got, skips, res.Warnings["found_in_other_folder"], c.figure, c.skips, c.remarks)
		}
	}
}

// What one annotation lacks is its own matter.
func TestCOCOLacks(t *testing.T) {
	good := `{"id": 1, "image_id": 10, "category_id": 2, "segmentation": [[1,1,4,1,4,3,1,3]]}`
	for _, c := range []struct {
		other      string
		fig, void  int // -1 where the picture is skipped
		skip, says string
	}{
		{`{"id": 2, "image_id": 10, "category_id": 2, "segmentation": []}`, 6, 0, "bad_annotation", "no segmentation: it has no usable box and is left out"},
		{`{"id": 2, "image_id": 10, "category_id": 2, "bbox": [0, 3, 2, 2], "segmentation": []}`, 6, 4, "bad_annotation", "its box is void"},
		{`{"id": 2, "image_id": 10, "category_id": 2, "bbox": [0.1, 0.2, 0.3, 0.2], "segmentation": [[0.1,0.2,0.4,0.2,0.4,0.4]]}`, 6, 0, "box_fraction", "it has no usable box and is left out; the picture is kept"},
		{`{"id": 2, "image_id": 10, "category_id": 2, "bbox": [0, 3, 2, 2], "segmentation": [[0,3,2,3,2,5],[0.1,0.2,1.0000001,0.2,0.4,0.4]]}`, 6, 4, "box_fraction", "polygon 1: got fractions"},
		{`{"id": 2, "image_id": 10, "segmentation": [[0,3,2,3,2,5]]}`, 6, 0, "", "no category_id"},
	} {
		for _, annotations := range []string{good + "," + c.other, c.other + "," + good} {
			res, _, err := ingestOf(t, cocoRequest(t, cocoA, annotations))
			if err != nil {
				t.Fatalf("%s: %v", c.other, err)
			}
			text := fmt.Sprint(res.Manifest.Skipped, res.Aside)
			figure, void := -1, 0
			for _, r := range res.Manifest.Records {
				figure, void = r.Masks[0].Figure, r.Masks[0].Void
			}
			if figure != c.fig || void != c.void || !strings.Contains(text, c.says) || c.skip != "" && !strings.Contains(text, c.skip) {
				t.Errorf("%s: got %d figure, %d void, %s, want %d, %d, %s", c.other, figure, void, text, c.fig, c.void, c.says)
			}
		}
	}
}

// Where no annotation has pixels, boxes count: the shapes that could not be used are named. A picture without a box is dropped.
func TestCOCOBoxesAlone(t *testing.T) {
	for _, c := range []struct{ segmentation, skip string }{
		{`[]`, ""}, {`null`, ""}, {`[[]]`, ""}, {`""`, ""},
		{`[[0.1, 0.1, 0.9, 0.1, 0.9, 0.9]]`, "a box_fraction"},
		{`[[1, 2]]`, "a bad_annotation"}, {`"x"`, "a bad_annotation"}, {`[1, 2, 3, 4, 5, 6]`, "a bad_annotation"},
		{`[[1, 1, 3, 1, 1, 1]]`, "a bad_annotation"}, {`[[70, 70, 80, 70, 80, 80]]`, "a bad_annotation"},
		{`{"size": [6, 5], "counts": [30]}`, "a bad_annotation"},
	} {
		text := `{"id": 1, "image_id": 10, "category_id": 2, "bbox": [1, 1, 3, 2], "segmentation": ` + c.segmentation + `}`
		var want []string
		if c.skip != "" {
			want = []string{c.skip}
		}
		res := wantSkips(t, cocoRequest(t, cocoA, text), want...)
		if a := record(t, res, "a"); a.Tier != manifests.BBox || len(a.Masks) != 0 || !slices.Equal(a.Boxes, []manifests.Box{{XMin: 1, YMin: 1, XMax: 4, YMax: 3}}) {
			t.Errorf("%s: got %+v, want a box alone", c.segmentation, a)
		}
		dropped := c.skip
		if strings.Contains("[[1, 1, 3, 1, 1, 1]] [[70, 70, 80, 70, 80, 80]]", c.segmentation) || dropped == "" {
			dropped = "a empty_annotation"
		}
		res = wantSkips(t, cocoRequest(t, cocoA, strings.Replace(text, `"bbox": [1, 1, 3, 2], `, "", 1)), dropped)
		if res.Dropped != 1 {
			t.Errorf("%s without a box: got %d dropped, want 1", c.segmentation, res.Dropped)
		}
	}
}

// The label map of a devkit lies above its year; that above another folder may be anybody's.
func TestLabelMapAbove(t *testing.T) {
	dir := plant(t, t.TempDir(), member{"kit/labelmap.txt", []byte("Background:0,0,0::\n horse : 200,0,0 ::\n")},
		member{"kit/VOC2012/JPEGImages/a.jpg", jpegBytes(6, 5, 1)}, member{"kit/VOC2012/SegmentationClass/a.png", redPNG(t, 6, 5)},
		member{"kit/VOC2012/ImageSets/Segmentation/trainval.txt", []byte("a\n")},
		member{"kit/set/images/a.jpg", jpegBytes(6, 5, 1)}, member{"kit/set/masks/a.png", redPNG(t, 6, 5)})
	req := Request{Dataset: "x", Class: Horse(), VOC: []string{dir + "/kit/VOC2012"}, Options: Defaults(), Workers: 1, Version: "test"}
	res, _, err := ingestOf(t, req)
	if err != nil || len(res.Manifest.Records) != 1 || res.Manifest.Records[0].Masks[0].Figure != 30 {
		t.Errorf("a year: %+v, %v, want a mask of 30 figure pixels", res, err)
	}
	req.VOC, req.Folders = nil, []string{dir + "/kit/set"}
	if res, _, err = ingestOf(t, req); err != nil || res.Other["label_map_not_used"] != 1 {
		t.Errorf("a folder: %v, want the map named", err)
	}
}

// redPNG is a mask all of the color 200,0,0.
func redPNG(t *testing.T, w, h int) []byte {
	t.Helper()
	m := raster.NewRGB(w, h)
	for i := 0; i < len(m.Pix); i += 3 {
		m.Pix[i] = 200
	}
	return raster.EncodePNG(m)
}

package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

const instances = `{"info": {"a": [1, {"b": 2}]},
"annotations": [
 {"id": 1, "image_id": 7, "category_id": 19, "iscrowd": 0, "bbox": [1, 1, 3, 2], "segmentation": [[1,1,4,1,4,3,1,3]]},
 {"id": "x", "image_id": "7", "category_id": 19, "iscrowd": 1, "segmentation": {"size": [5, 6], "counts": [0, 30]}},
 {"id": 3, "image_id": 7, "category_id": 19, "segmentation": {"size": [5, 6], "counts": "0N2"}}],
"images": [{"id": 7, "file_name": "a.jpg", "width": 6, "height": 5, "license": 3}],
"categories": [{"id": 19, "name": "horse", "supercategory": "animal"}], "licenses": []}`

func TestReadCOCO(t *testing.T) {
	var images []COCOImage
	var categories []COCOCategory
	var annotations []COCOAnnotation
	err := ReadCOCO(strings.NewReader(instances), COCOVisitor{
		Image:      func(v COCOImage) error { images = append(images, v); return nil },
		Category:   func(v COCOCategory) error { categories = append(categories, v); return nil },
		Annotation: func(v COCOAnnotation) error { annotations = append(annotations, v); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(images, []COCOImage{{"7", "a.jpg", 6, 5}}) || !slices.Equal(categories, []COCOCategory{{"19", "horse"}}) || len(annotations) != 3 {
		t.Fatalf("got %v, %v, %d annotations", images, categories, len(annotations))
	}
	if a := annotations[1]; a.ID != "x" || a.Image != "7" || !bool(a.Crowd) {
		t.Errorf("got %+v", a)
	}
	// Object over crowd: the polygon of TestPolygonsAgainstCOCO is figure, the rest of the crowd void.
	m, _, err := COCOMask(annotations[:2], 5, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range m.Pix {
		want := uint8(255)
		if x, y := i%6, i/6; x >= 1 && x <= 3 && y >= 1 && y <= 2 {
			want = 1
		}
		if v != want {
			t.Errorf("(%d, %d): got %d, want %d", i%6, i/6, v, want)
		}
	}
	if err := ReadCOCO(strings.NewReader(instances), COCOVisitor{}); err != nil {
		t.Errorf("nothing wanted: %v", err)
	}
	stop := errors.New("stop")
	if err := ReadCOCO(strings.NewReader(instances), COCOVisitor{Image: func(COCOImage) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "[]", `{"images": 3}`, `{"images": [{"id": {}}]}`, instances[:200]} {
		err := ReadCOCO(strings.NewReader(bad), COCOVisitor{Image: func(COCOImage) error { return nil }, Annotation: func(COCOAnnotation) error { return nil }})
		if err == nil || !strings.Contains(err.Error(), "coco: line") {
			t.Errorf("%.30q: got %v", bad, err)
		}
	}
}

// What follows the end is refused, as is a list that other readers would overwrite; the message names the line, also far behind what the
// decoder reads ahead.
func TestReadCOCOLines(t *testing.T) {
	long := "{\"info\": [\n" + strings.Repeat("1,\n", 100_000) + "2],\n\"images\": []}\n"
	for text, want := range map[string]string{
		long:                                       "",
		long + "\n\n \t\n":                         "",
		long + "\n{\"images\": []}":                "line 100005: got { after the end",
		long + "rubbish":                           "line 100004: got more after the end, want nothing, at byte 300029",
		long + "\x00":                              "line 100004: got more after the end, want nothing",
		`{"info": {"a": [1, 2,]}, "images": []}`:   "line 1: got ']' after a comma, want no comma there, at byte 21",
		`{"images": [{"id": 1},]}`:                 "line 1: got ']', want a value, at byte 22",
		`{"images": [{"id": 1, "file_name": "a`:    "line 1: the file is cut short, at byte 37",
		`{"images": [{"id": 1}], "annotations": [`: "line 1: the file is cut short, at byte 40",
		`{"images": [{"id": 1,}]}`:                 "line 1: got '}' after a comma, want no comma there, at byte 21",
		`{"images": [{"id" 1}]}`:                   "line 1: got '1', want a colon, at byte 18",
		`{"images": [{"id": 1} {"id": 2}]}`:        "line 1: want a comma, or ] at the end, at byte 22",
		`{"images": [] "annotations": []}`:         "want a comma, or } at the end, at byte 14",
		"{\n\"images\": [],\n\"images\": []}":      "line 3: images: the file has this list twice",
		"{\n\"images\": [{},\n\n{\"id\": ]}]}":     "line 4: got ']', want a value, at byte 25",
	} {
		err := ReadCOCO(strings.NewReader(text), COCOVisitor{Image: func(COCOImage) error { return nil }})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("...%.40q: got %v, want %q", text[max(0, len(text)-40):], err, want)
		}
	}
}

// The four kinds of annotation without pixels. A polygon of no area is legal and empty.
func TestEmptySegmentations(t *testing.T) {
	mask := func(segmentation string) (RLE, error) {
		a := COCOAnnotation{ID: "9", Segmentation: []byte(segmentation)}
		return a.RLE(4, 5)
	}
	for _, s := range []string{"", "null", "[]", "[[]]"} {
		if _, err := mask(s); !errors.Is(err, ErrNoPixels) {
			t.Errorf("%q: got %v, want ErrNoPixels", s, err)
		}
	}
	for s, want := range map[string]string{
		"[[1,1]]":                          "at least 3 points",
		"[[1,1,2,2]]":                      "at least 3 points",
		"[1,1,2,2,3,3]":                    "segmentation",
		`{"size":[5,4],"counts":[20]}`:     "want the image's 5 x 4",
		`{"size":[4,5],"counts":[19]}`:     "add up to 19",
		`{"size":[4,5],"counts":{}}`:       "counts",
		`{"size":[4,5],"counts":"999999"}`: "counts",
	} {
		if _, err := mask(s); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "annotation 9") {
			t.Errorf("%q: got %v, want %q", s, err, want)
		}
	}
	if r, err := mask("[[1,1,3,3,1,1]]"); err != nil || r.Area() != 0 {
		t.Errorf("no area: got %v, %v", r, err)
	}
}

// Boxes and coordinates are numbers or errors that name their annotation; ids are equal as numbers are; a byte order mark is no fault.
func TestCOCOValues(t *testing.T) {
	for box, want := range map[string]string{"": "", "null": "", "[]": "", "[1, 2, 3, 4]": "", "[5,5,10]": "got 3 numbers", "[1,null,3,4]": "got null", `["1",2,3,4]`: "", `{}`: "bbox"} {
		v, err := (&COCOAnnotation{ID: "9", Box: []byte(box)}).Rect()
		if want == "" && (err != nil || (len(v) == 4) != (len(box) > 4)) || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "annotation 9")) {
			t.Errorf("box %q: got %v, %v, want %q", box, v, err, want)
		}
	}
	for _, s := range []string{"[[1,1,null,1,3,3]]", "[null]", `{"size":[4,5],"counts":[null,20]}`} {
		if _, err := (&COCOAnnotation{ID: "9", Segmentation: []byte(s)}).RLE(4, 5); !errors.Is(err, errNull) {
			t.Errorf("%q: got %v", s, err)
		}
	}
	text := `{"images": [{"id": 1}, {"id": 1.0}, {"id": "1"}, {"id": 1e0}, {"id": 1.5}, {"id": 12345678901234567890}]}`
	for _, data := range [][]byte{[]byte("\xef\xbb\xbf" + text), utf16Of(text)} {
		var ids []COCOID
		if err := ReadCOCO(bytes.NewReader(data), COCOVisitor{Image: func(i COCOImage) error { ids = append(ids, i.ID); return nil }}); err != nil || !slices.Equal(ids, []COCOID{"1", "1", "1", "1", "1.5", "12345678901234567890"}) {
			t.Errorf("got %v, %v", ids, err)
		}
	}
	for text, want := range map[string]string{
		"{\"annotations\": [{},\n{\"id\": 5, \"image_id\": []}]}": "line 2: annotation 5: ",
		`{"annotations": [{}, {"id": []}]}`:                       "annotation number 2 of its list: ",
	} {
		if err := ReadCOCO(strings.NewReader(text), COCOVisitor{Annotation: func(COCOAnnotation) error { return nil }}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzCOCO: what is accepted is JSON behind its byte order mark, has as many entries as it shows, and a mask has three values.
func FuzzCOCO(f *testing.F) {
	f.Add([]byte(instances))
	f.Add([]byte("\xef\xbb\xbf{\"images\": [{\"id\": 1.0}]}"))
	f.Add(utf16Of(`{"images": [{"id": 1.0}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []COCOAnnotation
		entries := 0
		err := ReadCOCO(bytes.NewReader(data), COCOVisitor{
			Image:      func(COCOImage) error { entries++; return nil },
			Category:   func(COCOCategory) error { entries++; return nil },
			Annotation: func(a COCOAnnotation) error { all = append(all, a); return nil },
		})
		if err != nil {
			return
		}
		text, _, err := FromUTF16(data)
		if err != nil {
			t.Fatalf("accepted what is no text: %v", err)
		}
		var lists map[string]json.RawMessage
		if err := json.Unmarshal(text, &lists); err != nil {
			t.Fatalf("accepted what is no JSON object: %v", err)
		}
		want := 0
		for _, key := range []string{"images", "categories", "annotations"} {
			var list []json.RawMessage
			if json.Unmarshal(lists[key], &list) == nil {
				want += len(list)
			}
		}
		if entries+len(all) != want {
			t.Fatalf("got %d entries, want %d", entries+len(all), want)
		}
		for i := range all {
			if box, err := all[i].Rect(); err == nil && box != nil && len(box) != 4 {
				t.Fatalf("got a box %v", box)
			}
		}
		if m, bad, err := COCOMask(all, 5, 6); err == nil && m == nil {
			if len(bad) != len(all) {
				t.Fatalf("got no mask and %d faults of %d annotations", len(bad), len(all))
			}
		} else if err == nil {
			for _, v := range m.Pix {
				if len(m.Pix) != 30 || v != 0 && v != 1 && v != 255 {
					t.Fatalf("got a mask %v", m.Pix)
				}
			}
		}
	})
}

// utf16Of returns ASCII text as Windows writes "Unicode": UTF-16, little end first, behind its byte order mark.
func utf16Of(text string) []byte {
	out := []byte("\xff\xfe")
	for i := range len(text) {
		out = append(out, text[i], 0)
	}
	return out
}

// RLE returns an annotation's pixels: the union of its polygons, or its run lengths, compressed or
// as a list. Run lengths must be of the given size.
func (a *COCOAnnotation) RLE(height, width int) (RLE, error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return RLE{}, err
	}
	m := newColumnMask(height, width)
	if err := a.addTo(m); err != nil {
		return RLE{}, err
	}
	mask := raster.NewMask(width, height)
	m.paint(mask, raster.Figure)
	return RLEOf(mask, raster.Figure), nil
}

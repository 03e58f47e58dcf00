package format

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/transform"
)

// Fields are read by their very names; a fault names field and byte and costs no other field.
func TestReadFields(t *testing.T) {
	v, err := ReadJSON([]byte(`{"Width": 1, "a": [{"width": 2, "x": "}:,\""}], "height": 7.5 , "wi\u0064th": 3, "file_name": [], "id": "q", "ID": 8}`))
	if err != nil {
		t.Fatal(err)
	}
	var im COCOImage
	err = v.ReadFields(im.fields())
	if err == nil || err.Error() != `file_name at byte 94: got [], want a text` {
		t.Errorf("got %v", err)
	}
	if im.Width != 3 || im.Height != UnreadSize || im.ID != "q" || im.File != "" {
		t.Errorf("got %+v", im)
	}
	text := `{"images": [{"id": 1, "file_name": {}}, 7, {"id": 2, "Width": 5, "width": 96, "iscrowd": NaN}], "annotations": [{"id": 3, "image_id": 1, "iscrowd": "False", "segmentation": [["1", "1", 3, 1, 3, 3]]}, {"id": 4, "image_id": 1, "iscrowd": {}}, {"id": 5, "segmentation": [[1, NaN, 3, 1, 3, 3]]}]}`
	var bad []string
	var kept []COCOAnnotation
	var widths []Size
	if err := ReadCOCO(strings.NewReader(text), COCOVisitor{
		Image:      func(i COCOImage) error { widths = append(widths, i.Width); return nil },
		Annotation: func(a COCOAnnotation) error { kept = append(kept, a); return nil },
		Bad:        func(b COCOBad) error { bad = append(bad, b.Err.Error()); return nil },
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"line 1: image 1: file_name at byte 35: got {}, want a text", "line 1: image number 2 of its list: byte 40: got 7, want an object {...}",
		"line 1: annotation 4: iscrowd at byte 236: got {}, want a number"}
	if strings.Join(bad, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", bad, want)
	}
	if len(widths) != 1 || widths[0] != 96 || len(kept) != 2 || kept[0].Crowd {
		t.Fatalf("got %v, %+v", widths, kept)
	}
	if r, err := kept[0].RLE(4, 5); err != nil || r.Area() == 0 {
		t.Errorf("numbers in quotes: got %v, %v", r, err)
	}
	if _, err := kept[1].RLE(4, 5); err == nil || err.Error() != "annotation 5 at byte 241: segmentation: got NaN, want a number, in a list of polygons, [[x, y, ...]]" {
		t.Errorf("got %v", err)
	}
}

// Spellings of a class, and labels of their own.
func TestNear(t *testing.T) {
	for label, near := range map[string]bool{"Horse": true, "horses": true, "horse ": true, "HORSE_": true, "horse-1": true, "horse 12": true, "horse": false,
		"seahorse": false, "hors": false, "": false, "-": false, "1": false} {
		if Near(label, "horse") != near {
			t.Errorf("%q: got %v", label, !near)
		}
	}
	for _, c := range [][2]string{{"pony", "ponies"}, {"fox", "foxes"}, {"boxes", "box"}, {"Pferd", "pferd"}, {"\u043b\u043e\u0448\u0430\u0434\u044c", "\u041b\u041e\u0428\u0410\u0414\u042c"}} {
		if !Near(c[0], c[1]) {
			t.Errorf("%q is not near %q", c[0], c[1])
		}
	}
	if Near("class1", "class2") || Near("class12", "class1") {
		t.Error("numbers that are names are near")
	}
}

// What Python writes for no number is replaced wherever it lies in the pieces in which a file is read.
func TestNaNInPieces(t *testing.T) {
	for shift := range 12 {
		text := strings.Repeat(" ", 4090+shift) + `{"NaN \" Infinity": [NaN, -Infinity, Infinity, -1, "-Infinity"]}`
		want := strings.Repeat(" ", 4090+shift) + `{"NaN \" Infinity": [` + nanText + `, "-inf"   , "inf"   , -1, "-Infinity"]}`
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(transform.NewReader(r, &nanFilter{}))
			if err != nil || string(got) != want {
				t.Errorf("%s, %d: got %q, %v", name, shift, strings.TrimSpace(string(got)), err)
			}
		}
	}
}

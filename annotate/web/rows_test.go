package web

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/manifests/raster"
)

// exifOf puts a JPEG's orientation tag behind its first marker.
func exifOf(file []byte, orientation byte) []byte {
	tiff := []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}
	app1 := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{0xFF, 0xD8, 0xFF, 0xE1, 0, byte(len(app1) + 2)}, app1...)
	return append(out, file[2:]...)
}

// Rows 3 and 5: a picture that is stored turned is sent upright and without its tag, large and small, so that no browser has
// anything to honor or to ignore.
func TestRow3And5Upright(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	r := &w.campaign.Manifest.Records[0]
	stored := raster.NewRGB(20, 30) // upright it is 30 x 20: orientation 6 turns it clockwise
	for x := range 20 {
		for y := range 30 {
			if y < 15 {
				stored.Set(x, y, 250, 250, 250) // above as stored, right when upright
			}
		}
	}
	file, err := encodeJPEG(stored, 95)
	if err != nil {
		t.Fatal(err)
	}
	r.Image.Format, r.Image.Orientation = "jpeg", 6
	store := w.campaign.Store
	if r.Image.Path, r.Image.SHA256, err = store.Put("images", "turned", "jpg", exifOf(file, 6)); err != nil {
		t.Fatal(err)
	}
	v := w.visit("Ann", "")
	for _, path := range []string{"image", "thumb"} {
		body := v.want(200, "GET", "/api/items/a/"+path, "")
		if bytes.Contains(body, []byte("Exif")) {
			t.Errorf("%s: has an EXIF block", path)
		}
		m, err := jpeg.Decode(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if b := m.Bounds(); b.Dx() <= b.Dy() {
			t.Errorf("%s: got %d x %d, want it upright, wider than high", path, b.Dx(), b.Dy())
		}
		b := m.Bounds()
		left, _, _, _ := m.At(b.Dx()/8, b.Dy()/2).RGBA()
		right, _, _, _ := m.At(b.Dx()*7/8, b.Dy()/2).RGBA()
		if left > 0x8000 || right < 0x8000 {
			t.Errorf("%s: left %d, right %d, want the light half at the right", path, left>>8, right>>8)
		}
	}
}

// detail returns an item as Ann sees it.
func (w *world) detail(key string) *campaign.Detail {
	w.t.Helper()
	d, err := w.campaign.Detail(campaign.Person{Name: "Ann", Role: campaign.Annotator}, key)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// Row 34: a save without figure is refused unless it says that it is meant, and nothing is written for it.
func TestRow34EmptySave(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	body := `{"width":30,"height":20,"runs":[0,600],"base":0,"save":"s1"%s}`
	v.want(422, "PUT", "/api/items/a/mask", fmt.Sprintf(body, ""))
	if d := w.detail("a"); d.Line.Head != 0 || len(d.Events) != 0 {
		t.Errorf("after a refused save: got %+v", d)
	}
	v.want(200, "PUT", "/api/items/a/mask", fmt.Sprintf(body, `,"empty":true`))
	if d := w.detail("a"); d.Line.Head != 1 {
		t.Errorf("after an empty save that is meant: got revision %d, want 1", d.Line.Head)
	}
}

// Row 38: a second save is a whole mask upon the first one's revision; one that does not know of the first replaces nothing.
func TestRow38SecondSave(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	v.want(200, "PUT", "/api/items/a/mask", saveBody(1, 0, "s1"))
	v.want(200, "PUT", "/api/items/a/mask", saveBody(2, 1, "s2"))
	v.want(409, "PUT", "/api/items/a/mask", saveBody(3, 1, "s3"))
	if d := w.detail("a"); d.Line.Head != 2 || len(d.Line.Revisions) != 3 {
		t.Errorf("got %+v, want revision 2 at the head of three", d.Line)
	}
	for n := 1; n <= 3; n++ {
		got := v.want(200, "GET", fmt.Sprintf("/api/items/a/lines/%s/%d", campaign.Main, n), "")
		if want := fmt.Sprintf(`[1,%d,0,%d]`, n, 600-n); !bytes.Contains(got, []byte(want)) {
			t.Errorf("revision %d: got %s, want %s", n, got, want)
		}
	}
}

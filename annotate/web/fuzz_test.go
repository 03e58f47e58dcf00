package web

import (
	"bytes"
	"image"
	"net/http/httptest"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

var fuzzed = manifests.Image{Width: 30, Height: 20}

// FuzzSave decodes what a client may send as a save: it is refused, or it is a mask of the picture's size.
func FuzzSave(f *testing.F) {
	f.Add(false, []byte(saveBody(5, 0, "a")))
	f.Add(false, []byte(`{"width":30,"height":20,"runs":[255,9223372036854775807,1,-1],"base":0}`))
	f.Add(true, raster.EncodeMaskPNG(raster.NewMask(30, 20)))
	f.Fuzz(func(t *testing.T, png bool, body []byte) {
		r := httptest.NewRequest("PUT", "/api/items/a/mask?base=0", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		q, err := runsRequest(r, fuzzed)
		if png {
			r = httptest.NewRequest("PUT", "/api/items/a/mask?base=0", bytes.NewReader(body))
			q, err = pngRequest(r, fuzzed)
		}
		if err != nil {
			return
		}
		if q.Mask.Width != 30 || q.Mask.Height != 20 || len(q.Mask.Pix) != 600 {
			t.Fatalf("got a mask of %d x %d", q.Mask.Width, q.Mask.Height)
		}
		back, err := RunsOf(q.Mask).Mask(30, 20)
		if err != nil || !bytes.Equal(back.Pix, q.Mask.Pix) {
			t.Fatalf("the mask does not survive its own runs: %v", err)
		}
	})
}

// FuzzCut decodes requests for a cut.
func FuzzCut(f *testing.F) {
	f.Add(`{"boxes":[[1,2,20,19]],"clicks":[[29,19]]}`)
	f.Add(`{"boxes":[[-9223372036854775808,0,9223372036854775807,20],[1]],"clicks":[[30,-1]],"marks":{"width":30,"height":20,"runs":[255,600]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		var q cutRequest
		if decode(strings.NewReader(body), &q) != nil {
			return
		}
		p, err := q.pointing(30, 20)
		if err != nil {
			return
		}
		for _, b := range p.Boxes {
			if !b.In(image.Rect(0, 0, 30, 20)) || b.Dx() < 4 || b.Dy() < 4 {
				t.Fatalf("got box %v", b)
			}
		}
		for _, c := range p.Clicks {
			if !c.In(image.Rect(0, 0, 30, 20)) {
				t.Fatalf("got click %v", c)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	k, err := ParseKeys([]byte("editor:\n  undo: [u]\n  brush: []\n"))
	if err != nil || k["editor"]["undo"][0] != "u" || len(k["editor"]["brush"]) != 0 || k["editor"]["redo"][0] != "Shift+Z" {
		t.Errorf("got %v, %v", k["editor"], err)
	}
	for _, bad := range []string{"editor:\n  fly: [u]\n", "other:\n  undo: [u]\n", "editor:\n  undo: [Ctrl+w]\n", "editor:\n  undo: [d]\n", "editor:\n  undo: [Foo]\n", "editor: 3\n"} {
		if _, err := ParseKeys([]byte(bad)); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
}

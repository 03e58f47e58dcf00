package web

import (
	"encoding/json"
	"net/url"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A PNG that a script saves keeps where it came from and by which tools, as the page's saves do.
func TestPNGProvenance(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	m := raster.NewMask(30, 20)
	m.Set(1, 1, raster.Figure)
	put := func(status int, tools string) {
		r := v.request("PUT", "/api/items/a/mask?base=0&from=bbox&tools="+url.QueryEscape(tools), pngOf(m))
		r.Header.Set("Content-Type", "image/png")
		if res, body := v.do(r); res.StatusCode != status {
			t.Fatalf("%s: got %d %s, want %d", tools, res.StatusCode, body, status)
		}
	}
	put(400, `{"a b":1}`)
	put(400, `{"brush":1} x`)
	put(200, `{"brush":3}`)
	d := w.detail("a")
	e := d.Events[len(d.Events)-1]
	if e.Began != string(manifests.BBox) || len(e.Used) != 1 || e.Tools["brush"] != 3 {
		data, _ := json.Marshal(e)
		t.Errorf("got %s", data)
	}
}

// Pictures are kept up to so many bytes, and the last one always.
func TestPictureCacheBytes(t *testing.T) {
	w := newWorld(t, Options{}, "a", "b", "c")
	ps := w.server.pictures
	ps.most = 2 * 3 * 30 * 20
	for _, key := range []string{"a", "b", "a", "c"} { // b is the one not used for longest
		it, err := w.campaign.Item(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.server.picture(it); err != nil {
			t.Fatal(err)
		}
	}
	if ps.byKey["b"] != nil || ps.byKey["a"] == nil || ps.byKey["c"] == nil || ps.bytes != ps.most {
		t.Errorf("got %v of %d bytes", ps.order, ps.bytes)
	}
	ps.most = 1
	it, _ := w.campaign.Item("b")
	if _, err := w.server.picture(it); err != nil || len(ps.order) != 1 || ps.byKey["b"] == nil {
		t.Errorf("a picture larger than the bound: got %v, %v", ps.order, err)
	}
}

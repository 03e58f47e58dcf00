package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// record stores a picture and describes it: a light disc on a dark ground, and as proposal a box around it.
func record(t testing.TB, store *manifests.Store, id string, width, height int) manifests.Record {
	t.Helper()
	im, mask := raster.NewRGB(width, height), raster.NewMask(width, height)
	for y := range height {
		for x := range width {
			dx, dy := 2*x-width, 2*y-height
			v := uint8(40 + (x*7+y*13)%20)
			if dx*dx+dy*dy < height*height/2 {
				v += 150
			}
			im.Set(x, y, v, v, v/2)
			if max(dx, -dx) < height*3/4 && max(dy, -dy) < height*3/4 {
				mask.Set(x, y, raster.Figure)
			}
		}
	}
	r := manifests.Record{ID: id, Source: "folder", Split: manifests.Train, Tier: manifests.BBox, Boxes: []manifests.Box{{XMin: 0, YMin: 0, XMax: width, YMax: height}}}
	r.Image = manifests.Image{Width: width, Height: height, Format: "png", Orientation: 1}
	var err error
	if r.Image.Path, r.Image.SHA256, err = store.Put("images", campaign.Key(id), "png", raster.EncodePNG(im)); err != nil {
		t.Fatal(err)
	}
	k := manifests.Mask{Tier: manifests.BBox}
	if k.Path, k.SHA256, err = store.Put("masks/bbox", campaign.Key(id), "png", raster.EncodeMaskPNG(mask)); err != nil {
		t.Fatal(err)
	}
	_, k.Figure, k.Void = mask.Areas()
	k.WasGeneratedBy, k.Used, k.Status = "transfer/bbox", []manifests.Digest{r.Image.SHA256}, "made up"
	r.Masks = []manifests.Mask{k}
	return r
}

// A world is a campaign of a few small pictures behind a server.
type world struct {
	t        testing.TB
	campaign *campaign.Campaign
	server   *Server
	http     *httptest.Server
}

func newWorld(t testing.TB, options Options, ids ...string) *world {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var records []manifests.Record
	for _, id := range ids {
		records = append(records, record(t, store, id, 30, 20))
	}
	return newWorldOf(t, options, store, records...)
}

// newWorldOf is newWorld of records whose files are in a store.
func newWorldOf(t testing.TB, options Options, store *manifests.Store, records ...manifests.Record) *world {
	t.Helper()
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Stage: "transfer", Class: manifests.Class{Name: "horse"}}, Records: records}
	digest, err := manifests.Write(store, "set", m)
	if err != nil {
		t.Fatal(err)
	}
	if options.People == nil {
		options.People = []campaign.Person{{Name: "Ann", Role: campaign.Annotator}, {Name: "Ben", Role: campaign.Annotator}, {Name: "Rita", Role: campaign.Reviewer}}
	}
	c, err := campaign.Open(store, "set", m, digest, campaign.Options{People: options.People})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ts := httptest.NewUnstartedServer(nil)
	options.Listen = ts.Listener
	s, err := New(c, options)
	if err != nil {
		t.Fatal(err)
	}
	ts.Config.Handler = s.Handler()
	ts.Start()
	t.Cleanup(ts.Close)
	return &world{t, c, s, ts}
}

// A visitor sends requests as a page would.
type visitor struct {
	*world
	cookie *http.Cookie
	csrf   string
}

func (w *world) visit(name, token string) *visitor {
	w.t.Helper()
	v := &visitor{world: w}
	res, body := v.send("POST", "/api/login", fmt.Sprintf(`{"name":%q,"token":%q}`, name, token))
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("login of %s: %d %s", name, res.StatusCode, body)
	}
	v.cookie = res.Cookies()[0]
	_, body = v.send("GET", "/api/session", "")
	var s struct{ CSRF string }
	if err := json.Unmarshal(body, &s); err != nil || s.CSRF == "" {
		w.t.Fatalf("session: %v %s", err, body)
	}
	v.csrf = s.CSRF
	return v
}

// request prepares a request of the visitor; change may spoil it.
func (v *visitor) request(method, path string, body io.Reader) *http.Request {
	v.t.Helper()
	r, err := http.NewRequest(method, v.http.URL+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	if method != "GET" {
		r.Header.Set("Origin", v.http.URL)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-CSRF-Token", v.csrf)
	}
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	return r
}

func (v *visitor) do(r *http.Request) (*http.Response, []byte) {
	v.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res, body
}

func (v *visitor) send(method, path, body string) (*http.Response, []byte) {
	v.t.Helper()
	return v.do(v.request(method, path, strings.NewReader(body)))
}

// want sends a request and checks the status.
func (v *visitor) want(status int, method, path, body string) []byte {
	v.t.Helper()
	res, got := v.send(method, path, body)
	if res.StatusCode != status {
		v.t.Fatalf("%s %s: got %d %s, want %d", method, path, res.StatusCode, got, status)
	}
	return got
}

// saveBody is a mask whose first n pixels are figure.
func saveBody(n, base int, save string) string {
	return fmt.Sprintf(`{"width":30,"height":20,"runs":[1,%d,0,%d],"base":%d,"save":%q}`, n, 600-n, base, save)
}

func pngOf(m *raster.Mask) *bytes.Reader { return bytes.NewReader(raster.EncodeMaskPNG(m)) }

func loopback(t testing.TB, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// viewed serves the records of a manifest to look at.
func viewed(t *testing.T, origins ...string) (v *visitor, dir string) {
	t.Helper()
	dir = t.TempDir()
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg"}, Records: []manifests.Record{record(t, store, "a", 30, 20),
		record(t, store, "b", 30, 20), record(t, store, "b", 30, 20)}}
	m.Records[2].Split = manifests.Test
	model := &campaign.Compared{IoU: map[string]float64{"a": 0.9, "b": 0.4}, Digest: "of the model", Mask: func(r *manifests.Record) (*raster.Mask, error) {
		return raster.NewMask(r.Image.Width, r.Image.Height), nil
	}}
	ts := httptest.NewUnstartedServer(nil)
	s, err := New(campaign.Browse(store, m, "", model), Options{Listen: ts.Listener, Origins: origins, ReadOnly: true,
		People: []campaign.Person{{Name: "viewer", Role: campaign.Reviewer}}})
	if err != nil {
		t.Fatal(err)
	}
	ts.Config.Handler = s.Handler()
	ts.Start()
	t.Cleanup(ts.Close)
	return &visitor{world: &world{t: t, server: s, http: ts}}, dir
}

// On this machine anybody may look, and nobody can change anything. The picture of the test split, of
// which alone the model has an IoU, comes first, though training has one of its id.
func TestView(t *testing.T) {
	v, dir := viewed(t)
	res, body := v.send("GET", "/api/queue", "")
	first, _, _ := strings.Cut(string(body), "}")
	if res.StatusCode != http.StatusOK || !strings.Contains(first, `"split":"test"`) || !strings.Contains(first, `"iou":0.4`) ||
		strings.Count(string(body), `"iou"`) != 1 {
		t.Errorf("queue: got %d %s, want b of the test split first", res.StatusCode, body)
	}
	// Its small picture has the model's mask, which is empty, and another address with another model.
	if !strings.Contains(first, `"shown":"of the model"`) || strings.Count(string(body), "of the model") != 1 {
		t.Errorf("queue: got %s, want the digest of the model for b of the test split", body)
	}
	if m, err := v.server.campaign.ShownMask(campaign.Person{Name: "viewer", Role: campaign.Reviewer}, campaign.Key("b test")); err != nil || slices.Max(m.Pix) != raster.Ground {
		t.Errorf("the mask of the small picture: got %v, %v, want the model's", m, err)
	}
	_, body = v.send("GET", "/api/items/a", "")
	if !strings.Contains(string(body), `"readOnly":"this page only shows the data set"`) || !strings.Contains(string(body), `"moves":[]`) {
		t.Errorf("a: got %s, want an item that cannot be changed", body)
	}
	if res, body := v.send("GET", "/api/items/a/tiers/model", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("the model's mask of a training picture: got %d %s", res.StatusCode, body)
	}
	if _, body := v.send("GET", "/api/session", ""); strings.Contains(string(body), `"brush"`) || !strings.Contains(string(body), `"readOnly":true`) {
		t.Errorf("session: got %s, want no keys to draw with", body)
	}
	for _, path := range []string{"/api/items/a/mask", "/api/items/a/state", "/api/items/a/comments", "/api/items/a/cut", "/api/login"} {
		for _, method := range []string{"POST", "PUT"} {
			if res, body := v.send(method, path, "{}"); res.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: got %d %s", method, path, res.StatusCode, body)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "annotate")); !os.IsNotExist(err) {
		t.Errorf("the data set has a folder annotate: %v", err)
	}
}

// Where others can reach it, the page asks for the token of this run.
func TestViewToken(t *testing.T) {
	v, dir := viewed(t, "https://view.example.org")
	r := v.request("GET", "/api/queue", nil)
	r.Host = "view.example.org"
	if res, body := v.do(r); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: got %d %s", res.StatusCode, body)
	}
	if token := v.server.Fresh["viewer"]; !v.server.vault.admits("viewer", token) {
		t.Errorf("the token %q is not admitted", token)
	}
	if _, err := os.Stat(filepath.Join(dir, "annotate")); !os.IsNotExist(err) {
		t.Errorf("the data set has a folder annotate: %v", err)
	}
}

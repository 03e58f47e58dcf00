package web

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/manifests/raster"
)

// Each test is an attack that must be refused, and shows that the same request without it is not.

func TestAttackTraversal(t *testing.T) {
	w := newWorld(t, Options{}, "a", "../../evil", `..\..\evil`, "b/../c")
	v := w.visit("Ann", "")
	v.want(200, "GET", "/api/items/a", "")
	for _, path := range []string{
		"/api/items/..%2f..%2fset.yaml/image", "/api/items/%2e%2e/image", "/api/items/..%5c..%5cset.yaml", "/api/items/a%00.png",
		"/api/items/a/tiers/..%2f..%2fmanual", "/api/items/a/lines/..%2f..%2fmain/1", "/api/items/a/lines/main/..%2f1", "/api/items/a/cells/..%2f0",
		"/..%2f..%2fserver.go", "/%2e%2e/server.go", "/static/../../server.go", "/.git/config", "/etc/passwd", "/page/index.html",
	} {
		res, body := v.send("GET", path, "")
		if res.StatusCode < 300 || res.StatusCode >= 500 {
			t.Errorf("GET %s: got %d %.60s", path, res.StatusCode, body)
		}
	}
	// Ids that are paths are only ids: their masks and logs stay below the campaign's folders.
	root := w.campaign.Store.Dir()
	for _, r := range w.campaign.Manifest.Records {
		v.want(200, "PUT", "/api/items/"+campaign.Key(r.ID)+"/mask", saveBody(5, 0, ""))
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(root)), "evil.jsonl")); err == nil {
		t.Error("a file was written outside of the store")
	}
	logs, _ := filepath.Glob(filepath.Join(root, "annotate/set/events/*.jsonl"))
	masks, _ := filepath.Glob(filepath.Join(root, "masks/manual/*.png"))
	if len(logs) != 4 || len(masks) != 4 {
		t.Errorf("got %d logs and %d masks in their folders, want 4 each", len(logs), len(masks))
	}
}

func TestAttackHost(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	for _, host := range []string{"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80"} {
		r := v.request("GET", "/api/queue", nil)
		r.Host = host
		if res, _ := v.do(r); res.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("host %s: got %d, want 421", host, res.StatusCode)
		}
	}
	r := v.request("GET", "/api/queue", nil)
	r.Host = "localhost:" + r.URL.Port()
	if res, _ := v.do(r); res.StatusCode != 200 {
		t.Errorf("localhost: got %d", res.StatusCode)
	}
}

func TestAttackOrigin(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	spoil := map[string]func(*http.Request){
		"foreign origin":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"null origin":        func(r *http.Request) { r.Header.Set("Origin", "null") },
		"no origin":          func(r *http.Request) { r.Header.Del("Origin") },
		"other port":         func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"cross-site":         func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"same-site":          func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"no CSRF token":      func(r *http.Request) { r.Header.Del("X-CSRF-Token") },
		"another CSRF token": func(r *http.Request) { r.Header.Set("X-CSRF-Token", strings.Repeat("A", 43)) },
		"a form":             func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
	}
	for name, f := range spoil {
		r := v.request("PUT", "/api/items/a/mask", strings.NewReader(saveBody(5, 0, "")))
		f(r)
		if res, body := v.do(r); res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d %s", name, res.StatusCode, body)
		}
	}
	r := v.request("GET", "/api/items/a/image", nil) // what another site's <img> would send
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if res, _ := v.do(r); res.StatusCode != http.StatusForbidden {
		t.Errorf("picture for another site: got %d", res.StatusCode)
	}
	v.want(200, "PUT", "/api/items/a/mask", saveBody(5, 0, ""))
}

func TestAttackToken(t *testing.T) {
	w := newWorld(t, Options{Token: true}, "a")
	stranger := &visitor{world: w}
	for _, path := range []string{"/api/queue", "/api/items/a", "/api/items/a/image", "/api/items/a/thumb", "/api/items/a/cells/0", "/api/items/a/tiers/bbox", "/api/items/a/lines/main/1"} {
		stranger.want(http.StatusUnauthorized, "GET", path, "")
	}
	stranger.want(http.StatusUnauthorized, "PUT", "/api/items/a/mask", saveBody(5, 0, ""))
	for _, path := range []string{"/api/assign", "/api/accept", "/api/items/a/work"} {
		stranger.want(http.StatusUnauthorized, "POST", path, "{}")
	}
	if body := stranger.want(200, "GET", "/api/session", ""); bytes.Contains(body, []byte("Rita")) {
		t.Error("the server tells strangers who works here")
	}
	for _, login := range []string{`{"name":"Ann","token":""}`, `{"name":"Ann","token":"` + w.server.Fresh["Ben"] + `"}`, `{"name":"Nobody","token":""}`} {
		stranger.want(http.StatusUnauthorized, "POST", "/api/login", login)
	}
	v := w.visit("Ann", w.server.Fresh["Ann"])
	v.want(200, "GET", "/api/queue", "")
	forged := *v.cookie
	name := strings.Split(forged.Value, ".")
	forged.Value = strings.Replace(name[0], "Fubi", "UmlU", 1) + "x." + name[1]
	thief := &visitor{world: w, cookie: &forged, csrf: v.csrf}
	thief.want(http.StatusUnauthorized, "GET", "/api/queue", "")
	data, err := os.ReadFile(filepath.Join(w.campaign.Store.Dir(), "annotate/set/private.json"))
	if err != nil || bytes.Contains(data, []byte(w.server.Fresh["Ann"])) {
		t.Errorf("the token itself is on the disk: %v", err)
	}
	if st, _ := os.Stat(filepath.Join(w.campaign.Store.Dir(), "annotate/set/private.json")); st.Mode().Perm() != 0o600 {
		t.Errorf("private.json: got mode %v", st.Mode())
	}
}

// An address that others can reach asks for a token by itself, and must be told its name.
func TestAttackPublic(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	people := []campaign.Person{{Name: "Ann", Role: campaign.Annotator}}
	if _, err := New(w.campaign, Options{Listen: loopback(t, "0.0.0.0:0"), People: people}); err == nil {
		t.Error("listening on all addresses without an origin: want an error")
	}
	s, err := New(w.campaign, Options{Listen: loopback(t, "0.0.0.0:0"), People: people, Origins: []string{"https://annotate.example.org"}})
	if err != nil || !s.token || !s.secure || len(s.Fresh) != 1 {
		t.Errorf("behind TLS: %v, %+v", err, s)
	}
	again, err := New(w.campaign, Options{Listen: loopback(t, "0.0.0.0:0"), People: people, Origins: []string{"https://annotate.example.org"}})
	if err != nil || len(again.Fresh) != 0 || !again.vault.admits("Ann", s.Fresh["Ann"]) {
		t.Errorf("after a restart: %v: want no new token, and the old one to hold", err)
	}
	for _, o := range []string{"annotate.example.org", "https://a/b", "ftp://a", "https://"} {
		if _, err := New(w.campaign, Options{Listen: loopback(t, "127.0.0.1:0"), People: people, Origins: []string{o}}); err == nil {
			t.Errorf("origin %q: want an error", o)
		}
	}
}

// zeros is an endless body that counts what was read of it.
type zeros struct{ left, read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	z.left -= n
	z.read += n
	return int(n), nil
}

func TestAttackUpload(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	for _, length := range []int64{1 << 30, -1} { // declared, and in chunks
		for _, kind := range []string{"application/json", "image/png"} {
			z := &zeros{left: 1 << 30}
			r := v.request("PUT", "/api/items/a/mask?base=0", z)
			r.ContentLength = length
			r.Header.Set("Content-Type", kind)
			res, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				res.Body.Close()
				if res.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("%s, length %d: got %d, want 413", kind, length, res.StatusCode)
				}
			}
			if z.read > 2*maxBody {
				t.Errorf("%s, length %d: %d bytes were taken", kind, length, z.read)
			}
		}
	}
	r := v.request("PUT", "/api/items/a/mask", strings.NewReader(saveBody(5, 0, "")))
	r.Header.Set("Content-Encoding", "gzip")
	if res, _ := v.do(r); res.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("gzip: got %d, want 415", res.StatusCode)
	}
}

// bomb is a PNG of the given size , its pixels packed a thousandfold (at most 26 MB are there).
func bomb(t *testing.T, width, height uint32) []byte {
	t.Helper()
	var z, out bytes.Buffer
	c := zlib.NewWriter(&z)
	row := make([]byte, min(width, 1<<16)+1)
	for range min(height, 400) {
		c.Write(row)
	}
	c.Close()
	out.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		binary.Write(&out, binary.BigEndian, uint32(len(data)))
		body := append([]byte(kind), data...)
		out.Write(body)
		binary.Write(&out, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(nil, width)
	chunk("IHDR", append(binary.BigEndian.AppendUint32(head, height), 8, 0, 0, 0, 0))
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return out.Bytes()
}

func TestAttackBomb(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	put := func(body io.Reader, kind string) int {
		r := v.request("PUT", "/api/items/a/mask?base=0", body)
		r.Header.Set("Content-Type", kind)
		res, _ := v.do(r)
		return res.StatusCode
	}
	files := map[string][]byte{
		"50,000 x 50,000": bomb(t, 50000, 50000),
		"as declared":     bomb(t, 1<<31-1, 1<<31-1),
		"more rows":       bomb(t, 30, 400),
		"no picture":      []byte("<svg onload=alert(1)>"),
	}
	for name, data := range files {
		if got := put(bytes.NewReader(data), "image/png"); got != http.StatusBadRequest {
			t.Errorf("PNG %s (%d bytes): got %d, want 400", name, len(data), got)
		}
	}
	for name, body := range map[string]string{
		"size":     `{"width":1000000,"height":1000000,"runs":[1,1000000000000],"base":0}`,
		"overflow": `{"width":30,"height":20,"runs":[1,9223372036854775807,0,9223372036854775807,0,602],"base":0}`,
		"negative": `{"width":30,"height":20,"runs":[1,-600,0,1200],"base":0}`,
		"label":    `{"width":30,"height":20,"runs":[2,600],"base":0}`,
		"short":    `{"width":30,"height":20,"runs":[1,599],"base":0}`,
		"odd":      `{"width":30,"height":20,"runs":[1],"base":0}`,
		"fields":   `{"width":30,"height":20,"runs":[1,600],"base":0,"path":"/etc/passwd"}`,
		"deep":     strings.Repeat(`{"tools":`, 100000),
		"two":      saveBody(5, 0, "") + saveBody(6, 0, ""),
		"base":     saveBody(5, 7, ""),
	} {
		if got := put(strings.NewReader(body), "application/json"); got != http.StatusBadRequest {
			t.Errorf("runs with %s: got %d, want 400", name, got)
		}
	}
	m := raster.NewMask(30, 20)
	m.Set(1, 1, raster.Figure)
	if got := put(pngOf(m), "image/png"); got != 200 {
		t.Errorf("a sound PNG: got %d", got)
	}
}

// What people write comes back as data; the page may run no script but the server's own (the browser test shows that it
// does not).
func TestAttackScript(t *testing.T) {
	const script = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	w := newWorld(t, Options{}, "a", script)
	v := w.visit("Ann", "")
	res, body := v.send("POST", "/api/items/a/comments", `{"x":1,"y":2,"text":"`+strings.ReplaceAll(script, `"`, `\"`)+`"}`)
	if res.StatusCode != 200 || bytes.Contains(body, []byte("<script")) || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("comment: got %d %s as %s", res.StatusCode, body, res.Header.Get("Content-Type"))
	}
	if body := v.want(200, "GET", "/api/queue", ""); bytes.Contains(body, []byte("<script")) {
		t.Errorf("queue: %s", body)
	}
	for _, path := range []string{"/", "/main.js", "/api/session", "/api/items/a/image", "/nothing"} {
		res, _ := v.send("GET", path, "")
		csp := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
}

// What a reviewer may ask is refused to an annotator, who could learn from it what the other one drew.
func TestAttackAgreement(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	w.visit("Ann", "").want(http.StatusForbidden, "GET", "/api/agreement", "")
	if body := w.visit("Rita", "").want(200, "GET", "/api/agreement", ""); !bytes.Contains(body, []byte(`"rows":[]`)) {
		t.Errorf("got %s", body)
	}
}

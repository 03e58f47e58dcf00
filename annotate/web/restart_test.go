package web

import (
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"hdseg/annotate/campaign"
)

// A session that began without a token ends when the server is started again with tokens.
func TestRestartWithTokens(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	r := v.request("GET", "/api/queue", nil)
	l := loopback(t, "127.0.0.1:0")
	s, err := New(w.campaign, Options{Listen: l, People: []campaign.Person{{Name: "Ann", Role: campaign.Annotator}}, Token: true})
	if err != nil {
		t.Fatal(err)
	}
	s.vault.cookie = w.server.vault.cookie // as on the same port
	if _, _, ok := s.vault.person(r, time.Now()); ok {
		t.Error("a session without token holds on a server with tokens")
	}
	if _, _, ok := w.server.vault.person(r, time.Now()); !ok {
		t.Error("and does not where it began")
	}
	r = &http.Request{Header: http.Header{}}
	r.AddCookie(s.vault.issue("Ann", time.Now(), false))
	if _, _, ok := s.vault.person(r, time.Now()); !ok {
		t.Error("a session with token does not hold")
	}
}

func TestAddresses(t *testing.T) {
	hosts, origins, err := addresses(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, []string{"HTTPS://Ann.Example:443/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"localhost", "localhost:80", "127.0.0.1", "[::1]", "ann.example", "ann.example:443"} {
		if !slices.Contains(hosts, h) {
			t.Errorf("host %s: not in %v", h, hosts)
		}
	}
	for _, o := range []string{"http://localhost", "https://ann.example"} {
		if !slices.Contains(origins, o) {
			t.Errorf("origin %s: not in %v", o, origins)
		}
	}
	if slices.Contains(hosts, "ann.example:80") || slices.Contains(origins, "http://ann.example") {
		t.Errorf("got %v, %v: not that port and scheme", hosts, origins)
	}
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	r := v.request("GET", "/api/queue", nil)
	r.Host = "LOCALHOST:" + r.URL.Port()
	if res, _ := v.do(r); res.StatusCode != 200 {
		t.Errorf("LOCALHOST: got %d", res.StatusCode)
	}
}

// A picture that could not be read for a moment is read again.
func TestPictureReadAgain(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	file, err := w.campaign.Store.Path(w.campaign.Manifest.Records[0].Image.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	v.want(500, "GET", "/api/items/a/image", "")
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	v.want(200, "GET", "/api/items/a/image", "")
}

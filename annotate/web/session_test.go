package web

import (
	"net/http"
	"testing"

	"hdseg/annotate/campaign"
)

// After a logout a copy of the cookie is of no use, not even on a server that began later; other sessions go on.
func TestLogoutEndsSession(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v, other := w.visit("Ann", ""), w.visit("Ann", "")
	v.want(http.StatusOK, "GET", "/api/queue", "")
	v.want(http.StatusOK, "POST", "/api/logout", "{}")
	v.want(http.StatusUnauthorized, "GET", "/api/queue", "")
	other.want(http.StatusOK, "GET", "/api/queue", "")
	later, err := New(w.campaign, Options{Listen: w.server.options.Listen, People: w.server.options.People})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		v    *visitor
		good bool
	}{{v, false}, {other, true}} {
		if _, _, ok := later.vault.person(c.v.request("GET", "/", nil), later.options.Now()); ok != c.good {
			t.Errorf("after a restart: got %v, want %v", ok, c.good)
		}
	}
}

// A renewed token ends the old one and its sessions, and nobody else's.
func TestRenewToken(t *testing.T) {
	w := newWorld(t, Options{Token: true}, "a")
	old := w.server.Fresh
	ann, ben := w.visit("Ann", old["Ann"]), w.visit("Ben", old["Ben"])
	s, err := New(w.campaign, Options{Listen: w.server.options.Listen, People: []campaign.Person{{Name: "Ann", Role: campaign.Annotator}, {Name: "Ben", Role: campaign.Annotator}}, Token: true, Renew: []string{"Ann"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Fresh) != 1 || s.vault.admits("Ann", old["Ann"]) || !s.vault.admits("Ann", s.Fresh["Ann"]) || !s.vault.admits("Ben", old["Ben"]) {
		t.Errorf("got fresh tokens for %d people, want one that holds instead of the old one", len(s.Fresh))
	}
	if _, _, ok := s.vault.person(ann.request("GET", "/", nil), s.options.Now()); ok {
		t.Error("a session of the old token goes on")
	}
	if _, _, ok := s.vault.person(ben.request("GET", "/", nil), s.options.Now()); !ok {
		t.Error("another's session ended")
	}
}

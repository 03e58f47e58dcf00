package web

import (
	"crypto/hmac"
	"net/http"
	"strconv"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

type handler func(w http.ResponseWriter, r *http.Request, p campaign.Person)

// signed lets people through who have logged in, and changes only with the session's own token.
func (s *Server) signed(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, csrf, ok := s.person(r)
		if !ok {
			fail(w, http.StatusUnauthorized, "please log in")
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && !hmac.Equal([]byte(r.Header.Get("X-CSRF-Token")), []byte(csrf)) {
			fail(w, http.StatusForbidden, "the CSRF token is missing or not this session's: reload the page")
			return
		}
		next(w, r, p)
	}
}

// person returns who asks: who logged in, or, where anybody on this machine may look, the viewer.
func (s *Server) person(r *http.Request) (p campaign.Person, csrf string, ok bool) {
	if s.options.ReadOnly && !s.token {
		return s.options.People[0], "", true
	}
	return s.vault.person(r, s.options.Now())
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	m := s.campaign.Manifest
	out := map[string]any{"campaign": s.campaign.Name, "dataset": m.Dataset, "class": m.Class.Name, "needToken": s.token,
		"keys": s.options.Keys, "cells": CellCounts, "selfReview": s.campaign.SelfReview, "readOnly": s.options.ReadOnly}
	p, csrf, ok := s.person(r)
	if ok {
		out["person"], out["csrf"] = p, csrf
	}
	// on this machine people choose their name, and reviewers assign pictures; elsewhere names are
	// nobody's business
	if !s.token || ok && p.Role == campaign.Reviewer {
		out["people"] = s.options.People
	}
	reply(w, out)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var q struct{ Name, Token string }
	if err := receive(r, smallBody, &q); err != nil {
		refuse(w, err)
		return
	}
	p, ok := s.vault.people[q.Name]
	if !ok || s.token && !s.vault.admits(q.Name, q.Token) {
		fail(w, http.StatusUnauthorized, "the name or the token is not right")
		return
	}
	http.SetCookie(w, s.vault.issue(p.Name, s.options.Now(), s.secure))
	reply(w, p)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	s.campaign.Leave(p)
	if err := s.vault.end(r, s.options.Now()); err != nil {
		refuse(w, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.vault.cookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure,
		SameSite: http.SameSiteStrictMode})
	reply(w, struct{}{})
}

func (s *Server) queue(w http.ResponseWriter, _ *http.Request, p campaign.Person) {
	reply(w, s.campaign.Queue(p))
}

// changed tells a page what others did since it asked last, and whether cuts are still to learn,
// and takes the picture that it shows.
func (s *Server) changed(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	q := struct {
		Since int
		Key   string
	}{Since: -1}
	if err := receive(r, smallBody, &q); err != nil {
		refuse(w, err)
		return
	}
	reply(w, struct {
		*campaign.Changes
		Learning bool `json:"learning"`
	}{s.campaign.Changes(p, q.Since, q.Key), s.learning.Load()})
}

// manyBody bounds a request that names pictures.
const manyBody = 4 << 20

// assign gives pictures to a person, or takes them back.
func (s *Server) assign(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q struct {
		Keys []string
		To   string
	}
	err := receive(r, manyBody, &q)
	if err == nil {
		err = s.campaign.Assign(p, q.Keys, q.To)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	s.queue(w, r, p)
}

// accept accepts pictures that the reviewer has seen.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q struct{ Keys []string }
	err := receive(r, manyBody, &q)
	var out struct {
		Accepted int                `json:"accepted"`
		Refused  []campaign.Refused `json:"refused"`
	}
	if err == nil {
		out.Accepted, out.Refused, err = s.campaign.AcceptSeen(p, q.Keys)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, out)
}

// work takes what a person did in a picture.
func (s *Server) work(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q campaign.Work
	err := receive(r, smallBody, &q)
	if err == nil {
		err = checkTools(q.Clicks)
	}
	if err == nil {
		names := map[string]int{}
		for tool := range q.Seconds {
			names[tool] = 0
		}
		err = checkTools(names)
	}
	if err == nil {
		err = s.campaign.Worked(p, r.PathValue("key"), q)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, struct{}{})
}

// agreement is for reviewers: the pictures of a pair tell each what the other drew.
func (s *Server) agreement(w http.ResponseWriter, _ *http.Request, p campaign.Person) {
	if p.Role != campaign.Reviewer {
		fail(w, http.StatusForbidden, "not allowed: that is for a reviewer")
		return
	}
	a, err := s.campaign.Agreement()
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, a)
}

func (s *Server) detail(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	d, err := s.campaign.Detail(p, r.PathValue("key"))
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, d)
}

// changes reads a small request, lets act change the item that it is about, and answers with the
// item as it is then.
func changes[Q any](s *Server, act func(r *http.Request, p campaign.Person, key string, q Q) error) handler {
	return func(w http.ResponseWriter, r *http.Request, p campaign.Person) {
		var q Q
		err := receive(r, smallBody, &q)
		if err == nil {
			err = act(r, p, r.PathValue("key"), q)
		}
		if err != nil {
			refuse(w, err)
			return
		}
		s.detail(w, r, p)
	}
}

// The small requests.
type (
	moveRequest struct {
		To     campaign.State
		Base   int
		Reason string
	}
	adjudicateRequest struct {
		Choose string
		Base   int
	}
	commentRequest struct {
		X, Y int
		Text string
	}
	boxesRequest struct{ Boxes []manifests.Box }
)

func (s *Server) move(_ *http.Request, p campaign.Person, key string, q moveRequest) error {
	_, err := s.campaign.Move(p, key, q.To, q.Base, q.Reason)
	return err
}

func (s *Server) adjudicate(_ *http.Request, p campaign.Person, key string, q adjudicateRequest) error {
	_, err := s.campaign.Adjudicate(p, key, q.Choose, q.Base)
	return err
}

func (s *Server) comment(_ *http.Request, p campaign.Person, key string, q commentRequest) error {
	return s.campaign.Comment(p, key, q.X, q.Y, q.Text)
}

func (s *Server) boxes(_ *http.Request, p campaign.Person, key string, q boxesRequest) error {
	return s.campaign.Box(p, key, q.Boxes)
}

func (s *Server) resolve(r *http.Request, p campaign.Person, key string, _ struct{}) error {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return campaign.ErrNotFound
	}
	return s.campaign.Resolve(p, key, n)
}

func (s *Server) tierMask(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	m, err := s.campaign.TierMask(p, r.PathValue("key"), manifests.Tier(r.PathValue("tier")))
	sendMask(w, m, err)
}

func (s *Server) lineMask(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	n, err := strconv.Atoi(r.PathValue("revision"))
	var m *raster.Mask
	if err != nil {
		err = campaign.ErrNotFound
	} else {
		m, err = s.campaign.MaskAt(p, r.PathValue("key"), r.PathValue("line"), n)
	}
	sendMask(w, m, err)
}

func sendMask(w http.ResponseWriter, m *raster.Mask, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, RunsOf(m))
}

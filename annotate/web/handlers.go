package web

import (
	"cmp"
	"crypto/hmac"
	"net/http"
	"strconv"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
)

// A handler answers a request of a person with a value that is sent as JSON, or with a file.
type handler func(w http.ResponseWriter, r *http.Request, p campaign.Person) (any, error)

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
		v, err := next(w, r, p)
		send(w, v, err)
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

func (s *Server) logout(w http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	s.campaign.Leave(p)
	if err := s.vault.end(r, s.options.Now()); err != nil {
		return nil, err
	}
	http.SetCookie(w, &http.Cookie{Name: s.vault.cookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure,
		SameSite: http.SameSiteStrictMode})
	return struct{}{}, nil
}

func (s *Server) queue(_ http.ResponseWriter, _ *http.Request, p campaign.Person) (any, error) {
	return s.campaign.Queue(p), nil
}

// changed tells a page what others did since it asked last, and whether cuts are still to learn,
// and takes the picture that it shows.
func (s *Server) changed(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	q := struct {
		Since int
		Key   string
	}{Since: -1}
	if err := receive(r, smallBody, &q); err != nil {
		return nil, err
	}
	return struct {
		*campaign.Changes
		Learning bool `json:"learning"`
	}{s.campaign.Changes(p, q.Since, q.Key), s.learning.Load()}, nil
}

// manyBody bounds a request that names pictures.
const manyBody = 4 << 20

// assign gives pictures to a person, or takes them back.
func (s *Server) assign(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	var q struct {
		Keys []string
		To   string
	}
	if err := receive(r, manyBody, &q); err != nil {
		return nil, err
	}
	if err := s.campaign.Assign(p, q.Keys, q.To); err != nil {
		return nil, err
	}
	return s.campaign.Queue(p), nil
}

// accept accepts pictures that the reviewer has seen.
func (s *Server) accept(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	var q struct{ Keys []string }
	if err := receive(r, manyBody, &q); err != nil {
		return nil, err
	}
	n, refused, err := s.campaign.AcceptSeen(p, q.Keys)
	return struct {
		Accepted int                `json:"accepted"`
		Refused  []campaign.Refused `json:"refused"`
	}{n, refused}, err
}

// work takes what a person did in a picture.
func (s *Server) work(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	var q campaign.Work
	if err := receive(r, smallBody, &q); err != nil {
		return nil, err
	}
	names := map[string]int{}
	for tool := range q.Seconds {
		names[tool] = 0
	}
	if err := cmp.Or(checkTools(q.Clicks), checkTools(names)); err != nil {
		return nil, err
	}
	return struct{}{}, s.campaign.Worked(p, r.PathValue("key"), q)
}

// agreement is for reviewers: the pictures of a pair tell each what the other drew.
func (s *Server) agreement(_ http.ResponseWriter, _ *http.Request, p campaign.Person) (any, error) {
	if p.Role != campaign.Reviewer {
		return nil, &campaign.ForbiddenError{Why: "that is for a reviewer"}
	}
	return s.campaign.Agreement()
}

func (s *Server) detail(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	return s.campaign.Detail(p, r.PathValue("key"))
}

// changes reads a small request, lets act change the item that it is about, and answers with the
// item as it is then.
func changes[Q any](s *Server, act func(r *http.Request, p campaign.Person, key string, q Q) error) handler {
	return func(w http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
		var q Q
		if err := receive(r, smallBody, &q); err != nil {
			return nil, err
		}
		if err := act(r, p, r.PathValue("key"), q); err != nil {
			return nil, err
		}
		return s.detail(w, r, p)
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

func (s *Server) tierMask(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	return s.campaign.TierMask(p, r.PathValue("key"), manifests.Tier(r.PathValue("tier")))
}

func (s *Server) lineMask(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	n, err := strconv.Atoi(r.PathValue("revision"))
	if err != nil {
		return nil, campaign.ErrNotFound
	}
	return s.campaign.MaskAt(p, r.PathValue("key"), r.PathValue("line"), n)
}

package web

import (
	"crypto/hmac"
	"net/http"
	"strconv"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
)

type handler func(w http.ResponseWriter, r *http.Request, p campaign.Person)

// signed lets people through who have logged in, and changes only with the session's own token.
func (s *Server) signed(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, csrf, ok := s.vault.person(r, s.options.Now())
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

func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	m := s.campaign.Manifest
	out := map[string]any{"campaign": s.campaign.Name, "dataset": m.Dataset, "class": m.Class.Name, "needToken": s.token,
		"keys": s.options.Keys, "cells": CellCounts}
	if p, csrf, ok := s.vault.person(r, s.options.Now()); ok {
		out["person"], out["csrf"] = p, csrf
	}
	if !s.token { // on this machine people choose their name; elsewhere names are nobody's business
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

func (s *Server) logout(w http.ResponseWriter, _ *http.Request, _ campaign.Person) {
	http.SetCookie(w, &http.Cookie{Name: s.vault.cookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode})
	reply(w, struct{}{})
}

func (s *Server) queue(w http.ResponseWriter, _ *http.Request, p campaign.Person) {
	reply(w, s.campaign.Queue(p))
}

// answer sends a result or refuses.
func answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, v)
}

func (s *Server) detail(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	d, err := s.campaign.Detail(p, r.PathValue("key"))
	answer(w, d, err)
}

func (s *Server) move(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q struct {
		To     campaign.State
		Base   int
		Reason string
	}
	err := receive(r, smallBody, &q)
	if err == nil {
		_, err = s.campaign.Move(p, r.PathValue("key"), q.To, q.Base, q.Reason)
	}
	s.after(w, r, p, err)
}

func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q struct {
		Choose string
		Base   int
	}
	err := receive(r, smallBody, &q)
	if err == nil {
		_, err = s.campaign.Adjudicate(p, r.PathValue("key"), q.Choose, q.Base)
	}
	s.after(w, r, p, err)
}

func (s *Server) comment(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	var q struct {
		X, Y int
		Text string
	}
	err := receive(r, smallBody, &q)
	if err == nil {
		err = s.campaign.Comment(p, r.PathValue("key"), q.X, q.Y, q.Text)
	}
	s.after(w, r, p, err)
}

func (s *Server) resolve(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		err = campaign.ErrNotFound
	} else {
		err = s.campaign.Resolve(p, r.PathValue("key"), n)
	}
	s.after(w, r, p, err)
}

// after sends the item as it is now.
func (s *Server) after(w http.ResponseWriter, r *http.Request, p campaign.Person, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	s.detail(w, r, p)
}

func (s *Server) tierMask(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	m, err := s.campaign.TierMask(p, r.PathValue("key"), manifests.Tier(r.PathValue("tier")))
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, RunsOf(m))
}

func (s *Server) lineMask(w http.ResponseWriter, r *http.Request, p campaign.Person) {
	n, err := strconv.Atoi(r.PathValue("revision"))
	if err != nil {
		refuse(w, campaign.ErrNotFound)
		return
	}
	m, err := s.campaign.MaskAt(p, r.PathValue("key"), r.PathValue("line"), n)
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, RunsOf(m))
}

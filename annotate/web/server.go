// Package web serves a campaign as a page for the browser: a queue, an editor for masks, and
// review. The page is embedded, and needs nothing from elsewhere.
package web

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/raster"
	"hdseg/transfer"
)

//go:embed page
var page embed.FS

// Options say where a Server listens and who works with it.
type Options struct {
	Listen net.Listener
	// public addresses, as https://annotate.example.org, where a proxy with TLS stands before the
	// server
	Origins []string
	People  []campaign.Person // at least one
	// ask for a token even on a loopback address; elsewhere it is always asked for
	Token bool
	// names of people whose token was lost or seen by others: they get a new one
	Renew []string
	Keys  Keys // nil for DefaultKeys
	// show the data set and refuse every change; on a loopback address nobody logs in, and the
	// first of People is who looks
	ReadOnly bool
	Now      func() time.Time
}

// A Server shows one campaign.
type Server struct {
	campaign *campaign.Campaign
	options  Options
	hosts    []string
	origins  []string
	secure   bool // all origins are https: cookies travel on TLS only
	token    bool
	vault    *vault
	pictures *cache[*raster.RGB]    // by the keys of items
	arrays   *cache[*feature.Array] // of networks, too
	answers  *cache[[]byte]
	slots    *slots
	cutter   atomic.Pointer[transfer.Cutter]
	learning atomic.Bool // the cutter is to come

	// Fresh holds the tokens that were made for people who had none, by name. They are not kept
	// anywhere: show them once.
	Fresh map[string]string
}

// New prepares a server.
func New(c *campaign.Campaign, o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keys == nil {
		o.Keys = DefaultKeys()
	}
	s := &Server{campaign: c, options: o, token: o.Token || !Loopback(o.Listen.Addr()) || len(o.Origins) > 0,
		pictures: newCache(pictureBytes, func(m *raster.RGB) int { return len(m.Pix) }),
		arrays:   newCache(arrayBytes, (*feature.Array).Bytes),
		answers:  newCache(answerBytes, func(data []byte) int { return len(data) })}
	s.slots = newSlots(1)
	if o.ReadOnly { // everybody is one person
		s.slots = newSlots(heavyAtOnce)
	}
	var err error
	if s.hosts, s.origins, err = addresses(o.Listen.Addr(), o.Origins); err != nil {
		return nil, err
	}
	s.secure = len(o.Origins) > 0 && !slices.ContainsFunc(o.Origins, func(o string) bool {
		return !strings.HasPrefix(strings.ToLower(o), "https:")
	})
	dir, err := c.Store.Path(campaign.Dir(c.Name))
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(o.Listen.Addr().String())
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "private.json")
	if o.ReadOnly {
		file, s.options.Keys = "", o.Keys.viewing()
	}
	boundMemory()
	s.vault, s.Fresh, err = openVault(file, o.People, s.token, o.Renew, port)
	return s, err
}

// Learn calls learn, which makes the cutter that cuts go by from then on; until it returns they go
// by the picture's colors alone, and the page says so.
func (s *Server) Learn(learn func() (*transfer.Cutter, error)) error {
	s.learning.Store(true)
	debug.SetMemoryLimit(math.MaxInt64) // learning takes what it needs, once
	defer boundMemory()
	defer s.learning.Store(false)
	c, err := learn()
	if err == nil {
		s.cutter.Store(c)
	}
	return err
}

// Loopback tells whether only this machine can reach an address.
func Loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// Serve answers requests until the context ends, and then finishes those under way.
func (s *Server) Serve(ctx context.Context) error {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute, WriteTimeout: 2 * time.Minute,
		IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		ended <- h.Shutdown(wait)
	}()
	if err := h.Serve(s.options.Listen); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// Handler is the server without its listener.
func (s *Server) Handler() http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /api/session", s.session)
	if s.token || !s.options.ReadOnly {
		mux.HandleFunc("POST /api/login", s.login)
		mux.HandleFunc("POST /api/logout", s.signed(s.logout))
	}
	mux.HandleFunc("GET /api/queue", s.signed(s.queue))
	mux.HandleFunc("GET /api/agreement", s.heavy(s.agreement))
	mux.HandleFunc("GET /api/items/{key}", s.signed(s.detail))
	mux.HandleFunc("GET /api/items/{key}/image", s.heavy(s.image))
	mux.HandleFunc("GET /api/items/{key}/thumb", s.heavy(s.thumb))
	mux.HandleFunc("GET /api/items/{key}/cells/{size}", s.heavy(s.cells))
	mux.HandleFunc("GET /api/items/{key}/tiers/{tier}", s.heavy(s.tierMask))
	mux.HandleFunc("GET /api/items/{key}/lines/{line}/{revision}", s.heavy(s.lineMask))
	if s.options.ReadOnly {
		return s.guard(mux)
	}
	mux.HandleFunc("POST /api/changes", s.signed(s.changed))
	mux.HandleFunc("POST /api/assign", s.signed(s.assign))
	mux.HandleFunc("POST /api/accept", s.heavy(s.accept))
	mux.HandleFunc("POST /api/items/{key}/work", s.signed(s.work))
	mux.HandleFunc("PUT /api/items/{key}/mask", s.heavy(s.save))
	mux.HandleFunc("POST /api/items/{key}/state", s.signed(changes(s, s.move)))
	mux.HandleFunc("POST /api/items/{key}/adjudicate", s.signed(changes(s, s.adjudicate)))
	mux.HandleFunc("POST /api/items/{key}/comments", s.signed(changes(s, s.comment)))
	mux.HandleFunc("POST /api/items/{key}/comments/{number}/resolve", s.signed(changes(s, s.resolve)))
	mux.HandleFunc("POST /api/items/{key}/boxes", s.signed(changes(s, s.boxes)))
	mux.HandleFunc("POST /api/items/{key}/cut", s.heavy(s.cut))
	return s.guard(mux)
}

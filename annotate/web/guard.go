package web

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hdseg/manifests"
)

// maxBody bounds what a request may send. A mask of 100 million pixels with a border in every row
// has some 10 MB.
const maxBody = 32 << 20

// smallBody bounds requests without a mask: a comment of 2000 characters takes 24 kB where each is
// escaped.
const smallBody = 32 << 10

// maskBody bounds a request with so many masks of a picture: 6 bytes per pixel if every pixel were
// a run of its own, 8 in a PNG of the widest pixels, and the rest of the request.
func maskBody(im manifests.Image, masks int64) int64 {
	return min(maxBody, 128<<10+8*masks*int64(im.Width)*int64(im.Height))
}

const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types hdseg-worker"

// guard lets a request through if it is meant for this server, comes from its own page and is not
// too large, and tells the browser what the page may do.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		// a name that was pointed at this address
		if !slices.Contains(s.hosts, strings.ToLower(r.Host)) {
			fail(w, http.StatusMisdirectedRequest, "this server does not answer for this host name")
			return
		}
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		origin := r.Header.Get("Origin")
		if origin != "" && !slices.Contains(s.origins, strings.ToLower(origin)) || origin == "" && !safe {
			fail(w, http.StatusForbidden, "the request comes from another page")
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && !(safe && r.URL.Path == "/") {
			fail(w, http.StatusForbidden, "the request comes from another site")
			return
		}
		if r.ContentLength > maxBody {
			fail(w, http.StatusRequestEntityTooLarge, "the request is too large")
			return
		}
		if e := r.Header.Get("Content-Encoding"); e != "" {
			fail(w, http.StatusUnsupportedMediaType, "requests must not be compressed")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// addresses lists the host names and origins that requests may name, in lower case: those of the
// listener if it is on a loopback address, and those of the given public origins.
func addresses(listen net.Addr, public []string) (hosts, origins []string, err error) {
	host, port, err := net.SplitHostPort(listen.String())
	if err != nil {
		return nil, nil, err
	}
	names := []string{host}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		names = []string{"localhost", "127.0.0.1", "::1", host}
	} else if ip != nil && ip.IsUnspecified() {
		names = nil
	}
	add := func(scheme, host string) { // with and without the scheme's own port
		usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
		host = strings.TrimSuffix(strings.ToLower(host), usual)
		names := []string{host}
		if (&url.URL{Host: host}).Port() == "" {
			names = append(names, host+usual)
		}
		for _, h := range names {
			hosts, origins = append(hosts, h), append(origins, scheme+"://"+h)
		}
	}
	for _, n := range names {
		add("http", net.JoinHostPort(n, port))
	}
	for _, o := range public {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
			!strings.EqualFold(strings.TrimSuffix(o, "/"), u.Scheme+"://"+u.Host) {
			return nil, nil, fmt.Errorf("origin %s: want https://HOST or https://HOST:PORT without a path", o)
		}
		add(u.Scheme, u.Host)
	}
	if len(hosts) == 0 {
		err = fmt.Errorf("listening on %s: name the address that people will use: --origin https://HOST", listen)
	}
	return hosts, origins, err
}

// Check tells what New would refuse of addresses, before anything is opened: public ones that are
// none, or none at all for a listener that anybody can reach.
func Check(listen net.Addr, public []string) error {
	_, _, err := addresses(listen, public)
	return err
}

package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hdseg/annotate/campaign"
)

// A vault signs sessions and knows who may log in. It is kept beside the campaign, readable by its
// owner only, so that sessions and tokens outlive the server. Tokens are kept as digests.
type vault struct {
	Secret []byte            `json:"secret"`
	Tokens map[string]string `json:"tokens"` // name: hex sha256 of the token

	// sessions that were logged out: when they would have ended, in Unix seconds
	Ended map[string]int64 `json:"ended,omitempty"`

	file   string
	mu     sync.Mutex // of Ended and of the file
	people map[string]campaign.Person
	tokens bool   // only sessions that began with a token hold
	cookie string // its name: browsers keep one jar for all ports of a host
}

// openVault reads the file or makes it; "" is none, and then tokens end with the server. With
// tokens, people who have none, or whose token is to be renewed, get one: fresh holds what is to be
// shown once. The old token of a renewed one, and all sessions that began with it, end.
func openVault(file string, people []campaign.Person, tokens bool, renew []string, port string) (v *vault,
	fresh map[string]string, err error) {
	v = &vault{Tokens: map[string]string{}, Ended: map[string]int64{}, file: file, people: map[string]campaign.Person{},
		tokens: tokens, cookie: "hdseg_session_" + port}
	data, err := os.ReadFile(file)
	switch {
	case file == "", errors.Is(err, fs.ErrNotExist):
		v.Secret = random(32)
	case err != nil:
		return nil, nil, err
	default:
		if err := json.Unmarshal(data, v); err != nil || len(v.Secret) != 32 {
			return nil, nil, fmt.Errorf("%s: damaged: remove it to log everybody out and make new tokens", file)
		}
	}
	fresh = map[string]string{}
	for _, p := range people {
		v.people[p.Name] = p
		if _, ok := v.Tokens[p.Name]; tokens && (!ok || slices.Contains(renew, p.Name)) {
			t := base64.RawURLEncoding.EncodeToString(random(18))
			sum := sha256.Sum256([]byte(t))
			fresh[p.Name], v.Tokens[p.Name] = t, hex.EncodeToString(sum[:])
		}
	}
	return v, fresh, v.keep()
}

// keep writes the file.
func (v *vault) keep() error {
	if v.file == "" {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writePrivate(v.file, data)
}

func writePrivate(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".private-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// admits tells whether the token is the person's.
func (v *vault) admits(name, token string) bool {
	sum := sha256.Sum256([]byte(token))
	want, err := hex.DecodeString(v.Tokens[name])
	return err == nil && subtle.ConstantTimeCompare(sum[:], want) == 1
}

const sessionAge = 30 * 24 * time.Hour

type session struct {
	Name  string `json:"n"`
	Until int64  `json:"u"` // Unix seconds
	Token string `json:"t"` // digest of the token that it began with; "" for none
	ID    string `json:"i"`
}

// issue makes the cookie of a session.
func (v *vault) issue(name string, now time.Time, secure bool) *http.Cookie {
	data, _ := json.Marshal(session{name, now.Add(sessionAge).Unix(), v.token(name), base64.RawURLEncoding.EncodeToString(random(12))})
	value := base64.RawURLEncoding.EncodeToString(data)
	return &http.Cookie{Name: v.cookie, Value: value + "." + v.sign("session", value), Path: "/", MaxAge: int(sessionAge / time.Second),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode}
}

// person returns who a request comes from, and the CSRF token that goes with the session.
func (v *vault) person(r *http.Request, now time.Time) (p campaign.Person, csrf string, ok bool) {
	c, err := r.Cookie(v.cookie)
	if err != nil {
		return p, "", false
	}
	s, ok := v.open(c.Value, now)
	if !ok {
		return p, "", false
	}
	p, ok = v.people[s.Name] // a person who was taken off the list is out
	return p, v.sign("csrf", c.Value), ok
}

// token returns what a session of a person must have begun with: the digest of the person's token,
// "" where none is asked for.
func (v *vault) token(name string) string {
	if !v.tokens {
		return ""
	}
	return v.Tokens[name]
}

// open returns the session of a cookie that this vault issued and that has not ended.
func (v *vault) open(cookie string, now time.Time) (s session, ok bool) {
	dot := len(cookie) - 44
	if dot < 1 || cookie[dot] != '.' || !hmac.Equal([]byte(cookie[dot+1:]), []byte(v.sign("session", cookie[:dot]))) {
		return s, false
	}
	data, err := base64.RawURLEncoding.DecodeString(cookie[:dot])
	if err != nil || json.Unmarshal(data, &s) != nil || now.Unix() > s.Until || v.tokens && s.Token != v.token(s.Name) {
		return s, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ended := v.Ended[s.ID]
	return s, !ended
}

// end ends the session of a request for good: a copy of its cookie is of no use afterwards, nor
// after a restart.
func (v *vault) end(r *http.Request, now time.Time) error {
	c, err := r.Cookie(v.cookie)
	if err != nil {
		return nil
	}
	s, ok := v.open(c.Value, now)
	if !ok {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	maps.DeleteFunc(v.Ended, func(_ string, until int64) bool { return until < now.Unix() })
	v.Ended[s.ID] = s.Until
	return v.keep()
}

// sign returns 43 characters.
func (v *vault) sign(purpose, value string) string {
	h := hmac.New(sha256.New, v.Secret)
	h.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

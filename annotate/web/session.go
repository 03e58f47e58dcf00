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
	"net/http"
	"os"
	"path/filepath"
	"time"

	"hdseg/annotate/campaign"
)

// A vault signs sessions and knows who may log in. It is kept beside the campaign, readable by its owner only, so that
// sessions and tokens outlive the server. Tokens are kept as digests.
type vault struct {
	Secret []byte            `json:"secret"`
	Tokens map[string]string `json:"tokens"` // name: hex sha256 of the token

	people map[string]campaign.Person
	tokens bool   // only sessions that began with a token hold
	cookie string // its name: browsers keep one jar for all ports of a host
}

// openVault reads the file or makes it. With tokens, people who have none get one: fresh holds what is to be shown once.
func openVault(file string, people []campaign.Person, tokens bool, port string) (v *vault, fresh map[string]string, err error) {
	v = &vault{Tokens: map[string]string{}, people: map[string]campaign.Person{}, tokens: tokens, cookie: "hdseg_session_" + port}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
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
		if _, ok := v.Tokens[p.Name]; tokens && !ok {
			t := base64.RawURLEncoding.EncodeToString(random(18))
			sum := sha256.Sum256([]byte(t))
			fresh[p.Name], v.Tokens[p.Name] = t, hex.EncodeToString(sum[:])
		}
	}
	if data, err = json.Marshal(v); err != nil {
		return nil, nil, err
	}
	return v, fresh, writePrivate(file, data)
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
	Token bool   `json:"t"` // it began with a token
}

// issue makes the cookie of a session.
func (v *vault) issue(name string, now time.Time, secure bool) *http.Cookie {
	data, _ := json.Marshal(session{name, now.Add(sessionAge).Unix(), v.tokens})
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
	dot := len(c.Value) - 44
	if dot < 1 || c.Value[dot] != '.' || !hmac.Equal([]byte(c.Value[dot+1:]), []byte(v.sign("session", c.Value[:dot]))) {
		return p, "", false
	}
	data, err := base64.RawURLEncoding.DecodeString(c.Value[:dot])
	var s session
	if err != nil || json.Unmarshal(data, &s) != nil || now.Unix() > s.Until || v.tokens && !s.Token {
		return p, "", false
	}
	p, ok = v.people[s.Name] // a person who was taken off the list is out
	return p, v.sign("csrf", c.Value), ok
}

// sign returns 43 characters.
func (v *vault) sign(purpose, value string) string {
	h := hmac.New(sha256.New, v.Secret)
	h.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

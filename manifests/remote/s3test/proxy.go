package s3test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// A Fault is what a proxy does to one request.
type Fault int

// The faults.
const (
	Pass           Fault = iota
	Refuse               // close the connection before the server sees the request
	Lose                 // close the connection when the server has answered
	Truncate             // send half of the answer's body and close
	Flip                 // change a byte of the answer's body, or of the request's if it has one
	SlowDown             // 503
	Redirect             // 301 without Location: another region
	LieETag              // another ETag
	Skew                 // 403 RequestTimeTooSkewed
	Expired              // 400 ExpiredToken
	Stall                // take the request, and never answer
	Pause                // send half of the answer's body, and never go on
	Unconditional        // pass the request without If-Match and If-None-Match
	NotImplemented       // 501
	Precondition         // 412
	Deny                 // 403 AccessDenied
	NoMetadata           // the answer has no user metadata
	SkewLater            // Skew of a server whose clock is ten minutes ahead
	Later                // pass, by that clock
	// a listing names "images/" with 12 bytes and "masks/" with none, too
	Marker
)

// refusals are the faults that are an error of S3.
var refusals = map[Fault]struct {
	status int
	code   string
}{
	SlowDown: {http.StatusServiceUnavailable, "SlowDown"}, Redirect: {http.StatusMovedPermanently, "PermanentRedirect"},
	Skew: {http.StatusForbidden, "RequestTimeTooSkewed"}, SkewLater: {http.StatusForbidden, "RequestTimeTooSkewed"},
	Expired: {http.StatusBadRequest, "ExpiredToken"}, NotImplemented: {http.StatusNotImplemented, "NotImplemented"},
	Precondition: {http.StatusPreconditionFailed, "PreconditionFailed"}, Deny: {http.StatusForbidden, "AccessDenied"},
}

// A Proxy stands between a client and a server.
type Proxy struct {
	URL string

	mu       sync.Mutex
	decide   func(r *http.Request) Fault
	injected map[Fault]int
}

// NewProxy starts a proxy until the test ends. decide is called for each request; nil passes all.
func NewProxy(t testing.TB, s *Server, decide func(r *http.Request) Fault) *Proxy {
	t.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{decide: decide, injected: map[Fault]int{}}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, forward) }))
	t.Cleanup(h.Close)
	p.URL = h.URL
	return p
}

// Injected returns how often a fault was injected.
func (p *Proxy) Injected(f Fault) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.injected[f]
}

// Set replaces the decision.
func (p *Proxy) Set(decide func(r *http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = decide
}

func (p *Proxy) fault(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decide == nil {
		return Pass
	}
	f := p.decide(r)
	p.injected[f]++
	return f
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, to http.Handler) {
	f := p.fault(r)
	if e, ok := refusals[f]; ok {
		if f == Redirect {
			w.Header().Set("X-Amz-Bucket-Region", "eu-central-1")
		}
		if f == SkewLater {
			w.Header().Set("Date", later())
		}
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(e.status)
		if r.Method != http.MethodHead {
			fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%[1]s</Message></Error>`, e.code)
		}
		return
	}
	switch f {
	case Pass:
		to.ServeHTTP(w, r)
		return
	case Refuse:
		panic(http.ErrAbortHandler)
	case Stall:
		silence(r)
	}
	if f == Unconditional {
		r.Header.Del("If-Match")
		r.Header.Del("If-None-Match")
		r.Header.Del("Authorization")
		by := aws.Credentials{AccessKeyID: AccessKey, SecretAccessKey: SecretKey}
		plain := func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }
		body := r.Header.Get("X-Amz-Content-Sha256")
		if err := v4.NewSigner(plain).SignHTTP(r.Context(), by, r, body, "s3", "us-east-1", time.Now()); err != nil {
			panic(http.ErrAbortHandler)
		}
		to.ServeHTTP(w, r)
		return
	}
	if f == Flip && r.ContentLength > 0 {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		body[len(body)/2] ^= 1
		r.Body = io.NopCloser(bytes.NewReader(body))
		to.ServeHTTP(w, r)
		return
	}
	got := httptest.NewRecorder()
	to.ServeHTTP(got, r)
	if f == Lose {
		panic(http.ErrAbortHandler)
	}
	body := got.Body.Bytes()
	for k, v := range got.Header() {
		w.Header()[k] = v
	}
	if f == Later {
		w.Header().Set("Date", later())
	}
	for k := range w.Header() {
		if f == NoMetadata && strings.HasPrefix(k, "X-Amz-Meta-") {
			w.Header().Del(k)
		}
	}
	if f == LieETag {
		if w.Header().Get("ETag") != "" {
			w.Header().Set("ETag", `"00000000000000000000000000000000-7"`)
		}
		body = []byte(strings.ReplaceAll(string(body), "<ETag>", "<ETag>0"))
		w.Header().Del("Content-Length")
	}
	if f == Marker {
		var more strings.Builder
		for name, size := range map[string]int{"images/": 12, "masks/": 0} {
			fmt.Fprintf(&more, "<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"+
				"<Size>%d</Size></Contents>", r.URL.Query().Get("prefix")+name, size)
		}
		body = []byte(strings.Replace(string(body), "</ListBucketResult>", more.String()+"</ListBucketResult>", 1))
		w.Header().Del("Content-Length")
	}
	if f == Flip && len(body) > 0 {
		body[len(body)/2] ^= 1
	}
	w.WriteHeader(got.Code)
	if f == Pause {
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush()
		silence(r)
	}
	if f == Truncate && len(body) > 1 {
		w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	w.Write(body)
}

func later() string { return time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat) }

func silence(r *http.Request) {
	io.Copy(io.Discard, r.Body) // only then is the end of a connection seen
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

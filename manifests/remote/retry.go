package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 10 * time.Second
	mostStalls = 3 // tries whose silence is waited for
)

// permanent are answers that asking again does not change; a code that is not here is retried, but
// for the statuses of again.
var permanent = map[string]bool{
	"NoSuchBucket": true, "NoSuchKey": true, "NotFound": true, "AccessDenied": true, "InvalidAccessKeyId": true,
	"XAdminUserNotFound": true, "SignatureDoesNotMatch": true,
	"ExpiredToken": true, "InvalidToken": true, "TokenRefreshRequired": true, "RequestTimeTooSkewed": true, "PermanentRedirect": true,
	"AuthorizationHeaderMalformed": true, "IllegalLocationConstraintException": true, "InvalidBucketName": true,
	"PreconditionFailed": true, "NoSuchUpload": true,
	"InvalidArgument": true, "EntityTooLarge": true, "MethodNotAllowed": true, "InvalidRange": true,
	"InsufficientStorage": true, "QuotaExceeded": true, "XMinioStorageFull": true,
}

// retry calls try until it succeeds, fails for good, or was called Options.Attempts times, and
// waits longer each time. Its error names the object and is one line.
func (b *Bucket) retry(ctx context.Context, path string, try func() error) error {
	delay, stalls, most, skewed := firstDelay, 0, b.opts.Attempts, false
	for n := 1; ; n++ {
		err := try()
		if stalled(err) {
			stalls++
			most = min(b.opts.Attempts, n+mostStalls-stalls)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case codeOf(err) == "RequestTimeTooSkewed" && !skewed: // the SDK takes the server's time next
			skewed = true
			continue
		case n >= most || !again(err):
			return b.explain(ctx, path, err)
		}
		wait := delay/2 + rand.N(delay/2+1) // so that workers do not come back all at once
		delay = min(2*delay, maxDelay)
		b.notice(path, err, n, most, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// notice says that try n of most has failed and when the next one is: once for each cause, by what
// stands before the first ": ", since all transfers meet the same.
func (b *Bucket) notice(path string, err error, n, most int, wait time.Duration) {
	if b.opts.Notice == nil {
		return
	}
	cause := b.cause(err)
	kind, _, _ := strings.Cut(cause, ": ")
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.told[kind] {
		b.told[kind] = true
		b.opts.Notice(fmt.Sprintf("%s: %s: try %d of %d failed, the next one is in %.1f s (said once for this cause)",
			Printable(b.String()+path), oneLine(cause), n, most, wait.Seconds()))
	}
}

// A finalError is one of this side: asking again does not help.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func again(err error) bool {
	var final finalError
	if errors.As(err, &final) || noCredentials(err) {
		return false
	}
	return !permanent[codeOf(err)] && statusOf(err) != http.StatusMovedPermanently && !refused(err) &&
		!contains(err, wantsHTTP) && !errors.As(err, new(*tls.CertificateVerificationError))
}

// refused tells whether the server does not want us, be it without saying why.
func refused(err error) bool {
	return statusOf(err) == http.StatusForbidden || statusOf(err) == http.StatusUnauthorized
}

func stalled(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

func statusOf(err error) int {
	var r *awshttp.ResponseError
	if errors.As(err, &r) && r.Response != nil {
		return r.HTTPStatusCode()
	}
	return 0
}

func notFound(err error) bool {
	c := codeOf(err)
	return c == "NoSuchKey" || c == "NotFound" || c == "" && statusOf(err) == http.StatusNotFound
}

// noCredentials tells whether there was nothing to sign with; the SDK has no type for that.
func noCredentials(err error) bool {
	return codeOf(err) == "" && statusOf(err) == 0 && contains(err, "get identity", "failed to refresh cached credentials",
		"static credentials are empty")
}

// busy tells whether the server wants fewer requests.
func busy(err error) bool {
	return codeOf(err) == "SlowDown" || statusOf(err) == http.StatusServiceUnavailable
}

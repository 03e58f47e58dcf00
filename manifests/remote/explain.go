package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// explain turns an error into one line for people. Nothing of a credential is in it.
func (b *Bucket) explain(ctx context.Context, path string, err error) error {
	at := Printable(b.String() + path)
	say := func(format string, args ...any) error {
		return fmt.Errorf("remote: %s: %s", at, oneLine(fmt.Sprintf(format, args...)))
	}
	var final finalError
	if errors.As(err, &final) {
		return fmt.Errorf("remote: %s: %w", at, final.error)
	}
	switch code := codeOf(err); {
	case noCredentials(err):
		return say("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	case code == "NoSuchBucket":
		return say("there is no bucket %s", b.name)
	case code == "PermanentRedirect", code == "AuthorizationHeaderMalformed", code == "IllegalLocationConstraintException",
		statusOf(err) == http.StatusMovedPermanently:
		if r := b.regionOf(ctx, err); r != "" && r != b.region {
			return say("the bucket is in region %s, not %s: use --region %s", r, b.region, r)
		}
		return say("wrong region or endpoint: the bucket is not in %s", b.region)
	case code == "ExpiredToken", code == "TokenRefreshRequired", code == "InvalidToken":
		return say("the credentials have expired: renew them and run the same command again")
	case code == "InvalidAccessKeyId", code == "XAdminUserNotFound": // the second is versitygw's
		return say("the server does not accept the credentials: it knows no such key id: check AWS_ACCESS_KEY_ID, or the " +
			"profile, and --endpoint")
	case code == "SignatureDoesNotMatch":
		return say("the server does not accept the credentials: the secret key is another: check AWS_SECRET_ACCESS_KEY, or the profile")
	case code == "RequestTimeTooSkewed":
		return say("this machine's clock is wrong: it says %s, and the server's time did not help either: set the clock",
			time.Now().UTC().Format(time.RFC3339))
	case code == "PreconditionFailed", statusOf(err) == http.StatusPreconditionFailed:
		return say("the server refuses it with HTTP 412, although it was sent without a condition: run the same command again, and " +
			"if that stays so ask who runs the server, or the proxy before it, which condition it adds")
	case code == "AccessDenied", refused(err):
		return say("access denied: these credentials may not do this: use others, or ask who runs the bucket to allow them to read, " +
			"write, list and delete objects there")
	case code == "InsufficientStorage", code == "XMinioStorageFull", statusOf(err) == http.StatusInsufficientStorage:
		return say("the server's disk is full: make room there and run the same command again")
	case code == "QuotaExceeded":
		return say("the quota is used up: make room there and run the same command again")
	case busy(err):
		return say("%s and was after %d tries: run the same command again later", b.cause(err), b.opts.Attempts)
	case notFound(err):
		return say("not there")
	case stalled(err):
		return say("%s: try again later, or with a longer --stall", b.cause(err))
	case errors.As(err, new(*otherBytes)):
		return say("%v: if that stays so the object there is damaged: send it again with push --resend %s, from a folder that "+
			"has it whole", innermost(err), path)
	case contains(err, wantsHTTP):
		return say("the server speaks http, not https: use --endpoint http://...")
	}
	return say("%s", b.cause(err))
}

const wantsHTTP = "server gave HTTP response to HTTPS client"

// cause says what is wrong where trying again may help, without the object. oneLine takes out
// secrets.
func (b *Bucket) cause(err error) string {
	var dial *net.OpError
	switch code := codeOf(err); {
	case busy(err):
		return "the server is busy"
	case code != "":
		return fmt.Sprintf("the server says %s (HTTP %d)", code, statusOf(err))
	case stalled(err):
		return fmt.Sprintf("the server is silent: no byte moved for %v", b.opts.Stall)
	case errors.As(err, &dial):
		return fmt.Sprintf("no connection: %v", dial)
	}
	return innermost(err).Error()
}

// regionOf asks where a bucket is: the answer that refused us says so, or a HEAD does.
func (b *Bucket) regionOf(ctx context.Context, err error) string {
	const header = "X-Amz-Bucket-Region"
	var r *awshttp.ResponseError
	if errors.As(err, &r) && r.Response != nil && r.Response.Header.Get(header) != "" {
		return r.Response.Header.Get(header)
	}
	_, err = b.api.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String(b.name)})
	if errors.As(err, &r) && r.Response != nil {
		return r.Response.Header.Get(header)
	}
	return ""
}

// contains looks for words in an error's text: some of the SDK's errors have no type.
func contains(err error, words ...string) bool {
	for _, w := range words {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

var (
	userInfo = regexp.MustCompile(`://[^\s"]*@`)
	bareInfo = regexp.MustCompile(`^[^\s"]*@`)
	queries  = regexp.MustCompile(`[?#][^\s"]*`)
)

// redact leaves out of URLs in a text what may be a secret: user and password, query and fragment.
func redact(text string) string {
	if text = userInfo.ReplaceAllString(text, "://...@"); !strings.Contains(text, "://") {
		text = bareInfo.ReplaceAllString(text, "...@")
	}
	return queries.ReplaceAllString(text, "?...")
}

func oneLine(text string) string { return Printable(redact(text)) }

// Printable returns s, which somebody else may have written, quoted if it has characters that do
// not show.
func Printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}

// Package remote keeps data sets in S3 buckets: Push sends what a manifest names and, last and on
// condition that nobody else did, the manifest; Pull fetches it, whole or the records of some
// splits and tiers; List says what a prefix holds. Any server that speaks S3 will do.
//
// What is compared is always the sha256 of the manifest: by the server with the bytes that it
// receives, which refuses others, with the object's metadata where an object is there already, with
// the bytes that arrive here. Until a server has shown that it compares, by naming the sha256 in an
// answer, the bytes are compared here before they are sent. ETags are only conditions, never
// checksums.
//
// Under its prefix a data set lies as in its folder: images/..., masks/..., NAME.yaml and
// NAME.d/0000.DIGEST.yaml. Every name but that of the index changes with its bytes, so that any
// reader of an index finds the parts and files that it names, whatever is pushed meanwhile; what
// only an old index names stays until a push with Delete.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

// A Bucket is a place in a bucket where data sets are.
type Bucket struct {
	api    *s3.Client
	name   string
	prefix string // "" or ending in '/'
	region string
	opts   Options

	mu   sync.Mutex
	told map[string]bool // causes of failed tries that Notice has heard of

	compares atomic.Bool // the server has shown that it compares bodies with their checksum header
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

// ParseURL takes s3://bucket/prefix apart.
func ParseURL(url string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(url, "s3://")
	bucket, prefix, _ = strings.Cut(rest, "/")
	plain := !strings.HasPrefix(prefix, "/")
	prefix = strings.TrimSuffix(prefix, "/")
	// no "..", "." or empty name, which servers on folders resolve
	plain = plain && (prefix == "" || fs.ValidPath(prefix))
	if !ok || bucket == "" || !plain {
		return "", "", fmt.Errorf("%q: want s3://bucket or s3://bucket/prefix", redact(url))
	}
	if strings.Trim(bucket, letters) != "" || strings.Contains(prefix, "?") || Printable(prefix) != prefix {
		return "", "", fmt.Errorf("%q: want s3://bucket or s3://bucket/prefix, without user, password, query and characters that "+
			"do not show", redact(url))
	}
	return bucket, prefix, nil
}

// Open prepares a place; nothing is sent yet.
func Open(ctx context.Context, url string, o Options) (*Bucket, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	name, prefix, err := ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	if prefix != "" {
		prefix += "/"
	}
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost, t.DisableCompression = 4*o.Workers, 4*o.Workers, true
		watch(t, o.Rate, o.Stall)
	})
	set := []func(*config.LoadOptions) error{config.WithHTTPClient(client),
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		config.WithLogger(logging.Nop{})} // what goes wrong is told once, in one line
	if o.Region != "" {
		set = append(set, config.WithRegion(o.Region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, set...)
	var profile config.SharedConfigProfileNotExistError
	if errors.As(err, &profile) {
		return nil, fmt.Errorf("remote: there is no profile %q: set AWS_PROFILE to one that the AWS tools know, or unset it",
			profile.Profile)
	} else if err != nil {
		return nil, fmt.Errorf("remote: %s", oneLine(err.Error()))
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	api := s3.NewFromConfig(cfg, func(so *s3.Options) {
		if o.Endpoint != "" {
			so.BaseEndpoint = aws.String(o.Endpoint)
		}
		// Other servers often know neither bucket names in host names nor checksums in trailers.
		so.UsePathStyle = so.BaseEndpoint != nil || strings.Contains(name, ".")
		so.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		so.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		so.DisableLogOutputChecksumValidationSkipped = true
		so.APIOptions = append(so.APIOptions, knownPayload)
	})
	if at := api.Options().BaseEndpoint; at != nil { // of the environment, perhaps
		if err := checkEndpoint(*at); err != nil {
			return nil, err
		}
	}
	return &Bucket{api: api, name: name, prefix: prefix, region: cfg.Region, opts: o, told: map[string]bool{}}, nil
}

// String is the place's URL.
func (b *Bucket) String() string { return "s3://" + b.name + "/" + b.prefix }

func (b *Bucket) key(path string) *string { return aws.String(b.prefix + path) }

// checkEndpoint refuses all but http:// or https://, a host and perhaps a path, and tells no
// secret.
func checkEndpoint(endpoint string) error {
	if !strings.Contains(endpoint, "://") {
		return fmt.Errorf("remote: endpoint %q: want a URL: http://%[1]s or https://%[1]s", redact(endpoint))
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("remote: endpoint %q: want http://HOST:PORT or https://HOST:PORT", redact(endpoint))
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("remote: endpoint %q: want no user, password, query or fragment: credentials belong where the AWS "+
			"tools look", redact(endpoint))
	}
	return nil
}

package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"

	"hdseg/manifests"
)

const shaKey = "sha256"

// A condition is what an object must still be for a write to happen.
type condition struct {
	absent bool
	etag   string
}

// put sends an object in one request with its sha256, and the server refuses other bytes: once an
// answer has shown that it compares, by that header alone, until then by the signature, too.
func (b *Bucket) put(ctx context.Context, path string, body io.ReadSeeker, size int64, sum manifests.Digest, when *condition) error {
	in := &s3.PutObjectInput{
		Bucket: aws.String(b.name), Key: b.key(path), ContentLength: aws.Int64(size), Body: body,
		ChecksumSHA256: checksum(sum), Metadata: map[string]string{shaKey: string(sum)},
	}
	if when != nil && when.absent {
		in.IfNoneMatch = aws.String("*")
	} else if when != nil {
		in.IfMatch = aws.String(when.etag)
	}
	out, err := b.api.PutObject(b.payload(ctx, sum), in)
	if err == nil {
		b.answered(out.ChecksumSHA256, *in.ChecksumSHA256)
	}
	return err
}

// checksum is a digest as headers have it.
func checksum(sum manifests.Digest) *string {
	raw, _ := hex.DecodeString(string(sum)) // a digest is hexadecimal
	return aws.String(base64.StdEncoding.EncodeToString(raw))
}

func (b *Bucket) putBytes(ctx context.Context, path string, data []byte, sum manifests.Digest, when *condition) error {
	return b.put(ctx, path, bytes.NewReader(data), int64(len(data)), sum, when)
}

func (b *Bucket) payload(ctx context.Context, sum manifests.Digest) context.Context {
	if b.compares.Load() {
		return withPayload(ctx, unsigned)
	}
	return withPayload(ctx, string(sum))
}

// answered remembers that an answer has the sha256 that was sent: the server compares it.
func (b *Bucket) answered(got *string, want string) {
	if aws.ToString(got) == want && !b.compares.Load() {
		b.compares.Store(true)
	}
}

// send sends a file whose sha256 must be want. A server that compares spares us reading it twice.
func (b *Bucket) send(ctx context.Context, path, file string, size int64, want manifests.Digest, resume *types.MultipartUpload) error {
	if size > b.opts.PartBytes {
		return b.sendParts(ctx, path, file, size, want, resume)
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer f.Close()
	failed := false
	return b.retry(ctx, path, func() error {
		if failed || !b.compares.Load() {
			got, err := manifests.SumFile(file)
			if err == nil && got != want {
				err = changed(got, want)
			}
			if err != nil {
				return finalError{err}
			}
		}
		err := b.put(ctx, path, io.NewSectionReader(f, 0, size), size, want, nil)
		failed = err != nil
		return err
	})
}

func changed(got, want manifests.Digest) error {
	return fmt.Errorf("the file here has other bytes: got sha256 %s, want %s: run hdseg check", got.Short(), want.Short())
}

type part struct {
	number   int32
	at, size int64
	sum      manifests.Digest
}

// cut returns the parts of a file and the digest of the whole, read once.
func cut(file string, size, partBytes int64) ([]part, manifests.Digest, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	const mostParts = 10_000
	partBytes = max(partBytes, (size+mostParts-1)/mostParts)
	all := sha256.New()
	var parts []part
	for at := int64(0); at < size; at += partBytes {
		one := sha256.New()
		n := min(partBytes, size-at)
		if _, err := io.CopyN(io.MultiWriter(all, one), f, n); err != nil {
			return nil, "", err
		}
		parts = append(parts, part{int32(len(parts) + 1), at, n, manifests.Digest(hex.EncodeToString(one.Sum(nil)))})
	}
	return parts, manifests.Digest(hex.EncodeToString(all.Sum(nil))), nil
}

// sendParts sends a file in parts, several at a time. Parts that the server has of an earlier try
// are not sent again; an upload that fails is left for the next try.
func (b *Bucket) sendParts(ctx context.Context, path, file string, size int64, want manifests.Digest, resume *types.MultipartUpload) error {
	parts, got, err := cut(file, size, b.opts.PartBytes)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	if got != want {
		return fmt.Errorf("remote: %s%s: %w", b, path, changed(got, want))
	}
	id, have := "", map[int32]types.Part{}
	if resume != nil {
		id = aws.ToString(resume.UploadId)
		if have, err = b.partsThere(ctx, path, id); err != nil {
			id, have = "", nil
		}
		// no request tells before the end for which bytes an upload was begun
		for _, h := range have {
			if n := int(aws.ToInt32(h.PartNumber)); n > len(parts) || aws.ToString(h.ChecksumSHA256) != *checksum(parts[n-1].sum) {
				if err := b.abort(ctx, types.MultipartUpload{Key: b.key(path), UploadId: &id}); err != nil {
					return err
				}
				id, have = "", nil
				break
			}
		}
	}
	if id == "" {
		err := b.retry(ctx, path, func() error {
			out, err := b.api.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: aws.String(b.name), Key: b.key(path),
				ChecksumAlgorithm: types.ChecksumAlgorithmSha256, Metadata: map[string]string{shaKey: string(want)}})
			if err == nil {
				id = aws.ToString(out.UploadId)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer f.Close()
	done := make([]types.CompletedPart, len(parts))
	const atOnce = 4
	err = manifests.Each(ctx, atOnce, len(parts), func(ctx context.Context, i int) (types.CompletedPart, error) {
		p := parts[i]
		sum := checksum(p.sum)
		if h, ok := have[p.number]; ok && aws.ToString(h.ChecksumSHA256) == *sum && aws.ToInt64(h.Size) == p.size {
			return types.CompletedPart{PartNumber: aws.Int32(p.number), ETag: h.ETag, ChecksumSHA256: sum}, nil
		}
		var etag *string
		err := b.retry(ctx, path, func() error {
			out, err := b.api.UploadPart(b.payload(ctx, p.sum), &s3.UploadPartInput{
				Bucket: aws.String(b.name), Key: b.key(path), UploadId: &id, PartNumber: aws.Int32(p.number),
				ContentLength: aws.Int64(p.size), ChecksumSHA256: sum, Body: io.NewSectionReader(f, p.at, p.size),
			})
			if err == nil {
				etag = out.ETag
				b.answered(out.ChecksumSHA256, *sum)
			}
			return err
		})
		return types.CompletedPart{PartNumber: aws.Int32(p.number), ETag: etag, ChecksumSHA256: sum}, err
	}, func(i int, c types.CompletedPart, err error) error {
		done[i] = c
		return err
	})
	if err != nil {
		return err
	}
	err = b.retry(ctx, path, func() error {
		_, err := b.api.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: aws.String(b.name),
			Key: b.key(path), UploadId: &id,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: done}})
		// an earlier try whose answer was lost may have completed it
		if codeOf(err) == "NoSuchUpload" {
			return finalError{err}
		}
		return err
	})
	size2, sum, herr := b.head(ctx, path)
	switch {
	case herr == nil && size2 == size && (sum == want || err == nil && sum == ""):
		return nil
	case err != nil:
		return err
	case herr != nil:
		return herr
	}
	return fmt.Errorf("remote: %s: the server has %d bytes with sha256 %s, want %d with %s: run the same command again", path,
		size2, sum.Short(), size, want.Short())
}

func (b *Bucket) partsThere(ctx context.Context, path, id string) (map[int32]types.Part, error) {
	have := map[int32]types.Part{}
	err := b.retry(ctx, path, func() error {
		pages := s3.NewListPartsPaginator(b.api, &s3.ListPartsInput{Bucket: aws.String(b.name), Key: b.key(path), UploadId: &id})
		for pages.HasMorePages() {
			out, err := pages.NextPage(ctx)
			if err != nil {
				return err
			}
			for _, p := range out.Parts {
				have[aws.ToInt32(p.PartNumber)] = p
			}
		}
		return nil
	})
	return have, err
}

// head returns an object's size, -1 if it is not there, and the sha256 of its metadata, "" for
// none.
func (b *Bucket) head(ctx context.Context, path string) (size int64, sum manifests.Digest, err error) {
	err = b.retry(ctx, path, func() error {
		out, err := b.api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(b.name), Key: b.key(path)})
		if err != nil && notFound(err) {
			size, sum = -1, ""
			return nil
		}
		if err == nil {
			size, sum = aws.ToInt64(out.ContentLength), manifests.Digest(out.Metadata[shaKey])
		}
		return err
	})
	return size, sum, err
}

func (b *Bucket) uploads(ctx context.Context) (out []types.MultipartUpload, err error) {
	err = b.retry(ctx, "", func() error {
		out = nil
		pages := s3.NewListMultipartUploadsPaginator(b.api, &s3.ListMultipartUploadsInput{Bucket: aws.String(b.name),
			Prefix: aws.String(b.prefix)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return err
			}
			out = append(out, page.Uploads...)
		}
		return nil
	})
	slices.SortFunc(out, func(a, b types.MultipartUpload) int { return -a.Initiated.Compare(*b.Initiated) })
	return out, err
}

func (b *Bucket) abort(ctx context.Context, u types.MultipartUpload) error {
	return b.retry(ctx, "", func() error {
		_, err := b.api.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: aws.String(b.name), Key: u.Key,
			UploadId: u.UploadId})
		if codeOf(err) == "NoSuchUpload" {
			return nil
		}
		return err
	})
}

var errCut = errors.New("the answer was cut short")

// unsigned says that the checksum header, which is signed, vouches for the body.
const unsigned = "UNSIGNED-PAYLOAD"

type payloadKey struct{}

// withPayload sets what the signature states of the body, its sha256 in hex or unsigned.
func withPayload(ctx context.Context, hash string) context.Context {
	return context.WithValue(ctx, payloadKey{}, hash)
}

func knownPayload(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hdsegKnownPayload", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		if hash, ok := ctx.Value(payloadKey{}).(string); ok {
			ctx = v4.SetPayloadHash(ctx, hash)
		}
		return next.HandleInitialize(ctx, in)
	}), middleware.Before)
}

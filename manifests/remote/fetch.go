package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"hdseg/manifests"
)

// get returns a small object and its ETag, nil if it is not there. Its sha256 must be want or, if
// that is "", the one kept with it.
func (b *Bucket) get(ctx context.Context, path string, want manifests.Digest) (data []byte, etag string, err error) {
	return b.getIf(ctx, path, func(got, kept manifests.Digest) bool { return want == "" && kept == "" || got == cmp.Or(want, kept) }, want)
}

// getIf is get of what ok accepts by its sha256 and the one kept with it; want is for the message.
func (b *Bucket) getIf(ctx context.Context, path string, ok func(got, kept manifests.Digest) bool,
	want manifests.Digest) (data []byte, etag string, err error) {
	err = b.retry(ctx, path, func() error {
		out, err := b.api.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(b.name), Key: b.key(path)})
		if err != nil && notFound(err) {
			data = nil
			return nil
		} else if err != nil {
			return err
		}
		defer out.Body.Close()
		if most := mostOf(path); most > 0 && aws.ToInt64(out.ContentLength) > most {
			return finalError{fmt.Errorf("it is no index: got %d bytes, want at most %d", *out.ContentLength, most)}
		}
		var buf bytes.Buffer
		n, err := io.Copy(&buf, out.Body)
		if err != nil {
			return err
		}
		if out.ContentLength != nil && n != *out.ContentLength {
			return errCut
		}
		kept := manifests.Digest(out.Metadata[shaKey])
		if sum := manifests.Sum(buf.Bytes()); !ok(sum, kept) {
			return &otherBytes{sum, cmp.Or(want, kept)}
		}
		data, etag = buf.Bytes(), aws.ToString(out.ETag)
		return nil
	})
	return data, etag, err
}

// An otherBytes is an answer with bytes that were damaged on the way, or where the server keeps
// them.
type otherBytes struct{ got, want manifests.Digest }

func (e *otherBytes) Error() string {
	return fmt.Sprintf("other bytes arrive: got sha256 %s, want %s", e.got.Short(), e.want.Short())
}

// keepFrom is the size from which what has arrived of a file is kept for the next try.
const keepFrom = 4 << 20

// fetch writes an object with the sha256 want to name, by way of the folder temp of the same disk.
func (b *Bucket) fetch(ctx context.Context, path, name, temp string, want manifests.Digest) error {
	// Two paths may have the same bytes.
	part := filepath.Join(temp, manifests.Sum([]byte(path)).Short()+"-"+string(want)+".part")
	err := b.retry(ctx, path, func() error { return b.fetchOnce(ctx, path, part, want) })
	if err != nil {
		if st, e := os.Stat(part); e == nil && st.Size() < keepFrom {
			os.Remove(part)
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	return os.Rename(part, name)
}

func (b *Bucket) fetchOnce(ctx context.Context, path, part string, want manifests.Digest) (err error) {
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return finalError{err}
	}
	defer f.Close()
	sum := sha256.New()
	have, err := io.Copy(sum, f)
	if err != nil {
		return finalError{err}
	}
	in := &s3.GetObjectInput{Bucket: aws.String(b.name), Key: b.key(path)}
	if have > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", have))
	}
	out, err := b.api.GetObject(ctx, in)
	if code := codeOf(err); have > 0 && (code == "InvalidRange" || statusOf(err) == 416) {
		if manifests.Digest(hex.EncodeToString(sum.Sum(nil))) == want {
			return nil // it was all there
		}
		return restart(f, errors.New("more bytes here than there"))
	}
	if err != nil {
		return err
	}
	defer out.Body.Close()
	if have > 0 && out.ContentRange == nil { // the server sends all of it
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return finalError{err}
		}
		if err := f.Truncate(0); err != nil {
			return finalError{err}
		}
		sum.Reset()
	}
	n, err := io.Copy(io.MultiWriter(f, sum), out.Body)
	switch {
	case errors.As(err, new(*fs.PathError)): // the disk is full, say
		return finalError{err}
	case err != nil:
		return err
	case out.ContentLength != nil && n != *out.ContentLength:
		return errCut
	}
	if got := manifests.Digest(hex.EncodeToString(sum.Sum(nil))); got != want {
		return restart(f, &otherBytes{got, want})
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return finalError{err}
	}
	return nil
}

// restart empties a file that cannot be gone on with.
func restart(f *os.File, err error) error {
	if e := f.Truncate(0); e != nil {
		return finalError{e}
	}
	return err
}

func has(name string, want manifests.Digest) (bool, error) {
	got, err := manifests.SumFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return got == want, err
}

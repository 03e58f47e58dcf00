package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gopkg.in/yaml.v3"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// A reader gets files by path, as someone does who has a program of his own. What is not there is fs.ErrNotExist.
type reader interface {
	get(path string) ([]byte, error)
	size(path string) (int64, error)
}

// A folder is read as files.
type folder string

func (f folder) get(path string) ([]byte, error) { return os.ReadFile(filepath.Join(string(f), path)) }

func (f folder) size(path string) (int64, error) {
	st, err := os.Stat(filepath.Join(string(f), path))
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// A plain reads objects below a prefix with GET and HEAD of the AWS SDK and nothing of this program.
type plain struct {
	api    *s3.Client
	prefix string
}

func newPlain(t testing.TB, srv *s3test.Server, prefix string) *plain {
	t.Helper()
	return &plain{s3.New(s3.Options{BaseEndpoint: &srv.URL, UsePathStyle: true, Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider(s3test.AccessKey, s3test.SecretKey, "")}), prefix}
}

func (p *plain) get(path string) ([]byte, error) {
	out, err := p.api.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String(s3test.Bucket), Key: aws.String(p.prefix + "/" + path)})
	if e := (*types.NoSuchKey)(nil); errors.As(err, &e) {
		return nil, fs.ErrNotExist
	} else if err != nil {
		return nil, err
	}
	defer out.Body.Close()
	return io.ReadAll(out.Body)
}

func (p *plain) size(path string) (int64, error) {
	out, err := p.api.HeadObject(context.Background(), &s3.HeadObjectInput{Bucket: aws.String(s3test.Bucket), Key: aws.String(p.prefix + "/" + path)})
	if err != nil {
		return 0, err
	}
	return aws.ToInt64(out.ContentLength), nil
}

func (p *plain) has(path string) bool {
	_, err := p.size(path)
	return err == nil
}

// A seenFile is an entry of an index or of a record, as a foreign reader understands it.
type seenFile struct {
	Path   string           `yaml:"path"`
	SHA256 manifests.Digest `yaml:"sha256"`
}

// observe looks at a data set: if there is an index, every part that it names must be there with its bytes, and every object that a part names with its size, and
// with its bytes if whole is asked for. It returns how many manifests it saw.
func (k *killing) observe(t testing.TB, r reader, whole bool) int {
	t.Helper()
	index, err := r.get("horseseg.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	} else if err != nil {
		t.Errorf("the index: %v", err)
		return 0
	}
	from := ""
	for dir, d := range k.digests {
		if manifests.Sum(index) == d {
			from = dir
		}
	}
	if from == "" {
		t.Errorf("the manifest is neither of the two: %d bytes", len(index))
		return 0
	}
	var ix struct{ Parts, Skipped []seenFile }
	if err := yaml.Unmarshal(index, &ix); err != nil || len(ix.Parts) != 1 || len(ix.Skipped) != 1 {
		t.Errorf("%d and %d parts, %v", len(ix.Parts), len(ix.Skipped), err)
		return 0
	}
	files := 0
	for _, part := range ix.Skipped {
		if err := held(r, part, "", true); err != nil {
			t.Errorf("an index is there, and its part %s is missing or has other bytes: %v", part.Path, err)
		}
	}
	for _, part := range ix.Parts {
		data, err := r.get(part.Path)
		if err != nil || manifests.Sum(data) != part.SHA256 {
			t.Errorf("an index is there, and its part %s is missing or has other bytes: %v", part.Path, err)
			continue
		}
		var records []struct {
			Image seenFile
			Masks []seenFile
		}
		if err := yaml.Unmarshal(data, &records); err != nil {
			t.Error(err)
		}
		for _, rec := range records {
			for _, f := range append(rec.Masks, rec.Image) {
				files++
				if err := held(r, f, from, whole); err != nil {
					t.Errorf("a manifest is there, and %s is missing or short: %v", f.Path, err)
				}
			}
		}
	}
	if files != 2*31 {
		t.Errorf("%d files, want 62", files)
	}
	return 1
}

// held holds a file against the one of the folder that it was pushed from.
func held(r reader, f seenFile, from string, whole bool) error {
	if whole {
		data, err := r.get(f.Path)
		if err == nil && manifests.Sum(data) != f.SHA256 {
			err = fmt.Errorf("got %d other bytes", len(data))
		}
		return err
	}
	want, err := os.Stat(filepath.Join(from, f.Path))
	if err != nil {
		return err
	}
	got, err := r.size(f.Path)
	if err == nil && got != want.Size() {
		err = fmt.Errorf("got %d bytes, want %d", got, want.Size())
	}
	return err
}

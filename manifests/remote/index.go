package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// A Choice names the records that are transferred, nil for all. A manifest of some names that of
// all as its parent.
type Choice struct {
	Splits []manifests.Split
	Tiers  []manifests.Tier // a record belongs to all of its Tiers
}

func (c Choice) all() bool { return c.Splits == nil && c.Tiers == nil }

func (c Choice) of(m *manifests.Manifest, digest manifests.Digest) *manifests.Manifest {
	out := &manifests.Manifest{Header: m.Header}
	out.Stage, out.Parent, out.Skipped = manifests.StageChoice, digest, nil
	for _, r := range m.Records {
		if c.Splits != nil && !slices.Contains(c.Splits, r.Split) {
			continue
		}
		if c.Tiers != nil && !slices.ContainsFunc(r.Tiers(), func(t manifests.Tier) bool { return slices.Contains(c.Tiers, t) }) {
			continue
		}
		out.Records = append(out.Records, r)
	}
	return out
}

// A head is what is needed of an index before its parts are read.
type head struct {
	Schema  int               `yaml:"schema"`
	Name    string            `yaml:"name"`
	Dataset string            `yaml:"dataset"`
	Stage   string            `yaml:"stage"`
	Parent  manifests.Digest  `yaml:"parent"`
	Version string            `yaml:"version"`
	Records int               `yaml:"records"`
	Counts  []manifests.Count `yaml:"counts"`
	Parts   []File            `yaml:"parts"`
	Skipped []File            `yaml:"skipped"`
	Options []File            `yaml:"settings"`

	sum manifests.Digest // of the index
}

// A File is a file of a data set: a part, a picture or mask, an archive.
type File struct {
	Path   string           `yaml:"path"` // relative to the store and the place
	SHA256 manifests.Digest `yaml:"sha256"`
}

func parseHead(data []byte) (*head, error) {
	h := &head{}
	if err := yaml.Unmarshal(data, h); err != nil || h.Schema < 1 || h.Name == "" || h.Dataset == "" || h.Stage == "" {
		return nil, fmt.Errorf("got no manifest's index: %v", err)
	}
	h.sum = manifests.Sum(data)
	return h, nil
}

func (h *head) pieces() []File { return slices.Concat(h.Parts, h.Skipped, h.Options) }

// An objectList holds files in their order, each once.
type objectList struct {
	all  []File
	sums map[string]manifests.Digest
}

func newObjects() *objectList { return &objectList{sums: map[string]manifests.Digest{}} }

// add appends files that are not there. The same path with other bytes is an error.
func (l *objectList) add(files []File) error {
	for _, f := range files {
		if was, ok := l.sums[f.Path]; ok && was != f.SHA256 {
			return fmt.Errorf("remote: %s: two manifests want other bytes: sha256 %s and %s", f.Path, was.Short(), f.SHA256.Short())
		} else if !ok {
			l.sums[f.Path] = f.SHA256
			l.all = append(l.all, f)
		}
	}
	return nil
}

func objects(m *manifests.Manifest) (list []File) {
	for i := range m.Records {
		r := &m.Records[i]
		list = append(list, File{r.Image.Path, r.Image.SHA256})
		for _, k := range r.Masks {
			list = append(list, File{k.Path, k.SHA256})
		}
	}
	return list
}

// readManifest fetches the parts of an index into a folder and reads the manifest there.
func (b *Bucket) readManifest(ctx context.Context, index []byte, dir string) (*manifests.Manifest, manifests.Digest, error) {
	h, err := parseHead(index)
	if err != nil {
		return nil, "", fmt.Errorf("remote: %s: %w", b, err)
	}
	s, err := manifests.OpenStore(dir)
	if err != nil {
		return nil, "", err
	}
	pieces := h.pieces()
	err = manifests.Each(ctx, b.opts.Workers, len(pieces), func(ctx context.Context, i int) (struct{}, error) {
		p := pieces[i]
		name, err := s.Path(p.Path)
		if err != nil {
			return struct{}{}, err
		}
		if ok, err := has(name, p.SHA256); ok || err != nil {
			return struct{}{}, err
		}
		data, _, err := b.get(ctx, p.Path, p.SHA256)
		if err == nil && data == nil {
			err = fmt.Errorf("remote: %s%s: %w", b, p.Path, fs.ErrNotExist)
		}
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.Replace(p.Path, data)
	}, func(_ int, _ struct{}, err error) error { return err })
	if err != nil {
		return nil, "", err
	}
	if err := s.Replace(h.Name+".yaml", index); err != nil {
		return nil, "", err
	}
	m, sum, err := manifests.Read(s, h.Name)
	if err != nil {
		return nil, "", fmt.Errorf("remote: %s%s.yaml: is cut short or changed: push it again: %w", b, h.Name, err)
	}
	return m, sum, nil
}

// An entry is what a listing says of an object.
type entry struct {
	size     int64
	modified time.Time // by the server's clock
}

type listing struct {
	entries map[string]entry
	// keys below the prefix that end in "/" and have content: no file system has room for them
	markers []string
	at      time.Time // when it began, by the server's clock if its answers say
}

func (b *Bucket) list(ctx context.Context) (*listing, error) { return b.listBelow(ctx, "") }

// listBelow lists the objects whose paths begin with a prefix.
func (b *Bucket) listBelow(ctx context.Context, prefix string) (*listing, error) {
	l := &listing{entries: map[string]entry{}}
	var token *string
	for {
		var out *s3.ListObjectsV2Output
		err := b.retry(ctx, "", func() (err error) {
			out, err = b.api.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(b.name), Prefix: aws.String(b.prefix + prefix),
				ContinuationToken: token})
			return err
		})
		if err != nil {
			return nil, err
		}
		if token == nil {
			var ok bool
			if l.at, ok = awsmiddleware.GetServerTime(out.ResultMetadata); !ok {
				l.at = time.Now()
			}
		}
		for _, o := range out.Contents {
			switch k := strings.TrimPrefix(aws.ToString(o.Key), b.prefix); {
			case k != "" && !strings.HasSuffix(k, "/"):
				l.entries[k] = entry{aws.ToInt64(o.Size), aws.ToTime(o.LastModified)}
			case aws.ToInt64(o.Size) > 0: // one without content is how other tools mark a folder
				l.markers = append(l.markers, k)
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return l, nil
		}
		if next := out.NextContinuationToken; next == nil || token != nil && *next == *token {
			return nil, errors.New("remote: " + b.String() + ": the server's listing does not end")
		}
		token = out.NextContinuationToken
	}
}

func tempDir() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "hdseg")
	return dir, func() { os.RemoveAll(dir) }, err
}

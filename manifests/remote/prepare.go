package remote

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"hdseg/manifests"
)

// A set is a manifest on its way.
type set struct {
	name   string
	m      *manifests.Manifest
	sum    manifests.Digest // of the index
	index  []byte
	head   *head
	parts  [][]byte // of head.pieces()
	before          // the index that is there
}

// changes tells whether the index that is there is another one.
func (t *set) changes() bool { return t.old == nil || manifests.Sum(t.old) != t.sum }

// prepare reads both sides.
func (p *push) prepare(ctx context.Context, s *manifests.Store) (err error) {
	if p.there, err = p.Bucket.list(ctx); err != nil {
		return err
	}
	p.res.Markers = append(p.res.Markers, p.there.markers...)
	p.trusted, p.list = map[string]manifests.Digest{}, newObjects()
	for _, name := range p.req.Names {
		t, err := p.load(s, name)
		if err != nil {
			return err
		}
		if t.before, err = p.readIndex(ctx, name+".yaml", t.index); err != nil {
			return err
		}
		if err := p.req.Choice.spares(t.old, p.Bucket.String()+name+".yaml"); err != nil {
			return err
		}
		if err := p.trust(ctx, t); err != nil {
			return err
		}
		if err := p.list.add(t.m); err != nil {
			return fmt.Errorf("remote: %w", err)
		}
		p.sets, p.res.Manifest = append(p.sets, t), t.sum
	}
	if len(p.list.all) == 0 {
		return fmt.Errorf("remote: %s: no record is chosen: nothing is pushed", strings.Join(p.req.Names, ", "))
	}
	return p.spared(ctx)
}

// load reads a manifest of the store, or of the records that are chosen.
func (p *push) load(s *manifests.Store, name string) (*set, error) {
	m, digest, err := manifests.Read(s, name)
	if err != nil {
		return nil, err
	}
	if !p.req.Choice.all() {
		dir, remove, err := tempDir()
		if err != nil {
			return nil, err
		}
		defer remove()
		if s, err = manifests.OpenStore(dir); err != nil {
			return nil, err
		}
		m = p.req.Choice.of(m, digest)
		if digest, err = manifests.Write(s, name, m); err != nil {
			return nil, err
		}
	}
	t := &set{name: name, m: m, sum: digest}
	sums, err := manifests.Sums(s, name, m)
	if err != nil {
		return nil, err
	}
	p.sums = mergeSums(p.sums, sums)
	if t.index, err = s.Read(name+".yaml", digest); err != nil {
		return nil, err
	}
	if t.head, err = parseHead(t.index); err != nil {
		return nil, err
	}
	for _, c := range t.head.pieces() {
		data, err := s.Read(c.Path, c.SHA256)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, data)
	}
	return t, nil
}

// mergeSums returns the lines of two lists, each once, by path.
func mergeSums(a, b []byte) []byte {
	lines := slices.Collect(strings.Lines(string(a) + string(b)))
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	return []byte(strings.Join(slices.Compact(lines), ""))
}

// trust reads which objects the manifest that is there names: whoever wrote it had sent them.
func (p *push) trust(ctx context.Context, t *set) error {
	was := t.m
	if t.old == nil {
		return nil
	}
	if t.changes() {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if was, _, err = p.readManifest(ctx, t.old, dir); err != nil {
			return nil // each object is asked instead
		}
	}
	for _, o := range objects(was) {
		p.trusted[o.path] = o.sum
	}
	if h, err := parseHead(t.old); err == nil {
		for _, c := range h.pieces() {
			p.trusted[c.Path] = c.SHA256
		}
	}
	return nil
}

// extra lists what is there and not named by what is pushed. An index of something else there is an error: what it names must stay. What is
// young and not named by the indexes that are replaced either may belong to a push that runs now: it is counted and left.
func (p *push) extra() ([]string, error) {
	named := map[string]bool{manifests.SumsFile: true}
	for path := range p.list.sums {
		named[path] = true
	}
	for _, path := range p.req.Others {
		named[path] = true
	}
	for _, t := range p.sets {
		named[t.name+".yaml"] = true
		for _, c := range t.head.pieces() {
			named[c.Path] = true
		}
	}
	out := []string{}
	for k, e := range p.there.entries {
		if named[k] {
			continue
		}
		if isIndex(k) {
			return nil, fmt.Errorf("remote: %s: nothing is deleted: %s is there, too, and what it names would be: push all together, or to a prefix of their own", p.Bucket, Printable(k))
		}
		if _, old := p.trusted[k]; !old && p.req.Grace > 0 && p.there.at.Sub(e.modified) < p.req.Grace {
			p.res.Young++
			continue
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return out, nil
}

// unfinished sorts the uploads that an earlier push left.
func (p *push) unfinished(ctx context.Context) error {
	list, err := p.uploads(ctx)
	if err != nil {
		return err
	}
	p.resuming = map[string]types.MultipartUpload{}
	for _, u := range list { // the newest first
		path := strings.TrimPrefix(aws.ToString(u.Key), p.prefix)
		_, taken := p.resuming[path]
		_, wanted := p.list.sums[path]
		switch {
		case wanted && !taken:
			p.resuming[path] = u
		case p.req.Stale > 0 && u.Initiated != nil && time.Since(*u.Initiated) > p.req.Stale:
			if !p.req.DryRun {
				if err := p.abort(ctx, u); err != nil {
					return err
				}
			}
			p.res.Aborted = append(p.res.Aborted, path)
		default:
			p.res.Pending = append(p.res.Pending, path)
		}
	}
	return nil
}

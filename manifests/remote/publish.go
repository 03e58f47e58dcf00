package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"hdseg/manifests"
)

// writeParts sends the parts of the manifests that are not there with their bytes.
func (p *push) writeParts(ctx context.Context) error {
	var pieces []File
	var parts [][]byte
	for _, t := range p.sets {
		pieces, parts = append(pieces, t.head.pieces()...), append(parts, t.parts...)
	}
	return manifests.Each(ctx, p.opts.Workers, len(pieces), func(ctx context.Context, i int) (leaning bool, err error) {
		c := pieces[i]
		if ok, err := p.kept(ctx, c, int64(len(parts[i])), false); ok || err != nil {
			return p.trusted[c.Path] != c.SHA256, err
		}
		return false, p.retry(ctx, c.Path, func() error { return p.putBytes(ctx, c.Path, parts[i], c.SHA256, nil) })
	}, func(i int, leaning bool, err error) error {
		if leaning {
			p.leaning++
		}
		if err == nil {
			p.resent(pieces[i].Path)
		}
		return err
	})
}

type before struct {
	old    []byte // nil for none
	tag    string // its ETag
	rotten bool   // the server keeps other bytes than those of old
}

// readIndex reads the index that index would replace. One that was sent with the same sha256, and
// of which the server keeps other bytes, is sent again. Any other rotten one is an error unless
// Resend names it.
func (p *push) readIndex(ctx context.Context, path string, index []byte) (b before, err error) {
	sum := manifests.Sum(index)
	b.old, b.tag, err = p.getIf(ctx, path, func(got, kept manifests.Digest) bool {
		b.rotten = kept == sum && got != sum
		return b.rotten || kept == "" || got == kept || p.req.resends(path)
	}, "")
	if b.rotten {
		b.old = index
	}
	if err == nil {
		p.resent(path)
	}
	return b, err
}

// putIndex writes an index unless it is there, if what is there is still what it was before.
func (p *push) putIndex(ctx context.Context, path string, index []byte, was before) error {
	sum := manifests.Sum(index)
	if was.old != nil && manifests.Sum(was.old) == sum && !was.rotten {
		return nil
	}
	when := &condition{absent: was.old == nil, etag: was.tag}
	if p.res.Unguarded { // some servers even refuse conditions
		when = nil
	}
	err := p.retry(ctx, path, func() error {
		err := p.putBytes(ctx, path, index, sum, when)
		if conflicts(err) {
			return finalError{ErrConflict}
		}
		return err
	})
	if errors.Is(err, ErrConflict) { // or our own, when the answer to an earlier try was lost
		if now, _, e := p.get(ctx, path, ""); e == nil && manifests.Sum(now) == sum {
			return nil
		}
	}
	return err
}

// putIndexes writes the indexes of the manifests.
func (p *push) putIndexes(ctx context.Context) error {
	for _, t := range p.sets {
		if err := p.putIndex(ctx, t.name+".yaml", t.index, t.before); err != nil {
			return err
		}
	}
	return nil
}

// putSums sends the list for sha256sum.
func (p *push) putSums(ctx context.Context) error {
	sums := p.files()
	if err := p.otherSums(ctx, sums); err != nil {
		return err
	}
	data := manifests.FormatSums(sums)
	f := File{manifests.SumsFile, manifests.Sum(data)}
	if ok, err := p.kept(ctx, f, int64(len(data)), false); ok || err != nil {
		return err
	}
	p.resent(f.Path)
	return p.retry(ctx, f.Path, func() error { return p.putBytes(ctx, f.Path, data, f.SHA256, nil) })
}

// files returns all that manifests are pushed with, by path.
func (p *push) files() map[string]manifests.Digest {
	all := maps.Clone(p.list.sums)
	for _, a := range p.archives {
		for _, f := range a.List {
			delete(all, f.Path)
		}
	}
	for _, t := range p.sets {
		all[t.name+".yaml"] = t.sum
		for _, c := range t.head.pieces() {
			all[c.Path] = c.SHA256
		}
	}
	return all
}

// otherSums adds the lines of the list that is there for files that other manifests there may name.
func (p *push) otherSums(ctx context.Context, sums map[string]manifests.Digest) error {
	own := func(k string) bool {
		return slices.ContainsFunc(p.sets, func(t *set) bool { return k == t.name+".yaml" || path.Dir(k) == t.name+".d" })
	}
	others := false
	for k := range p.there.entries {
		others = others || isIndex(k) && path.Base(k) != ShardIndex && !own(k)
	}
	if _, ok := p.there.entries[manifests.SumsFile]; !ok || !others {
		return nil
	}
	old, _, err := p.get(ctx, manifests.SumsFile, "")
	if err != nil {
		return err
	}
	listed, _ := manifests.ParseSums(old) // another file lists none
	for k, d := range listed {
		if _, ok := p.there.entries[k]; ok && sums[k] == "" && !own(k) {
			sums[k] = d
		}
	}
	return nil
}

// delete removes objects, but those that another push has sent again meanwhile.
func (p *push) delete(ctx context.Context, paths []string) error {
	paths = slices.DeleteFunc(paths, func(path string) bool {
		now, ok := p.there.entries[path]
		return !ok || !now.modified.Equal(p.before.entries[path].modified)
	})
	p.res.Deleted = append(p.res.Deleted, paths...)
	return p.remove(ctx, paths)
}

func (b *Bucket) remove(ctx context.Context, paths []string) error {
	for chunk := range slices.Chunk(paths, 1000) { // the most that one request may delete
		var ids []types.ObjectIdentifier
		for _, path := range chunk {
			ids = append(ids, types.ObjectIdentifier{Key: b.key(path)})
		}
		err := b.retry(ctx, "", func() error {
			out, err := b.api.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String(b.name),
				Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)}})
			if err == nil && len(out.Errors) > 0 {
				return fmt.Errorf("%s was not deleted: %s", aws.ToString(out.Errors[0].Key), aws.ToString(out.Errors[0].Code))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"hdseg/manifests"
)

// prepare reads both sides.
func (p *push) prepare(ctx context.Context, s *manifests.Store) error {
	m, digest, err := manifests.Read(s, p.req.Name)
	if err != nil {
		return err
	}
	from := s
	p.m = m
	if p.list, err = s.Read(manifests.SumsFile, ""); errors.Is(err, fs.ErrNotExist) {
		p.list = nil
	} else if err != nil {
		return err
	}
	if !p.req.Choice.all() {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if from, err = manifests.OpenStore(dir); err != nil {
			return err
		}
		p.list = nil
		p.m = p.req.Choice.of(m, digest)
		if digest, err = manifests.Write(from, p.req.Name, p.m); err != nil {
			return err
		}
	}
	if len(p.m.Records) == 0 {
		return fmt.Errorf("remote: %s: no record is chosen: nothing is pushed", p.req.Name)
	}
	p.res.Manifest = digest
	if p.index, err = from.Read(p.req.Name+".yaml", digest); err != nil {
		return err
	}
	if p.head, err = parseHead(p.index); err != nil {
		return err
	}
	for _, c := range p.head.pieces() {
		data, err := from.Read(c.Path, c.SHA256)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, data)
	}
	if p.old, p.oldTag, err = p.get(ctx, p.req.Name+".yaml", ""); err != nil {
		return err
	}
	if p.there, err = p.listing(ctx); err != nil {
		return err
	}
	return p.trust(ctx)
}

// trust reads which objects the manifest that is there names: whoever wrote it had sent them.
func (p *push) trust(ctx context.Context) error {
	p.trusted = map[string]manifests.Digest{}
	was := p.m
	if p.old == nil {
		return nil
	}
	if manifests.Sum(p.old) != p.res.Manifest {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if was, _, err = p.readManifest(ctx, p.old, dir); err != nil {
			return nil // each object is asked instead
		}
	}
	for _, o := range objects(was) {
		p.trusted[o.path] = o.sum
	}
	return nil
}

// extra lists what is there and not named by the manifest.
func (p *push) extra() []string {
	named := map[string]bool{p.req.Name + ".yaml": true, manifests.SumsFile: true}
	for _, o := range objects(p.m) {
		named[o.path] = true
	}
	for _, c := range p.head.pieces() {
		named[c.Path], named[byDigest(c)] = true, true
	}
	out := []string{}
	for k := range p.there {
		if !named[k] {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// unfinished sorts the uploads that an earlier push left.
func (p *push) unfinished(ctx context.Context) error {
	list, err := p.uploads(ctx)
	if err != nil {
		return err
	}
	p.resuming = map[string]types.MultipartUpload{}
	wanted := map[string]bool{}
	for _, o := range objects(p.m) {
		wanted[o.path] = true
	}
	for _, u := range list { // the newest first
		path := strings.TrimPrefix(aws.ToString(u.Key), p.prefix)
		_, taken := p.resuming[path]
		switch {
		case wanted[path] && !taken:
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

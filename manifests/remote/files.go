package remote

import (
	"context"
	"errors"
	"fmt"

	"hdseg/manifests"
)

// Files are bytes by digest that are no manifest's, such as shards, with an index that names them.
type Files struct {
	Index string // path of the index, relative to the store and the place
	Data  []byte // its bytes
	List  []File
}

// ErrOtherFiles is wrapped when there is another index already: the names of its files are taken.
var ErrOtherFiles = errors.New("archives of another plan are there, whose names are the same: push to another prefix")

// PushFiles sends files and, last, their index, which it never replaces: names of archives say
// nothing of their bytes, so a reader of the old index would find others.
func (b *Bucket) PushFiles(ctx context.Context, s *manifests.Store, f Files, req Request) (*Result, error) {
	p := newPush(b, s, req)
	if err := p.list.add(f.List); err != nil {
		return nil, err
	}
	was, err := p.readIndex(ctx, f.Index, f.Data)
	if err != nil {
		return nil, err
	}
	p.res.Manifest = manifests.Sum(f.Data)
	if was.old != nil && manifests.Sum(was.old) != p.res.Manifest {
		return nil, fmt.Errorf("remote: %s%s: %w", b, f.Index, ErrOtherFiles)
	} else if was.old != nil {
		p.trusted = p.list.sums
	}
	if p.there, err = b.list(ctx); err != nil {
		return nil, err
	}
	p.res.Markers = append(p.res.Markers, p.there.markers...)
	if err = p.unfinished(ctx); err == nil {
		err = p.send(ctx)
	}
	if err == nil && !req.DryRun && req.Verify {
		err = p.verify(ctx)
	}
	if err == nil && !req.DryRun {
		err = p.putIndex(ctx, f.Index, f.Data, was)
	}
	if err == nil && !req.DryRun && was.old == nil {
		err = p.probe(ctx, f.Index, f.Data, condition{absent: true})
	}
	return p.res, err
}

// Get fetches a small object, such as the index of shards.
func (b *Bucket) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := b.get(ctx, path, "")
	if err == nil && data == nil {
		err = fmt.Errorf("remote: %s%s: not there", b, path)
	}
	return data, err
}

// PullFiles fetches files into a store as Pull does. Writing their index is the caller's.
func (b *Bucket) PullFiles(ctx context.Context, s *manifests.Store, f Files, req Request) (*Result, error) {
	p, err := newPull(b, s, req)
	if err != nil {
		return nil, err
	}
	defer p.unlock()
	list := newObjects()
	if err := list.add(f.List); err != nil {
		return nil, err
	}
	p.res.Manifest = manifests.Sum(f.Data)
	if err := p.acceptFiles(f); err != nil {
		return nil, err
	}
	if err := p.fetchAll(ctx, list.all); err != nil {
		return nil, err
	}
	return p.res, p.done()
}

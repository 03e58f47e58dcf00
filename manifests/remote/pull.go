package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
)

// workDir is where a pull's files are on their way, for the next one to go on with.
const workDir = ".pull"

// Pull fetches archives, manifests and what they name into a store: files that are there are
// compared, others fetched, each visible only when its sha256 is right, and the manifests last. A
// dry run leaves the folder as it is, or missing. A pull that was killed is finished by the same
// call.
func (b *Bucket) Pull(ctx context.Context, s *manifests.Store, req Request) (*Result, error) {
	p, err := newPull(b, s, req)
	if err != nil {
		return nil, err
	}
	defer p.unlock()
	list := newObjects()
	for _, f := range req.Archives {
		if err := list.add(f.List); err != nil {
			return nil, err
		}
		if err := p.acceptFiles(f); err != nil {
			return nil, err
		}
		p.res.Manifest = manifests.Sum(f.Data)
	}
	archived := len(list.all)
	var sets []*set
	for _, name := range req.Names {
		t, err := p.read(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := list.add(objects(t.m)); err != nil {
			return nil, err
		}
		sets, p.res.Manifest = append(sets, t), t.sum
	}
	if len(sets) > 0 && len(list.all) == archived {
		return nil, fmt.Errorf("remote: %s: no record of %s is chosen: nothing is pulled", b, strings.Join(req.Names, ", "))
	}
	if req.Delete && len(sets) > 0 {
		if p.res.Deleted, err = p.extra(list); err != nil {
			return nil, err
		}
	}
	if err := p.fetchAll(ctx, list.all); err != nil {
		return nil, err
	}
	if req.DryRun {
		return p.res, p.done()
	}
	for _, f := range req.Archives {
		if err := f.Finish(); err != nil {
			return nil, err
		}
	}
	var gone []string // with the last manifest, when nothing names them any more
	for i, t := range sets {
		if i == len(sets)-1 {
			gone = slices.DeleteFunc(slices.Clone(p.res.Deleted), p.odd)
		}
		if p.res.Manifest, err = p.write(t, gone); err != nil {
			return nil, err
		}
	}
	for _, name := range p.res.Deleted {
		if p.odd(name) {
			if err := os.Remove(filepath.Join(s.Dir(), filepath.FromSlash(name))); err != nil {
				return nil, err
			}
		}
	}
	return p.res, p.done()
}

// extra lists, for Delete, what is here below images/ and masks/ and that no object is. Another
// manifest is an error: what it names must stay.
func (p *pull) extra(list *objectList) ([]string, error) {
	others, err := otherIndexes(p.s, p.req.Names)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		return nil, fmt.Errorf("remote: %s: nothing is deleted: %s is there, too, and what it names would be: pull all "+
			"together, or into a folder of their own", p.s.Dir(), others[0])
	}
	out := []string{}
	for _, top := range []string{"images", "masks"} {
		err := p.s.Walk(top, func(string) bool { return false }, func(file string, d fs.DirEntry) {
			if _, named := list.sums[file]; !named && !strings.HasPrefix(d.Name(), ".") {
				out = append(out, file)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) > p.req.MaxDelete {
		return nil, fmt.Errorf("remote: %s: %d files would be deleted, want at most %d: raise --max-delete if they are meant",
			p.s.Dir(), len(out), p.req.MaxDelete)
	}
	slices.Sort(out)
	return out, nil
}

// odd tells of a name that no data set can have, as one with a line break: no commit takes it.
func (p *pull) odd(name string) bool {
	_, err := p.s.Path(name)
	return err != nil
}

type pull struct {
	*Bucket
	req  Request
	s    *manifests.Store
	work string // folder for what is on its way
	res  *Result
	sums map[string]manifests.Digest // what SHA256SUMS there lists; nil until it is needed

	unlock func()
}

func newPull(b *Bucket, s *manifests.Store, req Request) (*pull, error) {
	p := &pull{Bucket: b, req: req, s: s, work: filepath.Join(s.Dir(), workDir), res: newResult()}
	var err error
	if req.DryRun { // which leaves the folder as it is, and need not wait for another pull
		p.work, p.unlock, err = tempDir()
		return p, err
	}
	p.unlock, err = manifests.TryLock(p.work + ".lock")
	if locked := (*manifests.LockedError)(nil); errors.As(err, &locked) {
		return nil, fmt.Errorf("another hdseg pulls into %s: wait until it ends, or pull into another folder: %w", s.Dir(), locked)
	} else if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	unlock := p.unlock
	p.unlock = func() {
		os.Remove(p.work) // fails if there is what a pull may go on with
		unlock()
	}
	if err := os.MkdirAll(p.work, 0o777); err != nil {
		p.unlock()
		return nil, fmt.Errorf("remote: %w", err)
	}
	return p, nil
}

func (p *pull) done() error { return os.RemoveAll(p.work) }

// write makes a manifest visible, with the bytes that it has there or of the chosen records, and
// removes files with it.
func (p *pull) write(t *set, gone []string) (manifests.Digest, error) {
	if !p.req.Choice.all() {
		return manifests.WriteListed(p.s, t.name, t.m, gone...)
	}
	from, err := manifests.OpenStore(p.fetched())
	if err != nil {
		return "", err
	}
	return manifests.CopyListed(p.s, from, t.name, t.m, gone...)
}

func (p *pull) fetched() string { return filepath.Join(p.work, "manifest") }

// read fetches a manifest, or that of the records that are chosen.
func (p *pull) read(ctx context.Context, name string) (*set, error) {
	index, err := p.index(ctx, name+".yaml")
	if err != nil {
		return nil, err
	}
	h, err := parseHead(index)
	if err != nil || h.Name != name {
		return nil, fmt.Errorf("remote: %s%s.yaml: it is not the index of a manifest %s", p.Bucket, name, name)
	}
	if err := acceptHead(h); err != nil {
		return nil, fmt.Errorf("remote: %s%s.yaml: %w", p.Bucket, name, err)
	}
	if err := p.accept(h); err != nil {
		return nil, err
	}
	t := &set{name: name}
	if t.m, t.sum, err = p.readManifest(ctx, index, p.fetched()); err != nil {
		return nil, err
	}
	if !p.req.Choice.all() {
		t.m = p.req.Choice.of(t.m, t.sum)
	}
	if err := acceptObjects(objects(t.m)); err != nil {
		os.RemoveAll(p.fetched())
		return nil, fmt.Errorf("remote: %s%s.yaml: %w", p.Bucket, name, err)
	}
	return t, nil
}

// index fetches the index of a manifest. Where the server keeps no sha256 with it, as in a folder
// that was copied there, it is held against its line in SHA256SUMS, if that list is there.
func (p *pull) index(ctx context.Context, path string) ([]byte, error) {
	var kept manifests.Digest
	data, _, err := p.getIf(ctx, path, func(got, k manifests.Digest) bool { kept = k; return k == "" || got == k }, "")
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, fmt.Errorf("remote: %s%s: there is no such manifest", p.Bucket, path)
	}
	if kept != "" {
		return data, nil
	}
	if p.sums == nil {
		list, _, err := p.get(ctx, manifests.SumsFile, "")
		if err != nil {
			return nil, err
		}
		p.sums, _ = manifests.ParseSums(list) // another file lists none
	}
	if sum := manifests.Sum(data); len(p.sums) > 0 && p.sums[path] != sum {
		return nil, fmt.Errorf("remote: %s%s: it is not what %s there lists: got sha256 %s, want %s: it was changed or cut short, or a push "+
			"runs: push it again from where it was made, or copy it again to this mirror; nothing is taken", p.Bucket, path, manifests.SumsFile,
			sum.Short(), cmp.Or(p.sums[path].Short(), "a line for it"))
	}
	return data, nil
}

func (p *pull) fetchAll(ctx context.Context, list []File) error {
	b, s, req, res := p.Bucket, p.s, p.req, p.res
	res.Objects = len(list)
	var there *listing
	if req.DryRun {
		var err error
		if there, err = b.list(ctx); err != nil {
			return err
		}
	}
	return manifests.Each(ctx, b.opts.Workers, len(list), func(ctx context.Context, i int) (sending, error) {
		o := list[i]
		name, err := s.Path(o.Path)
		if err != nil {
			return sending{}, err
		}
		ok, err := has(name, o.SHA256)
		if ok || err != nil {
			return sending{}, err
		}
		if req.DryRun {
			e, ok := there.entries[o.Path]
			if !ok {
				return sending{}, fmt.Errorf("remote: %s%s: not there", b, o.Path)
			}
			return sending{sent: true, bytes: e.size}, nil
		}
		if err := b.fetch(ctx, o.Path, name, p.work, o.SHA256); err != nil {
			return sending{}, err
		}
		st, err := os.Stat(name)
		if err != nil {
			return sending{}, err
		}
		return sending{sent: true, bytes: st.Size()}, nil
	}, func(i int, v sending, err error) error {
		if err == nil {
			res.count(v)
			req.show(i+1, len(list))
		}
		return err
	})
}

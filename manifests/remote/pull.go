package remote

import (
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

// workDir is where transfers into a store are on their way; what a killed pull leaves there is gone on with.
const workDir = ".pull"

// Pull fetches a data set into a store: files that are there are read and compared, others fetched, each visible only when its sha256 is right, and the
// manifest last. Of a Choice the manifest of those records is written. A pull that was killed is finished by the same call.
func (b *Bucket) Pull(ctx context.Context, s *manifests.Store, req Request) (*Result, error) {
	res := &Result{Deleted: []string{}, Aborted: []string{}, Pending: []string{}}
	index, _, err := b.get(ctx, req.Name+".yaml", "")
	if err != nil {
		return nil, err
	}
	if index == nil {
		return nil, fmt.Errorf("remote: %s%s.yaml: there is no such manifest", b, req.Name)
	}
	if h, err := parseHead(index); err != nil || h.Name != req.Name {
		return nil, fmt.Errorf("remote: %s%s.yaml: it is not the index of a manifest %s", b, req.Name, req.Name)
	}
	work := filepath.Join(s.Dir(), workDir)
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	m, digest, err := b.readManifest(ctx, index, filepath.Join(work, "manifest"))
	if err != nil {
		return nil, err
	}
	if !req.Choice.all() {
		m = req.Choice.of(m, digest)
	}
	if len(m.Records) == 0 {
		return nil, fmt.Errorf("remote: %s%s.yaml: no record is chosen: nothing is pulled", b, req.Name)
	}
	list := objects(m)
	res.Objects = len(list)
	extra, err := unnamed(s, list)
	if err != nil {
		return nil, err
	}
	if req.Delete && len(extra) > req.MaxDelete {
		return nil, fmt.Errorf("remote: %s: %d files would be deleted, want at most %d: raise --max-delete if they are meant", s.Dir(), len(extra), req.MaxDelete)
	}
	err = manifests.Each(ctx, b.opts.Workers, len(list), func(ctx context.Context, i int) (sending, error) {
		o := list[i]
		name, err := s.Path(o.path)
		if err != nil {
			return sending{}, err
		}
		ok, err := has(name, o.sum)
		if ok || err != nil || req.DryRun {
			return sending{sent: !ok}, err
		}
		if err := b.fetch(ctx, o.path, name, work, o.sum); err != nil {
			return sending{}, err
		}
		st, err := os.Stat(name)
		if err != nil {
			return sending{}, err
		}
		return sending{true, st.Size()}, nil
	}, func(i int, v sending, err error) error {
		if err != nil {
			return err
		}
		if v.sent {
			res.Sent++
			res.Bytes += v.bytes
		} else {
			res.Kept++
		}
		if req.Progress != nil {
			req.Progress(i+1, len(list))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if req.DryRun {
		res.Manifest = digest
		if req.Delete {
			res.Deleted = extra
		}
		return res, nil
	}
	if res.Manifest, err = manifests.Write(s, req.Name, m); err != nil {
		return nil, err
	}
	if req.Choice.all() && res.Manifest != digest {
		return nil, fmt.Errorf("remote: %s%s.yaml: the manifest there is not in the canonical form: it was written again with sha256 %s", b, req.Name, res.Manifest.Short())
	}
	if err := manifests.WriteSums(s, req.Name, m); err != nil {
		return nil, err
	}
	if req.Delete {
		for _, p := range extra {
			if err := os.Remove(filepath.Join(s.Dir(), filepath.FromSlash(p))); err != nil {
				return nil, err
			}
			res.Deleted = append(res.Deleted, p)
		}
	}
	return res, os.RemoveAll(work)
}

// unnamed lists the files below images/ and masks/ that no object is.
func unnamed(s *manifests.Store, list []object) ([]string, error) {
	named := map[string]bool{}
	for _, o := range list {
		named[o.path] = true
	}
	out := []string{}
	for _, top := range []string{"images", "masks"} {
		err := filepath.WalkDir(filepath.Join(s.Dir(), top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(s.Dir(), name)
			if p := filepath.ToSlash(rel); err == nil && !named[p] && !strings.HasPrefix(d.Name(), ".") {
				out = append(out, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

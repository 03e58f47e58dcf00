package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
)

// resend sends what is missing again: a push with Delete beside this one may have removed it before
// it could see the new index.
func (p *push) resend(ctx context.Context) (err error) {
	if p.there, err = p.Bucket.list(ctx); err != nil {
		return err
	}
	for _, o := range p.list.all {
		if _, ok := p.there.entries[o.Path]; ok {
			continue
		}
		if err := p.sendAgain(ctx, o); err != nil {
			return err
		}
	}
	return p.writeParts(ctx)
}

func (p *push) sendAgain(ctx context.Context, o File) error {
	name, size, err := stored(p.s, o)
	if err != nil {
		return err
	}
	return p.Bucket.send(ctx, o.Path, name, size, o.SHA256, nil)
}

func stored(s *manifests.Store, o File) (name string, size int64, err error) {
	if name, err = s.Path(o.Path); err != nil {
		return "", 0, err
	}
	if size, err = regular(name); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: run hdseg check", err)
	}
	return name, size, err
}

// verify asks for the size and the sha256 of every object and sends those that differ again.
func (p *push) verify(ctx context.Context) error {
	return manifests.Each(ctx, p.opts.Workers, len(p.list.all), func(ctx context.Context, i int) (again bool, err error) {
		o := p.list.all[i]
		if ok, err := p.sound(ctx, o); ok || err != nil {
			return false, err
		}
		if err := p.sendAgain(ctx, o); err != nil {
			return true, err
		}
		ok, err := p.sound(ctx, o)
		if err == nil && !ok {
			err = fmt.Errorf("remote: %s%s: it was sent again, and its size or sha256 there is still another", p.Bucket, o.Path)
		}
		return true, err
	}, func(_ int, again bool, err error) error {
		p.res.Verified++
		if again {
			p.res.Repaired++
		}
		return err
	})
}

// sound tells whether the server has an object with the size of the file here and its sha256.
func (p *push) sound(ctx context.Context, o File) (bool, error) {
	_, here, err := stored(p.s, o)
	if err != nil {
		return false, err
	}
	size, sum, err := p.Bucket.head(ctx, o.Path)
	if p.res.NoMetadata && size == here && sum == "" {
		return true, err
	}
	return size == here && sum == o.SHA256, err
}

// unchanged fails if an index is no more this push's: what the new one names must not be deleted.
func (p *push) unchanged(ctx context.Context) error {
	for _, t := range p.sets {
		now, _, err := p.get(ctx, t.name+".yaml", "")
		if err != nil {
			return err
		}
		if manifests.Sum(now) != t.sum {
			return fmt.Errorf("remote: %s%s.yaml: nothing is deleted: %w", p.Bucket, t.name, ErrConflict)
		}
	}
	return nil
}

// otherIndexes lists the manifests of the folder that are none of names.
func otherIndexes(s *manifests.Store, names []string) (others []string, err error) {
	indexes, err := Indexes(s)
	for _, rel := range indexes {
		_, odd := regular(filepath.Join(s.Dir(), rel))
		if odd != nil || path.Base(rel) == ShardIndex || slices.Contains(names, strings.TrimSuffix(rel, ".yaml")) {
			continue
		}
		data, err := readIf(s, rel)
		if err != nil {
			return nil, err
		}
		if h, err := parseHead(data); err == nil && strings.HasSuffix("/"+rel, "/"+h.Name+".yaml") {
			others = append(others, rel)
		}
	}
	return others, err
}

// Indexes lists the files of a store that are named like indexes of manifests or shards.
func Indexes(s *manifests.Store) (list []string, err error) {
	skip := func(p string) bool {
		return p == "images" || p == "masks" || strings.HasPrefix(path.Base(p), ".") || strings.HasSuffix(p, ".d")
	}
	err = s.Walk("", skip, func(p string, _ fs.DirEntry) {
		if isIndex(p) {
			list = append(list, p)
		}
	})
	return list, err
}

// spares fails if a manifest of some records would replace the index of a whole set.
func (c Choice) spares(old []byte, where string) error {
	if c.all() || old == nil {
		return nil
	}
	if h, err := parseHead(old); err == nil && h.Stage == manifests.StageChoice {
		return nil
	}
	return fmt.Errorf("remote: %s: the whole set is there, which that of some splits or tiers would replace: name another place", where)
}

// mayReplace fails if the index old, at where, is not one of the manifest name and the data set.
func mayReplace(old []byte, name, dataset, where string) error {
	h, err := parseHead(old)
	switch {
	case err != nil || h.Name != name:
		return fmt.Errorf("remote: %s: another file is there, no index of a manifest %s, and would be replaced: name another "+
			"place, or use --replace if that is meant", where, name)
	case h.Schema != manifests.Schema:
		return fmt.Errorf("remote: %s: an index of schema %d is there and would be replaced: got a version of hdseg that knows "+
			"%d: use a newer one, or --replace if that is meant", where, h.Schema, manifests.Schema)
	case h.Dataset != dataset:
		return fmt.Errorf("remote: %s: the data set %q is there and would be replaced by %q: name another place, or use "+
			"--replace if that is meant", where, h.Dataset, dataset)
	}
	return nil
}

// sparedSums fails if the first push to a place would replace a list that hdseg did not write.
func (p *push) sparedSums(ctx context.Context) error {
	_, there := p.there.entries[manifests.SumsFile]
	if !there || slices.ContainsFunc(p.sets, func(t *set) bool { return t.old != nil }) {
		return nil
	}
	data, _, err := p.get(ctx, manifests.SumsFile, "")
	if err == nil && !ownSums(data) {
		err = fmt.Errorf("remote: %s%s: a list is there that hdseg did not write, and would be replaced: name another place, or "+
			"use --replace if that is meant", p.Bucket, manifests.SumsFile)
	}
	return err
}

// spared fails if the push would replace what is not its own, or the parent of a manifest there
// that is not pushed.
func (p *push) spared(ctx context.Context) error {
	if p.req.Replace {
		return nil
	}
	replaced := map[manifests.Digest]string{}
	for _, t := range p.sets {
		if t.old == nil || !t.changes() {
			continue
		}
		if err := mayReplace(t.old, t.name, t.head.Dataset, p.Bucket.String()+t.name+".yaml"); err != nil {
			return err
		}
		replaced[manifests.Sum(t.old)] = t.name
	}
	if err := p.sparedSums(ctx); err != nil || len(replaced) == 0 {
		return err
	}
	var others []string
	for k, e := range p.there.entries {
		if isIndex(k) && e.size <= mostOf(k) && path.Base(k) != ShardIndex &&
			!slices.Contains(p.req.Names, strings.TrimSuffix(k, ".yaml")) {
			others = append(others, k)
		}
	}
	slices.Sort(others)
	return manifests.Each(ctx, p.opts.Workers, len(others), func(ctx context.Context, i int) ([]byte, error) {
		data, _, err := p.get(ctx, others[i], "")
		return data, err
	}, func(i int, data []byte, err error) error {
		if err != nil {
			return err
		}
		h, err := parseHead(data)
		if err != nil {
			return nil // another file
		}
		if name, ok := replaced[h.Parent]; ok {
			return fmt.Errorf("remote: %s%s.yaml: %s there was made from it and would lose its parent: push both together, or "+
				"use --replace if that is meant", p.Bucket, name, Printable(others[i]))
		}
		return nil
	})
}

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

// resend lists what is there and sends objects and parts that are missing again: a push with Delete beside this one may have removed them before it could
// see the new index.
func (p *push) resend(ctx context.Context, s *manifests.Store) (err error) {
	if p.there, err = p.Bucket.list(ctx); err != nil {
		return err
	}
	for _, o := range p.list.all {
		if _, ok := p.there.entries[o.path]; ok {
			continue
		}
		if err := p.sendAgain(ctx, s, o); err != nil {
			return err
		}
	}
	for _, t := range p.sets {
		if err := p.write(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (p *push) sendAgain(ctx context.Context, s *manifests.Store, o object) error {
	name, err := s.Path(o.path)
	if err != nil {
		return err
	}
	st, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	if err := regularStat(name, st); err != nil {
		return err
	}
	return p.Bucket.send(ctx, o.path, name, st.Size(), o.sum, nil)
}

// verify asks for the size and the sha256 of every object and sends those that differ again.
func (p *push) verify(ctx context.Context, s *manifests.Store) error {
	return manifests.Each(ctx, p.opts.Workers, len(p.list.all), func(ctx context.Context, i int) (again bool, err error) {
		o := p.list.all[i]
		if ok, err := p.sound(ctx, s, o); ok || err != nil {
			return false, err
		}
		if err := p.sendAgain(ctx, s, o); err != nil {
			return true, err
		}
		ok, err := p.sound(ctx, s, o)
		if err == nil && !ok {
			err = fmt.Errorf("remote: %s%s: it was sent again, and its size or sha256 there is still another", p.Bucket, o.path)
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
func (p *push) sound(ctx context.Context, s *manifests.Store, o object) (bool, error) {
	name, err := s.Path(o.path)
	if err != nil {
		return false, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return false, fmt.Errorf("remote: %w", err)
	}
	size, sum, err := p.Bucket.head(ctx, o.path)
	return size == st.Size() && sum == o.sum, err
}

// unchanged fails if an index is no more what this push has made it: what the new one names must not be deleted.
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
	err = filepath.WalkDir(s.Dir(), func(file string, d fs.DirEntry, err error) error {
		if file == s.Dir() && errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.Dir(), file)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (rel == "images" || rel == "masks" || strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(rel, ".d")):
			return filepath.SkipDir
		case d.IsDir() || d.Name() == ShardIndex || !isIndex(rel) || regular(file) != nil || slices.Contains(names, strings.TrimSuffix(rel, ".yaml")):
			return nil
		}
		data, err := readIf(s, rel)
		if err != nil {
			return err
		}
		if h, err := parseHead(data); err == nil && strings.HasSuffix("/"+rel, "/"+h.Name+".yaml") {
			others = append(others, rel)
		}
		return nil
	})
	return others, err
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

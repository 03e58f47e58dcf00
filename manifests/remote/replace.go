package remote

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
)

// mayReplace fails if an index of name would be replaced that hdseg cannot read, or that is of another data set. where names it.
func mayReplace(old []byte, name, dataset, where string) error {
	h, err := parseHead(old)
	switch {
	case err != nil || h.Name != name:
		return fmt.Errorf("remote: %s: another file is there, no index of a manifest %s, and would be replaced: name another place, or use --replace if that is meant", where, name)
	case h.Schema != manifests.Schema:
		return fmt.Errorf("remote: %s: an index of schema %d is there and would be replaced: got a version of hdseg that knows %d: use a newer one, or --replace if that is meant", where, h.Schema, manifests.Schema)
	case h.Dataset != dataset:
		return fmt.Errorf("remote: %s: the data set %q is there and would be replaced by %q: name another place, or use --replace if that is meant", where, h.Dataset, dataset)
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
		err = fmt.Errorf("remote: %s%s: a list is there that hdseg did not write, and would be replaced: name another place, or use --replace if that is meant", p.Bucket, manifests.SumsFile)
	}
	return err
}

// spared fails if the push would replace what is not its own: indexes of other data sets, and those that another index there, which is not pushed, names
// as its parent.
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
		if isIndex(k) && e.size <= mostOf(k) && path.Base(k) != ShardIndex && !slices.Contains(p.req.Names, strings.TrimSuffix(k, ".yaml")) {
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
			return fmt.Errorf("remote: %s%s.yaml: %s there was made from it and would lose its parent: push both together, or use --replace if that is meant", p.Bucket, name, Printable(others[i]))
		}
		return nil
	})
}

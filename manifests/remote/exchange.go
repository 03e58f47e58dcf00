package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hdseg/manifests"
)

// An Exchange lets a process work on a store that lies in a bucket: Fetch brings what is needed
// into an empty folder, what is read by its digest comes when it is read, and Send takes back what
// was made. Many may work on one place at a time, as long as no two write the same name.
type Exchange struct {
	b     *Bucket
	store *manifests.Store
	cache cache

	mu   sync.Mutex
	seen map[string]stamp // files that the bucket has, by path
}

// A stamp tells whether a file was written again.
type stamp struct {
	size     int64
	modified time.Time
}

// NewExchange connects a store with a bucket. Pictures and masks that were fetched are kept, each
// by its digest, in the folder kept, which other processes of the machine may share; where it holds
// more than most bytes the oldest go first.
func NewExchange(ctx context.Context, b *Bucket, store *manifests.Store, kept string, most int64) (*Exchange, error) {
	if err := os.MkdirAll(kept, 0o777); err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	x := &Exchange{b: b, store: store, cache: cache(kept), seen: map[string]stamp{}}
	x.cache.trim(most)
	store.From(func(p string, want manifests.Digest) ([]byte, error) { return x.read(ctx, p, want) })
	return x, nil
}

// read returns an object by its digest.
func (x *Exchange) read(ctx context.Context, p string, want manifests.Digest) ([]byte, error) {
	if data, ok := x.cache.get(want); ok {
		return data, nil
	}
	data, _, err := x.b.get(ctx, p, want)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, fmt.Errorf("%s%s: %w", x.b, p, fs.ErrNotExist)
	}
	x.cache.put(want, data)
	return data, nil
}

// Fetch writes the objects whose paths begin with one of some prefixes into the store.
func (x *Exchange) Fetch(ctx context.Context, prefixes ...string) error {
	var paths []string
	for _, prefix := range prefixes {
		l, err := x.b.listBelow(ctx, prefix)
		if err != nil {
			return err
		}
		paths = slices.AppendSeq(paths, maps.Keys(l.entries))
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return manifests.Each(ctx, x.b.opts.Workers, len(paths), func(ctx context.Context, i int) (struct{}, error) {
		data, _, err := x.b.get(ctx, paths[i], "")
		if err == nil && data != nil {
			err = x.store.Replace(paths[i], data)
		}
		if st, other := os.Stat(filepath.Join(x.store.Dir(), filepath.FromSlash(paths[i]))); err == nil && other == nil {
			x.note(paths[i], st)
		}
		return struct{}{}, err
	}, func(_ int, _ struct{}, err error) error { return err })
}

// note remembers that the bucket has a file as it is.
func (x *Exchange) note(p string, st fs.FileInfo) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen[p] = stamp{st.Size(), st.ModTime()}
}

// Send sends the files of the store that are new, or were written again, since they were fetched or
// sent, but for those that skip tells by their path: manifests last, so that what they name is
// there before them.
func (x *Exchange) Send(ctx context.Context, skip func(p string) bool) error {
	paths, err := x.changed(skip)
	if err != nil {
		return err
	}
	for _, indexes := range []bool{false, true} {
		part := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return isIndex(p) != indexes })
		err := manifests.Each(ctx, x.b.opts.Workers, len(part), func(ctx context.Context, i int) (struct{}, error) {
			return struct{}{}, x.send(ctx, part[i])
		}, func(_ int, _ struct{}, err error) error { return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// changed lists what Send sends.
func (x *Exchange) changed(skip func(p string) bool) (paths []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err = x.store.Walk("", func(p string) bool { return p == ".tmp" }, func(p string, d fs.DirEntry) {
		st, err := d.Info() // fails if it is gone
		if err == nil && !skip(p) && x.seen[p] != (stamp{st.Size(), st.ModTime()}) {
			paths = append(paths, p)
		}
	})
	return paths, err
}

func (x *Exchange) send(ctx context.Context, p string) error {
	name, err := x.store.Path(p)
	if err != nil {
		return err
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil // it was removed meanwhile
	}
	sum, err := manifests.SumFile(name)
	if err == nil {
		err = x.b.send(ctx, p, name, st.Size(), sum, nil)
	}
	if err == nil {
		x.note(p, st)
	}
	return err
}

// Prune deletes the objects below a prefix that were fetched or sent and that the folder does not
// have any more.
func (x *Exchange) Prune(ctx context.Context, prefix string) error {
	var gone []string
	x.mu.Lock()
	for p := range x.seen {
		if name, err := x.store.Path(p); err == nil && strings.HasPrefix(p, prefix) {
			if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
				gone = append(gone, p)
			}
		}
	}
	x.mu.Unlock()
	return x.Remove(ctx, gone...)
}

// Remove deletes the objects whose paths begin with one of some prefixes.
func (x *Exchange) Remove(ctx context.Context, prefixes ...string) error {
	for _, prefix := range prefixes {
		l, err := x.b.listBelow(ctx, prefix)
		if err != nil {
			return err
		}
		if err := x.b.remove(ctx, slices.Collect(maps.Keys(l.entries))); err != nil {
			return err
		}
	}
	return nil
}

// A cache is a folder that keeps the bytes of objects, by their digest.
type cache string

func (c cache) name(d manifests.Digest) string {
	return filepath.Join(string(c), string(d[:2]), string(d))
}

// get returns what is kept under a digest, if it is whole.
func (c cache) get(d manifests.Digest) ([]byte, bool) {
	data, err := os.ReadFile(c.name(d))
	return data, err == nil && manifests.Sum(data) == d
}

// put keeps bytes. What cannot be kept is fetched again when it is needed.
func (c cache) put(d manifests.Digest, data []byte) {
	f, err := os.CreateTemp(string(c), "*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close(), os.MkdirAll(filepath.Dir(c.name(d)), 0o777)); err == nil {
		err = os.Rename(f.Name(), c.name(d))
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

// young tells of a file that it may still be written.
func young(d fs.DirEntry) bool {
	st, err := d.Info()
	return err != nil || time.Since(st.ModTime()) < time.Hour
}

// trim removes the oldest files where there are more than most bytes, until a tenth of it is free.
func (c cache) trim(most int64) {
	type file struct {
		name string
		stamp
	}
	var all []file
	total := int64(0)
	_ = filepath.WalkDir(string(c), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".tmp") && young(d) {
			return nil
		}
		if st, err := d.Info(); err == nil {
			all = append(all, file{name, stamp{st.Size(), st.ModTime()}})
			total += st.Size()
		}
		return nil
	})
	slices.SortFunc(all, func(a, b file) int { return a.modified.Compare(b.modified) })
	for full := total > most; full && len(all) > 0 && total > most-most/10; all = all[1:] {
		if os.Remove(all[0].name) == nil {
			total -= all[0].size
		}
	}
}

package ingest

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// Run lists the sources of a request, decodes every picture, stores its bytes untouched under
// images/ and its mask in canonical form under masks/TIER/, and returns the manifest, which it does
// not write. A run that was stopped is finished by running it again. Memory holds a small record
// per picture and the pixels of one per worker. With a *SkipLimitError there is a Result too. Other
// errors: a path that cannot be read, an *ArchiveError, a store that cannot be written, ambiguous
// masks, the context's.
func Run(ctx context.Context, req Request, store *manifests.Store, progress Progress) (*Result, error) {
	l, err := openLister(ctx, &req, store, progress)
	if err != nil {
		return nil, err
	}
	defer l.close()
	c := newCollector(l)
	if err := l.each(&req, 0, 1, c.take); err != nil {
		return nil, err
	}
	return c.result(&req)
}

// RunShard decodes and stores every of-th picture, beginning with the i-th from 0, and writes what
// became of them to w, for Join. It returns how many there were. Errors are those of Run.
func RunShard(ctx context.Context, req Request, store *manifests.Store, progress Progress, i, of int, w io.Writer) (n int, err error) {
	l, err := openLister(ctx, &req, store, progress)
	if err != nil {
		return 0, err
	}
	defer l.close()
	out := gob.NewEncoder(w)
	if err := out.Encode(shardHead{l.sum(), i, of}); err != nil {
		return 0, err
	}
	err = l.each(&req, i, of, func(o outcome) error {
		n++
		return out.Encode(o)
	})
	return n, err
}

// ErrShards ends errors about shards that do not belong to the sources that Join lists.
var ErrShards = errors.New("all shards have to be made again")

// Join returns what Run does, of the pictures that RunShard stored: one reader for each shard, in
// their order. With shards of other sources, or that end too early, the error is ErrShards.
func Join(ctx context.Context, req Request, store *manifests.Store, progress Progress, shards []io.Reader) (*Result, error) {
	l, err := openLister(ctx, &req, store, progress)
	if err != nil {
		return nil, err
	}
	defer l.close()
	in, sum := make([]*gob.Decoder, len(shards)), l.sum()
	for i, r := range shards {
		in[i] = gob.NewDecoder(r)
		var h shardHead
		if err := in[i].Decode(&h); err != nil || h != (shardHead{sum, i, len(shards)}) {
			return nil, fmt.Errorf("ingest: shard %d of %d: it is of other sources, or of another number of shards: %w", i,
				len(shards), ErrShards)
		}
	}
	c := newCollector(l)
	for i := range l.tasks {
		var o outcome
		if err := in[i%len(in)].Decode(&o); err != nil {
			return nil, fmt.Errorf("ingest: shard %d of %d: it ends before picture %s: %w (%w)", i%len(in), len(in), l.tasks[i].id, ErrShards, err)
		}
		if err := c.take(o); err != nil {
			return nil, err
		}
	}
	return c.result(&req)
}

// Count returns how many pictures the sources list, without reading any.
func Count(ctx context.Context, req Request, progress Progress) (int, error) {
	l, err := openLister(ctx, &req, nil, progress)
	if err != nil {
		return 0, err
	}
	defer l.close()
	return len(l.tasks), nil
}

// openLister returns a lister that has walked the sources of a request, for the caller to close.
func openLister(ctx context.Context, req *Request, store *manifests.Store, progress Progress) (*lister, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	l := newLister(ctx, req, store)
	l.progress = progress
	var err error
	if req.Restore {
		l.exports, err = readExports(ctx, req, store)
	}
	if err == nil {
		progress("list", 0, 0)
		err = l.list(req)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	progress("list", len(l.tasks), len(l.tasks))
	return l, nil
}

// each runs every of-th task, beginning with the i-th, and hands what became of them to take, in
// their order.
func (l *lister) each(req *Request, i, of int, take func(outcome) error) error {
	n := max(0, (len(l.tasks)-i+of-1)/of)
	return manifests.Each(l.ctx, req.Workers, n,
		func(_ context.Context, k int) (outcome, error) { return l.tasks[i+k*of].run(&req.Options, l.store) },
		func(k int, o outcome, err error) error {
			if err != nil {
				return err
			}
			l.tasks[i+k*of] = nil // what it held is not needed any more
			l.progress("ingest", k+1, n)
			return take(o)
		})
}

// sum names the tasks that were listed.
func (l *lister) sum() manifests.Digest {
	var names strings.Builder
	for _, t := range l.tasks {
		fmt.Fprintf(&names, "%q %q %q %q\n", t.split, t.id, t.source, t.image.origin)
	}
	return manifests.Sum([]byte(names.String()))
}

// A shardHead begins what RunShard writes.
type shardHead struct {
	Tasks manifests.Digest // of all shards; see sum
	I, Of int
}

// A collector gathers outcomes in the order of the tasks.
type collector struct {
	l       *lister
	res     *Result
	records []manifests.Record
	hashes  []nearHash // of the records
	skips   []manifests.Skip

	conventions conventions
}

// newCollector begins with what the lister found.
func newCollector(l *lister) *collector {
	c := &collector{l: l, res: new(l.Result), skips: l.skips, conventions: conventions{}}
	c.res.Read += len(l.tasks)
	// Room for all at once: a list that grows holds all of them twice while it moves.
	c.records, c.hashes = make([]manifests.Record, 0, len(l.tasks)), make([]nearHash, 0, len(l.tasks))
	return c
}

// result is what Run returns, when all outcomes are taken.
func (c *collector) result(req *Request) (*Result, error) {
	if err := c.conventions.emptied(req.Options.MaskValues); err != nil {
		return nil, err
	}
	c.finish(req)
	if limit := req.Options.MaxSkip; float64(c.res.Dropped) > limit*float64(c.res.Read) {
		return c.res, &SkipLimitError{c.res.Dropped, c.res.Read, limit, c.skips[0]}
	}
	c.res.RestoredFrom = c.l.exports.files
	if err := c.l.exports.restore(c.l.store, c.res); err != nil {
		return nil, err
	}
	if n := c.res.NotRestored; n > 0 {
		c.res.Warnings["not_restored"] = n
	}
	return c.res, nil
}

// take adds what became of a task; its error ends the run.
func (c *collector) take(o outcome) error {
	for _, w := range o.Warnings {
		c.res.Warnings[w]++
	}
	for _, a := range o.Aside {
		c.res.Other[a.Code]++
		if a.Name != "" {
			c.res.Aside = append(c.res.Aside, a)
		}
	}
	c.skips = append(c.skips, o.Skips...)
	for _, r := range o.Records {
		c.records = append(c.records, r)
		c.hashes = append(c.hashes, o.Hash)
	}
	if len(o.Records) == 0 && len(o.Skips) > 0 {
		c.res.Dropped++
	}
	for _, g := range o.Guesses {
		if err := c.conventions.take(g); err != nil {
			return err
		}
	}
	return nil
}

// Len, Less and Swap sort the records with their hashes.
func (c *collector) Len() int           { return len(c.records) }
func (c *collector) Less(i, j int) bool { return c.records[i].Compare(&c.records[j]) < 0 }
func (c *collector) Swap(i, j int) {
	c.records[i], c.records[j] = c.records[j], c.records[i]
	c.hashes[i], c.hashes[j] = c.hashes[j], c.hashes[i]
}

// finish sorts what was gathered into a manifest.
func (c *collector) finish(req *Request) {
	for i := range c.records {
		r := &c.records[i]
		r.Image.Origin = printable(r.Image.Origin)
	}
	for i, s := range c.skips {
		c.skips[i] = manifests.Skip{Record: printable(s.Record), Reason: s.Reason, Detail: printable(s.Detail)}
	}
	sort.Sort(c)
	c.res.Duplicates = duplicates(c.records, c.hashes)
	for _, d := range c.res.Duplicates {
		if d.Distance < 0 {
			c.res.Warnings["duplicate"]++
		} else {
			c.res.Warnings["near_duplicate"]++
		}
	}
	sortSkips(c.skips)
	sortAside(c.res.Aside)
	c.res.Kept = len(c.records)
	c.res.Manifest = &manifests.Manifest{
		Header: manifests.Header{
			Schema: manifests.Schema, Dataset: req.Dataset, Class: req.Class, Stage: "ingest", Tool: "hdseg",
			Version: req.Version, Skipped: c.skips,
		},
		Records: c.records,
	}
	opts, _ := yaml.Marshal(req.Options) // numbers, words and switches
	c.res.Manifest.Configure(opts)
}

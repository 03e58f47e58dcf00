package ingest

import (
	"context"
	"fmt"
	"sort"

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
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	l := newLister(ctx, &req, store)
	defer l.close()
	l.progress = progress
	if req.Restore {
		var err error
		if l.exports, err = readExports(ctx, req.exportSources(), store); err != nil {
			return nil, err
		}
	}
	progress("list", 0, 0)
	if err := l.list(&req); err != nil {
		return nil, err
	}
	progress("list", len(l.tasks), len(l.tasks))

	c := collector{res: &Result{Read: len(l.tasks) + l.read, Dropped: l.dropped, Other: l.other, Aside: l.named,
		Warnings: l.remarks, Barren: l.barren, FromZero: l.zeroSets, Labels: l.labels}, skips: l.skips}
	// Room for all at once: a list that grows holds all of them twice while it moves.
	c.records, c.hashes = make([]manifests.Record, 0, len(l.tasks)), make([]nearHash, 0, len(l.tasks))
	err := manifests.Each(ctx, req.Workers, len(l.tasks),
		func(_ context.Context, i int) (outcome, error) { return l.tasks[i].run(&req.Options, store) },
		func(i int, o outcome, err error) error {
			if err != nil {
				return err
			}
			l.tasks[i] = nil // what it held is not needed any more
			progress("ingest", i+1, len(l.tasks))
			return c.take(o)
		})
	if err != nil {
		return nil, err
	}
	if err := c.conventions.emptied(req.Options.MaskValues); err != nil {
		return nil, err
	}
	if err := c.finish(&req); err != nil {
		return nil, err
	}
	if limit := req.Options.MaxSkip; float64(c.res.Dropped) > limit*float64(c.res.Read) {
		return c.res, &SkipLimitError{c.res.Dropped, c.res.Read, limit, c.skips[0]}
	}
	c.res.RestoredFrom = l.exports.files
	if err := l.exports.restore(store, c.res); err != nil {
		return nil, err
	}
	if n := c.res.NotRestored; n > 0 {
		c.res.Warnings["not_restored"] = n
	}
	return c.res, nil
}

// A collector gathers outcomes in the order of the tasks.
type collector struct {
	res     *Result
	records []manifests.Record
	hashes  []nearHash // of the records
	skips   []manifests.Skip

	conventions conventions
}

// take adds what became of a task; its error ends the run.
func (c *collector) take(o outcome) error {
	for _, w := range o.warnings {
		c.res.Warnings[w]++
	}
	for _, a := range o.aside {
		c.res.Other[a.Code]++
		if a.Name != "" {
			c.res.Aside = append(c.res.Aside, a)
		}
	}
	c.skips = append(c.skips, o.skips...)
	switch {
	case len(o.records) > 0:
		for _, r := range o.records {
			c.records = append(c.records, r)
			c.hashes = append(c.hashes, o.hash)
		}
	case o.other != "":
		c.res.Other[o.other]++
	default:
		c.res.Dropped++
	}
	for _, g := range o.guesses {
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
func (c *collector) finish(req *Request) error {
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
	opts, err := yaml.Marshal(req.Options)
	if err != nil {
		return fmt.Errorf("ingest: options: %w", err)
	}
	c.res.Kept = len(c.records)
	c.res.Manifest = &manifests.Manifest{
		Header: manifests.Header{
			Schema: manifests.Schema, Dataset: req.Dataset, Class: req.Class, Stage: "ingest", Tool: "hdseg",
			Version: req.Version, Skipped: c.skips,
		},
		Records: c.records,
	}
	c.res.Manifest.Configure(opts)
	return nil
}

package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// Options say what is exported and how.
type Options struct {
	Format string            // one of Formats
	Splits []manifests.Split // nil for both
	// Whose masks are exported, best first: some formats have room for one. nil: DefaultTiers, then
	// external ones.
	Tiers    []manifests.Tier
	Polygons bool // coco: also instances_SPLIT_polygons.json, the outlines without holes
}

// Formats lists what Options.Format may be.
var Formats = []string{"hdseg", "coco", "voc", "imagefolder", "croissant"}

// DefaultTiers is the order in which one mask is chosen of several.
var DefaultTiers = []manifests.Tier{manifests.Manual, manifests.BBox, manifests.Label}

// Validate reports what keeps the options from being used.
func (o Options) Validate() error {
	if !slices.Contains(Formats, o.Format) {
		return fmt.Errorf("export: format %q: want one of %s", o.Format, strings.Join(Formats, ", "))
	}
	for _, s := range o.Splits {
		if s != manifests.Train && s != manifests.Test {
			return fmt.Errorf("export: split %q: want train or test", s)
		}
	}
	for _, t := range o.Tiers {
		if _, err := manifests.ParseTier(string(t)); err != nil || t == manifests.None {
			return fmt.Errorf("export: tier %q: want manual, bbox, label or external:NAME", t)
		}
	}
	if o.Polygons && o.Format != "coco" {
		return fmt.Errorf("export: polygons: format %s has none, want coco", o.Format)
	}
	return nil
}

// A Request is one export.
type Request struct {
	Options  Options
	Manifest *manifests.Manifest
	Digest   manifests.Digest      // of its index: the card names it
	Store    *manifests.Store      // where its files are
	Out      string                // folder: new, empty, or left by an export of the same
	Workers  int                   // at least 1
	Features Features              // HDSeg: for feature files and superpixels; nil for none
	Progress func(done, total int) // may be nil
}

// Features yield what HDSeg's feature files hold. Methods may be called from several goroutines.
type Features interface {
	// Graph returns the superpixels of a record; nil if there are none of it.
	Graph(r *manifests.Record) (*Graph, error)
	// Pixels returns the superpixel of each pixel of the record's upright picture, index y*Width+x,
	// numbered as in Graph.
	Pixels(r *manifests.Record) ([]int32, error)
}

// A Graph holds the superpixels of a picture.
type Graph struct {
	N, Dim   int
	Edges    [][2]int32                 // pairs of superpixels that touch
	Features []float32                  // N x Dim
	Labels   map[manifests.Tier][]uint8 // of each superpixel: raster.Ground, Figure or Void
}

// A Result counts what an export wrote.
type Result struct {
	Images, Masks, Boxes int              // in the tree, as far as the format has a place for them
	Skips                []manifests.Skip // what the format has no place for, or cannot be read
	// files of the folder that this export has not written, sorted
	Strays []string
}

// A picture is a record with what an export needs of it.
type picture struct {
	*manifests.Record
	tiers []manifests.Tier // of the masks that the format has room for, best first
}

// mask returns the picture's first mask.
func (p *picture) mask() (manifests.Mask, bool) {
	if len(p.tiers) == 0 {
		return manifests.Mask{}, false
	}
	return p.MaskOf(p.tiers[0])
}

// A writer knows one format. picture is called from several goroutines; it returns what split needs
// and the boxes that readers of the format find. split is called for each split that has pictures,
// with their entries in the manifest's order, and finish at the end.
type writer interface {
	picture(p *picture) (entry any, boxes []manifests.Box, err error)
	split(ctx context.Context, split manifests.Split, entries []any) error
	finish() error
}

// Run exports a data set. Pictures that cannot be read are skipped; an error is for an output that
// cannot be written.
func Run(ctx context.Context, req Request) (*Result, error) {
	if err := req.Options.Validate(); err != nil {
		return nil, err
	}
	e := &exporter{Request: req}
	needsMask := slices.Contains([]string{"hdseg", "coco", "voc"}, req.Options.Format)
	pictures := e.choose(needsMask)
	if err := e.distinct(pictures); err != nil {
		return nil, err
	}
	out, err := openTree(req.Out, req.Options, req.Digest)
	if err != nil {
		return nil, err
	}
	defer out.close()
	e.out = out
	var w writer
	switch req.Options.Format {
	case "hdseg":
		w = &hdseg{exporter: e}
	case "coco":
		w = &coco{e}
	case "voc":
		w = &voc{exporter: e}
	case "imagefolder":
		w = &imageFolder{e}
	case "croissant":
		w = &croissant{exporter: e}
	}
	type done struct {
		entry any
		boxes []manifests.Box
	}
	work := raster.Decoding
	if req.Features != nil {
		work = raster.Segmenting // once more
	}
	entries := map[manifests.Split][]any{}
	err = manifests.Each(ctx, req.Workers, len(pictures),
		func(_ context.Context, i int) (done, error) {
			defer load.Hold(pictures[i].Record, work)()
			entry, boxes, err := w.picture(&pictures[i])
			return done{entry, boxes}, err
		},
		func(i int, d done, err error) error {
			if req.Progress != nil {
				req.Progress(i+1, len(pictures))
			}
			p := &pictures[i]
			if errors.As(err, new(*writeError)) {
				return fmt.Errorf("export: %s: %w", p.ID, err)
			}
			if err != nil {
				e.skip(p.Record, "unreadable", err.Error())
				return nil
			}
			e.res.Images++
			e.res.Masks += len(p.tiers)
			if req.Options.Format != "hdseg" { // which has no place for them
				e.res.Boxes += len(p.Boxes)
			}
			entries[p.Split] = append(entries[p.Split], d.entry)
			e.carry(p, d.boxes)
			return nil
		})
	if err != nil {
		return nil, err
	}
	for _, split := range []manifests.Split{manifests.Train, manifests.Test} {
		if len(entries[split]) > 0 && err == nil {
			err = w.split(ctx, split, entries[split])
		}
	}
	for _, step := range []func() error{w.finish, e.writeCarried, out.sums} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	e.res.Strays, err = out.strays()
	return &e.res, err
}

// distinct fails if pictures of both splits would get one name: these formats keep all in one
// folder, or their readers join by name.
func (e *exporter) distinct(pictures []picture) error {
	if !slices.Contains([]string{"croissant", "voc"}, e.Options.Format) {
		return nil
	}
	seen := map[string]manifests.Split{}
	for _, p := range pictures {
		if old, ok := seen[p.ID]; ok {
			return fmt.Errorf("export: %s: the %s record's id is that of a %s record too, and %s has one name for both: "+
				"run split first", p.ID, p.Split, old, e.Options.Format)
		}
		seen[p.ID] = p.Split
	}
	return nil
}

// An exporter is what the writers share.
type exporter struct {
	Request
	out     *tree
	res     Result
	carried []Carried
}

func (e *exporter) skip(r *manifests.Record, reason, detail string) {
	e.res.Skips = append(e.res.Skips, manifests.Skip{Record: r.ID, Reason: reason, Detail: detail})
}

// choose lists the pictures that the options name.
func (e *exporter) choose(needsMask bool) (out []picture) {
	tiers, order := e.Options.Tiers, e.Options.Tiers
	if order == nil {
		order = DefaultTiers
	}
	for i := range e.Manifest.Records {
		r := &e.Manifest.Records[i]
		if len(e.Options.Splits) > 0 && !slices.Contains(e.Options.Splits, r.Split) {
			continue
		}
		p := picture{Record: r}
		for _, t := range append(slices.Clone(order), r.Tiers()...) {
			if _, ok := r.MaskOf(t); ok && !slices.Contains(p.tiers, t) && (tiers == nil || slices.Contains(tiers, t)) {
				p.tiers = append(p.tiers, t)
			}
		}
		switch {
		case len(p.tiers) == 0 && (needsMask || tiers != nil):
			e.skip(r, "no_mask", "it has no mask of the tiers that are exported")
			continue
		case e.Options.Format != "hdseg": // which has names for masks of three tiers, others for one mask
			p.tiers = p.tiers[:min(1, len(p.tiers))]
		default:
			if p.tiers = slices.DeleteFunc(p.tiers, func(t manifests.Tier) bool { return hdsegSuffix[t] == "" }); len(p.tiers) == 0 {
				e.skip(r, "no_mask", "it has only masks that HDSeg has no name for")
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// copyImage writes the stored bytes of a picture under a name.
func (e *exporter) copyImage(p *picture, name string) error {
	data, err := e.Store.Read(p.Image.Path, p.Image.SHA256)
	if err != nil {
		return err
	}
	return e.out.write(name, data)
}

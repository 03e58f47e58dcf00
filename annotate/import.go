// Package annotate brings masks drawn by people into a manifest: as the manual tier, a new revision
// each time, with who drew it and when.
package annotate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"hdseg/annotate/exchange"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A Request names masks drawn in another tool.
type Request struct {
	Format string         // one of exchange.Formats
	Path   string         // folder or file, as the format has it
	Tier   manifests.Tier // manual, or external:NAME for those of another tool; "" is manual
	By     string         // the person, or the tool
	// when the work was done; kept to the second, UTC; zero only for another tool's, which need not
	// have one
	At time.Time
	// a mask without figure is meant; otherwise it is taken for unfinished work
	Empty bool
	// labels that are neither the class nor void are ground; otherwise they are errors
	OthersGround bool
	// a mask that came back as it went out is checked work of By; otherwise it is nobody's, and
	// left out
	AcceptUnchanged bool
	Workers         int
}

// An Imported says what became of the masks at a path.
type Imported struct {
	Manifest  *manifests.Manifest
	Done      int // masks that were added
	Unchanged int // masks that were left out, as the record has them already
	Skips     []manifests.Skip
}

// Import returns m with a mask of the tier, manual by default, of the next revision for every
// record that has one at the path; earlier revisions stay. A mask that cannot be read, has other
// values or another size than its picture is skipped and listed, and so is one without figure
// unless the request says that it is meant. A mask that belongs to no record is skipped too. A path
// that holds no masks at all is an error. A mask that the record has already, as export wrote it,
// adds nothing, unless the request says that the person has checked it. m is not changed; Parent is
// for the caller to set.
func Import(ctx context.Context, m *manifests.Manifest, store *manifests.Store, req Request) (*Imported, error) {
	if req.Tier == "" {
		req.Tier = manifests.Manual
	}
	folder, err := maskFolder(req.Tier)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(req.By) == "" || req.At.IsZero() && req.Tier == manifests.Manual {
		return nil, errors.New("annotate: want who drew the masks and when")
	}
	masks, err := exchange.Open(req.Format, req.Path, exchange.Options{Class: m.Class.Name, OthersGround: req.OthersGround})
	if err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	if len(masks) == 0 {
		return nil, fmt.Errorf("annotate: %s: holds no masks of the format %s: name the folder or file that holds them, "+
			"or another format", req.Path, req.Format)
	}
	out := &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	out.Stage = "annotate"
	res := &Imported{Manifest: out}
	find := finder(m)
	seen := map[int]bool{} // records
	err = manifests.Each(ctx, req.Workers, len(masks),
		func(_ context.Context, i int) (*manifests.Mask, error) {
			if masks[i].Err != nil {
				return nil, masks[i].Err
			}
			at, err := find(masks[i].Name)
			if err != nil {
				return nil, err
			}
			// of m: those of out change meanwhile
			return read(&masks[i], &m.Records[at], store, folder, req)
		},
		func(i int, k *manifests.Mask, err error) error {
			id := masks[i].Name
			if pathErr := new(fs.PathError); err != nil && errors.As(err, &pathErr) {
				return err // the folder or the store, not this mask
			}
			at, _ := find(id) // or err says why not
			if err == nil && seen[at] {
				err = fmt.Errorf("a second mask of the record %s", m.Records[at].ID)
			}
			if err != nil {
				res.Skips = append(res.Skips, manifests.Skip{Record: id, Reason: "bad_mask", Detail: err.Error()})
				return nil
			}
			seen[at] = true
			if k == nil {
				res.Unchanged++
				return nil
			}
			r := &out.Records[at]
			r.Masks = append(slices.Clone(r.Masks), *k)
			slices.SortFunc(r.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
			res.Done++
			return nil
		})
	out.Skipped = append(slices.Clone(m.Skipped), res.Skips...)
	return res, err
}

// finder returns how masks find their records: by the id or its Key, else by the path that the id
// stands for, as format.Paths finds it.
func finder(m *manifests.Manifest) func(name string) (int, error) {
	index := map[string]int{}
	byPath := map[string]int{}
	var paths []string
	for i := range m.Records {
		r := &m.Records[i]
		index[exchange.Name(r)] = i
		index[r.ID] = i
		if p, err := url.PathUnescape(r.ID); err == nil {
			paths = append(paths, p)
			byPath[p] = i
		}
	}
	in := format.NewPaths(paths)
	return func(name string) (int, error) {
		if i, ok := index[name]; ok {
			return i, nil
		}
		p, _, err := in.Find(name)
		switch {
		case err == nil:
			return byPath[p], nil
		case err == fs.ErrNotExist: // without candidates
			return 0, errors.New("no record has this id")
		}
		return 0, fmt.Errorf("no record has this id: %v", err)
	}
}

// read stores one mask and describes it; nil for one that the record has already.
func read(d *exchange.Drawn, r *manifests.Record, store *manifests.Store, folder string, req Request) (*manifests.Mask, error) {
	px, input, err := d.Mask(r.Image.Width, r.Image.Height)
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	if _, figure, _ := px.Areas(); figure == 0 && !req.Empty {
		return nil, errors.New("mask: nothing is figure: unfinished, or an empty mask, which must be said to be meant (--empty)")
	}
	data := raster.EncodeMaskPNG(px)
	k := &manifests.Mask{Tier: req.Tier}
	unchanged := false
	// what export begins with, or what an import made
	for _, tier := range []manifests.Tier{req.Tier, r.Tier} {
		if old, ok := r.MaskOf(tier); ok && (tier == req.Tier || req.Tier == manifests.Manual) {
			unchanged = unchanged || old.SHA256 == manifests.Sum(data)
		}
	}
	if unchanged && !req.AcceptUnchanged {
		return nil, nil
	}
	if old, ok := r.MaskOf(req.Tier); ok {
		k.Revision = old.Revision + 1
	}
	if k.Path, k.SHA256, err = store.Put(folder, exchange.Name(r), "png", data); err != nil {
		return nil, err
	}
	_, k.Figure, k.Void = px.Areas()
	k.Provenance = manifests.Provenance{
		WasGeneratedBy: "annotate/import", Used: []manifests.Digest{r.Image.SHA256, input},
		WasAttributedTo: req.By,
	}
	if unchanged {
		k.WasGeneratedBy = "annotate/import/unchanged" // checked, not drawn
	}
	if !req.At.IsZero() {
		k.GeneratedAtTime = req.At.UTC().Format(time.RFC3339)
	}
	return k, nil
}

// maskFolder returns where the masks of a tier are stored.
func maskFolder(t manifests.Tier) (string, error) {
	if t == manifests.Manual {
		return "masks/manual", nil
	}
	if _, err := manifests.ParseTier(string(t)); err != nil || !strings.HasPrefix(string(t), "external:") {
		return "", fmt.Errorf("annotate: tier %q: want manual or external:NAME; bbox and label are what transfer makes", t)
	}
	return "masks/" + strings.Replace(string(t), ":", "-", 1), nil
}

// Package annotate brings masks drawn by people into a manifest: as the manual tier, a new revision
// each time, with who drew it and when.
package annotate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hdseg/annotate/exchange"
	"hdseg/manifests"
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
	Empty   bool
	Workers int
}

// Import returns m with a mask of the tier, manual by default, of the next revision for every
// record that has one at the path; earlier revisions stay. A mask that cannot be read, has other
// values or another size than its picture is skipped and listed, and so is one without figure
// unless the request says that it is meant. A mask that belongs to no record is skipped too. A path
// that holds no masks at all is an error. m is not changed; Parent is for the caller to set.
func Import(ctx context.Context, m *manifests.Manifest, store *manifests.Store, req Request) (out *manifests.Manifest, done int,
	skips []manifests.Skip, err error) {
	if req.Tier == "" {
		req.Tier = manifests.Manual
	}
	folder, err := maskFolder(req.Tier)
	if err != nil {
		return nil, 0, nil, err
	}
	if req.By == "" || req.At.IsZero() && req.Tier == manifests.Manual {
		return nil, 0, nil, errors.New("annotate: want who drew the masks and when")
	}
	masks, err := exchange.Open(req.Format, req.Path, m.Class.Name)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("annotate: %w", err)
	}
	if len(masks) == 0 {
		return nil, 0, nil, fmt.Errorf("annotate: %s: holds no masks of the format %s: name the folder or file that holds them, "+
			"or another format", req.Path, req.Format)
	}
	out = &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	out.Stage = "annotate"
	index := map[string]int{} // a mask may be named by its record's id or by its Key
	for i := range m.Records {
		index[exchange.Name(&m.Records[i])] = i
		index[m.Records[i].ID] = i
	}
	seen := map[int]bool{} // records
	err = manifests.Each(ctx, req.Workers, len(masks),
		func(_ context.Context, i int) (*manifests.Mask, error) {
			if masks[i].Err != nil {
				return nil, masks[i].Err
			}
			at, ok := index[masks[i].Name]
			if !ok {
				return nil, errors.New("no record has this id")
			}
			// of m: those of out change meanwhile
			return read(&masks[i], &m.Records[at], store, folder, req)
		},
		func(i int, k *manifests.Mask, err error) error {
			id := masks[i].Name
			if pathErr := new(fs.PathError); err != nil && errors.As(err, &pathErr) {
				return err // the folder or the store, not this mask
			}
			at := index[id]
			if err == nil && seen[at] {
				err = errors.New("a second mask of this record")
			}
			if err != nil {
				skips = append(skips, manifests.Skip{Record: id, Reason: "bad_mask", Detail: err.Error()})
				return nil
			}
			seen[at] = true
			r := &out.Records[at]
			r.Masks = append(slices.Clone(r.Masks), *k)
			slices.SortFunc(r.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
			done++
			return nil
		})
	out.Skipped = append(slices.Clone(m.Skipped), skips...)
	return out, done, skips, err
}

// read stores one mask and describes it.
func read(d *exchange.Drawn, r *manifests.Record, store *manifests.Store, folder string, req Request) (*manifests.Mask, error) {
	px, input, err := d.Mask(r.Image.Width, r.Image.Height)
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	if _, figure, _ := px.Areas(); figure == 0 && !req.Empty {
		return nil, errors.New("mask: nothing is figure: unfinished, or an empty mask, which must be said to be meant (--empty)")
	}
	k := &manifests.Mask{Tier: req.Tier}
	if old, ok := r.MaskOf(req.Tier); ok {
		k.Revision = old.Revision + 1
	}
	if k.Path, k.SHA256, err = store.Put(folder, exchange.Name(r), "png", raster.EncodeMaskPNG(px)); err != nil {
		return nil, err
	}
	_, k.Figure, k.Void = px.Areas()
	k.Provenance = manifests.Provenance{
		WasGeneratedBy: "annotate/import", Used: []manifests.Digest{r.Image.SHA256, input},
		WasAttributedTo: req.By,
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

// Package annotate brings masks drawn by people into a manifest: as the manual tier, a new revision
// each time, with who drew it and when.
package annotate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/annotate/exchange"
	"hdseg/manifests"
	"hdseg/manifests/load"
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

// Validate refuses a tier that is not drawn, a name that does not show, and drawings of no time.
func (r *Request) Validate() error {
	_, err := manifests.ParseTier(string(r.Tier))
	switch {
	case err != nil || r.Tier != manifests.Manual && !strings.HasPrefix(string(r.Tier), "external:"):
		return fmt.Errorf("--tier %q: want manual or external:NAME", r.Tier)
	case r.At.IsZero() && r.Tier == manifests.Manual:
		return errors.New("--at: want when the masks were drawn, as 2026-03-04T05:06:07Z")
	}
	if err := campaign.CheckName(r.By); err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	return nil
}

// An Imported says what became of the masks at a path.
type Imported struct {
	Manifest  *manifests.Manifest
	Done      int // masks that were added
	Unchanged int // masks that were left out, as the record has them already
	Blank     int // pictures that had no mask, came back without one and were left out
	// records whose mask came back as another than their newest, and which it was
	Earlier []string
	// masks whose files lie in other folders than their pictures or spell them otherwise, as NAME
	// is ID
	Moved []string
	Skips []manifests.Skip
}

// Import returns m with a mask of the tier, manual by default, of the next revision for every
// record that has one at the path; earlier revisions stay. A mask that cannot be read, has other
// values or another size than its picture is skipped and listed, and so is one without figure
// unless the request says that it is meant. A mask that belongs to no record is skipped too. A path
// that holds no masks at all is an error. A mask that the record has already, as export wrote it,
// adds nothing, unless the request says that the person has checked it; nor does the empty drawing
// that export made of a record without a mask. m is not changed; Parent is
// for the caller to set.
func Import(ctx context.Context, m *manifests.Manifest, store *manifests.Store, req Request) (*Imported, error) {
	req.Tier = cmp.Or(req.Tier, manifests.Manual)
	if err := req.Validate(); err != nil {
		return nil, err
	}
	folder := "masks/" + strings.Replace(string(req.Tier), ":", "-", 1)
	names := newNames(m)
	masks, err := exchange.Open(req.Format, req.Path, exchange.Options{Class: m.Class.Name, OthersGround: req.OthersGround,
		Record: names.record})
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
	at, moved := names.of(masks)
	res.Moved = moved
	err = manifests.Each(ctx, req.Workers, len(masks),
		func(_ context.Context, i int) (taken, error) {
			if masks[i].Err != nil {
				return taken{}, masks[i].Err
			}
			// of m: those of out change meanwhile
			return read(&masks[i], &m.Records[at[i]], store, folder, req)
		},
		func(i int, k taken, err error) error {
			id := masks[i].Name
			if pathErr := new(fs.PathError); err != nil && errors.As(err, &pathErr) {
				return err // the folder or the store, not this mask
			}
			if fault := cmp.Or(err, k.partial); fault != nil {
				res.Skips = append(res.Skips, manifests.Skip{Record: id, Reason: "bad_mask", Detail: masks[i].File + ": " + fault.Error()})
			}
			if err != nil {
				return nil
			}
			r := &out.Records[at[i]]
			if k.earlier != "" {
				res.Earlier = append(res.Earlier, r.ID+" ("+k.earlier+")")
			}
			switch {
			case k.blank:
				res.Blank++
			case k.mask == nil:
				res.Unchanged++
			default:
				r.Masks = append(slices.Clone(r.Masks), *k.mask)
				slices.SortFunc(r.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
				res.Done++
			}
			return nil
		})
	out.Skipped = append(slices.Clone(m.Skipped), res.Skips...)
	return res, err
}

// taken is what became of a mask.
type taken struct {
	mask    *manifests.Mask // nil for one that the record has already
	earlier string          // which of the record's masks it is, if not the newest
	partial error           // what of it could not be read; nil for nothing
	blank   bool            // there was and is no mask; left out
}

// read stores one mask and describes it.
func read(d *exchange.Drawn, r *manifests.Record, store *manifests.Store, folder string, req Request) (t taken, err error) {
	defer load.Hold(r, raster.Decoding)()
	px, input, err := d.Mask(r.Image.Width, r.Image.Height)
	blank := errors.Is(err, exchange.ErrBlank)
	partial := new(exchange.Partial)
	switch {
	case errors.As(err, &partial):
		t.partial = fmt.Errorf("%w; the other shapes are the mask", err)
	case err != nil && !blank:
		return t, err
	}
	data := raster.EncodeMaskPNG(px)
	k := &manifests.Mask{Tier: req.Tier}
	same := false
	if same, t.earlier = earlier(r, manifests.Sum(data), req.Tier); (same || blank) && !req.AcceptUnchanged {
		t.blank = !same
		return t, nil
	}
	if _, figure, _ := px.Areas(); figure == 0 && !req.Empty && !same {
		return t, errors.New("nothing is figure: unfinished, or an empty mask, which must be said to be meant (--empty)")
	}
	if old, ok := r.MaskOf(req.Tier); ok {
		k.Revision = old.Revision + 1
	}
	if k.Path, k.SHA256, err = store.Put(folder, exchange.Name(r), "png", data); err != nil {
		return t, err
	}
	_, k.Figure, k.Void = px.Areas()
	k.Provenance = manifests.Provenance{
		WasGeneratedBy: "annotate/import", Used: []manifests.Digest{r.Image.SHA256, input},
		WasAttributedTo: req.By,
	}
	if same || blank {
		k.WasGeneratedBy = "annotate/import/unchanged" // checked, not drawn
	}
	if !req.At.IsZero() {
		k.GeneratedAtTime = req.At.UTC().Format(time.RFC3339)
	}
	t.mask = k
	return t, nil
}

// earlier tells whether a record has a mask already, of any tier and revision, and which it is if
// there is a newer one: what people draw may have begun with any of them.
func earlier(r *manifests.Record, sum manifests.Digest, tier manifests.Tier) (same bool, which string) {
	newest, has := r.MaskOf(tier)
	if !has {
		newest, _ = r.MaskOf(r.Tier)
	}
	if newest.SHA256 == sum {
		return true, ""
	}
	for _, k := range slices.Backward(r.Masks) {
		if k.SHA256 == sum {
			return true, fmt.Sprintf("%s, revision %d", k.Tier, k.Revision)
		}
	}
	return false, ""
}

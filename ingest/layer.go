package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A layer is one mask of a picture, as its source draws it.
type layer struct {
	mask    *raster.Mask
	persons *raster.Mask   // figure where the source names persons; nil where it names none
	origin  string         // of the file that it came from, for messages
	tier    manifests.Tier // what it is worth
	// layers with different suffixes become records of their own, with the suffix on their id
	suffix string
	// only the box of this object, counting from 1, belongs to it; 0 for all, unknownObject for the
	// one that fits its figure best
	object int
	used   []manifests.Digest
	by     string // who drew it
	source string // whose it is, where that is not the picture's source
	// added to the picture of another source: when it cannot be used, the record stays
	extra bool
	fault error // why an extra mask cannot be used
	// why parts of it are void: annotations that could not be read
	parts []*layerFault
	// what its source found unusual, see Image.Notes
	remarks []string
	// what its values say of their convention; zero where the source's own rule is the only one
	guess guess
}

// A layerer reads the masks of a task's picture; it returns none when the picture is not of the
// class, a *layerFault when a mask cannot be used, and boxesAlone where it has boxes instead.
type layerer func(opts *Options) ([]layer, error)

// A layerFault is a mask that cannot be used, and with it the picture.
type layerFault struct {
	reason, origin string
	err            error
}

func (f *layerFault) Error() string { return f.origin + ": " + f.err.Error() }
func (f *layerFault) Unwrap() error { return f.err }

// boxesAlone is the error of a layerer whose picture has boxes but no mask, with the faults of
// shapes that make none.
type boxesAlone []*layerFault

func (b boxesAlone) Error() string { return "no shape has pixels" }

// readMask reads a mask's file; its error is a *layerFault.
func readMask(e *entry, lim raster.Limits, decode func([]byte, raster.Limits) (*format.Indexed, error)) (*format.Indexed,
	manifests.Digest, error) {
	data, err := e.read(lim.MaxBytes)
	if err != nil {
		return nil, "", &layerFault{limitReason(err, "unreadable_mask"), e.origin, remedied(err)}
	}
	m, err := decode(data, lim)
	if err != nil {
		reason := limitReason(err, "corrupt_mask")
		if errors.Is(err, format.ErrLossy) {
			reason = "lossy_mask"
		}
		return nil, "", &layerFault{reason, e.origin, remedied(err)}
	}
	return m, manifests.Sum(data), nil
}

// binaryLayer reads a figure-ground mask of the convention that opts state; set is the source that
// it is of.
func binaryLayer(e entry, set string, tier manifests.Tier, by string) layerer {
	return func(opts *Options) ([]layer, error) {
		m, digest, err := readMask(&e, opts.Limits, format.DecodeGray)
		if err != nil {
			return nil, err
		}
		l := layer{origin: e.origin, tier: tier, by: by, used: []manifests.Digest{digest}}
		if err := l.binary(m, set, opts.MaskValues); err != nil {
			return nil, err
		}
		return []layer{l}, nil
	}
}

// binary makes the mask of the picture's values, by the convention that is stated or for auto by
// the one that they show.
func (l *layer) binary(m *format.Indexed, set, stated string) (err error) {
	values := format.Values(stated)
	own, ownErr := m.Guess()
	if stated == "auto" {
		if values = own; ownErr != nil {
			return &layerFault{"bad_mask_values", l.origin, ownErr}
		}
	}
	if l.mask, err = m.Binary(values); err != nil {
		return &layerFault{"bad_mask_values", l.origin,
			fmt.Errorf("%w; --set ingest.maskValues=auto takes each mask for what its values say", err)}
	}
	if own == format.ValuesVoid128 && !m.Has(255) {
		own = format.Values128 // as far as this mask tells
	}
	_, figure, _ := l.mask.Areas()
	l.guess = guess{Values: own, Origin: l.origin, Set: set, Stated: stated != "auto", Figure: figure > 0}
	return nil
}

// put stores a mask in canonical form.
func (l *layer) put(store *manifests.Store, t *task, id string) (manifests.Mask, error) {
	m := manifests.Mask{Tier: l.tier, Provenance: manifests.Provenance{
		WasGeneratedBy: "ingest/" + cmp.Or(l.source, t.source), Used: l.used, WasAttributedTo: l.by,
	}}
	_, m.Figure, m.Void = l.mask.Areas()
	m.Status = maskStatus(&m, len(l.mask.Pix))
	if l.persons != nil {
		m.Persons = format.RLEOf(l.persons, raster.Figure).String()
	}
	var err error
	if m.Path, m.SHA256, err = store.Put("masks/"+strings.TrimPrefix(string(l.tier), "external:")+"/"+t.dir(), id, "png",
		raster.EncodeMaskPNG(l.mask)); err != nil {
		return m, fmt.Errorf("ingest: %s: %w", id, err)
	}
	return m, nil
}

// maskStatus flags masks that are legal but say little.
func maskStatus(m *manifests.Mask, pixels int) string {
	switch {
	case m.Void == pixels:
		return "void"
	case m.Figure == 0:
		return "empty"
	case m.Figure+m.Void == pixels:
		return "full"
	}
	return ""
}

// grouped puts the layers of one record together; a picture without layers is one record.
func grouped(layers []layer) [][]layer {
	if len(layers) == 0 {
		return [][]layer{nil}
	}
	var out [][]layer
	for i, l := range layers {
		if i == 0 || l.suffix != layers[i-1].suffix {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], l)
	}
	return out
}

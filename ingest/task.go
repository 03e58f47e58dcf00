package ingest

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A task is one picture that may become a record, or several.
type task struct {
	id, source, synset string
	split              manifests.Split
	image              entry
	reencoded          bool    // the source has pixels, not a file
	exif               bool    // turn upright by the EXIF tag
	layers             layerer // reads the masks; nil for none
	boxes              *boxes  // nil for none
}

// An outcome is what became of a task: records, or why there are none, for which a skip drops the
// picture. RunShard writes it as it is.
type outcome struct {
	Records  []manifests.Record
	Skips    []manifests.Skip
	Warnings []string // repairs
	Aside    []Aside  // what is left aside by rule, or the picture; without a name it is only counted
	Hash     nearHash
	Guesses  []guess
}

func (o *outcome) skip(id, reason, detail string) {
	o.Skips = append(o.Skips, manifests.Skip{Record: id, Reason: reason, Detail: detail})
}

// skip is the outcome of a picture that becomes no record.
func (t *task) skip(reason string, err error) (o outcome) {
	o.skip(t.id, reason, err.Error())
	return o
}

// run reads, judges and stores one picture with its masks. An error means that the store failed.
func (t *task) run(o *Options, store *manifests.Store) (outcome, error) {
	var hold raster.Hold
	defer hold.Release()
	opts := new(*o)
	opts.Limits = o.Limits.Within(&hold)
	var layers []layer
	var parts boxesAlone
	if t.layers != nil {
		var err error
		layers, err = t.layers(opts)
		var f *layerFault
		switch {
		case errors.As(err, &parts):
		case errors.As(err, &f):
			return t.skip(f.reason, err), nil
		case err != nil:
			return outcome{}, err
		case len(layers) == 0:
			return outcome{Aside: []Aside{{Code: "other_class"}}}, nil
		}
	}
	data, img, info, fault := t.image.picture(opts.Limits)
	if fault != nil {
		return t.skip(fault.reason, fault), nil
	}
	tag := 1
	if t.exif {
		tag = info.Orientation
	}
	upright := raster.Orient(img, tag)
	record := manifests.Record{
		ID: t.id, Source: t.source, Synset: t.synset, Split: t.split,
		Image: manifests.Image{
			Pixels: manifests.Sum(upright.Pix), Width: upright.Width, Height: upright.Height,
			Format: info.Format, Orientation: tag, Origin: t.image.origin, Notes: t.notes(&info),
		},
	}
	out := outcome{Hash: hashNear(upright)}
	for _, l := range layers {
		out.Warnings = append(out.Warnings, l.remarks...)
		parts = append(parts, l.parts...)
	}
	for _, f := range parts {
		out.skip(t.id, f.reason, f.Error())
	}
	layers, err := fitAll(layers, t, &info, tag, opts, &out)
	if err != nil {
		return t.skip("mask_size", err), nil
	}
	record.Image.Notes = append(record.Image.Notes, out.Warnings...)
	out.Warnings = slices.Clone(record.Image.Notes)
	if record.Image.Path, record.Image.SHA256, err = store.Put("images/"+t.dir(), t.id,
		raster.Extensions(info.Format)[0], data); err != nil {
		return out, fmt.Errorf("ingest: %s: %w", t.id, err)
	}
	found := t.boxes.read(&record, &out)
	for _, group := range grouped(layers) {
		r := record
		r.Image.Notes = slices.Clone(record.Image.Notes)
		var first layer
		if len(group) > 0 {
			first = group[0]
		}
		r.ID += first.suffix
		r.Boxes = found.of(first.object)
		if first.object == unknownObject {
			r.Boxes = found.around(first.mask)
		}
		for _, l := range group {
			m, err := l.put(store, t, r.ID)
			if err != nil {
				return out, err
			}
			r.Masks = append(r.Masks, m)
		}
		slices.SortFunc(r.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
		r.Tier = tier(&r)
		out.Records = append(out.Records, r)
	}
	return out, nil
}

// notes lists what was normalized, and where name and content disagree.
func (t *task) notes(info *raster.Info) []string {
	n := info.Notes
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(t.image.name), ".")); !slices.Contains(raster.Extensions(info.Format), ext) {
		n = append(n, "ext_mismatch")
	}
	if t.reencoded {
		n = append(n, "reencoded")
	}
	if !t.exif && info.Orientation != 1 {
		n = append(n, "exif_ignored")
	}
	return n
}

// dir is where a task's files lie below images/ and masks/TIER/.
func (t *task) dir() string {
	switch {
	case t.split == manifests.Test:
		return "test"
	case t.synset != "":
		return t.synset
	}
	return t.source
}

// tier is what the source's annotation of a record is worth: its best mask, else its boxes, else
// the label alone.
func tier(r *manifests.Record) manifests.Tier {
	for _, t := range []manifests.Tier{manifests.Manual, manifests.BBox, manifests.Label} {
		if _, ok := r.MaskOf(t); ok {
			return t
		}
	}
	if len(r.Boxes) > 0 {
		return manifests.BBox
	}
	return manifests.Label
}

func decodeReason(err error) string {
	switch {
	case errors.Is(err, raster.ErrFormat):
		return "not_a_picture"
	case errors.Is(err, raster.ErrLimit):
		return "too_large"
	case errors.Is(err, raster.ErrUnsupported):
		return "unsupported_picture"
	}
	return "corrupt_image"
}

// limitReason is the reason code of a file that is over a limit, else the given one.
func limitReason(err error, other string) string {
	var s *sizeError
	if errors.As(err, &s) || errors.Is(err, raster.ErrLimit) {
		return "too_large"
	}
	return other
}

// remedied adds to a refusal by size which setting allows more.
func remedied(err error) error {
	var s *sizeError
	switch {
	case errors.As(err, &s):
		return fmt.Errorf("%w; --set ingest.limits.maxBytes=%d allows it", err, s.got)
	case errors.Is(err, raster.ErrLimit):
		return fmt.Errorf("%w; --set ingest.limits.maxPixels=N allows more", err)
	}
	return err
}

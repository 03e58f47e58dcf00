package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"hdseg/ingest/raster"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// A task is one picture that may become a record.
type task struct {
	id, source, synset string
	split              manifests.Split
	image, mask        entry
	hasMask            bool
	exif               bool          // turn upright by the EXIF tag
	class              int           // number to look for in the mask; 0: the mask is figure-ground
	values             format.Values // of a figure-ground mask, or auto
	by                 string        // who drew the mask
	xml                entry         // box file still to be parsed; name "" for none
	boxes              *format.BoxFile
	boxRule            format.BoxRule
	boxNames           func(name string) bool // which objects count
}

// An outcome is what became of a task: a record, or why there is none.
type outcome struct {
	record   *manifests.Record
	skips    []manifests.Skip
	warnings []string
	other    string // set when the picture is left aside by rule
	hash     nearHash
	values   format.Values // what the mask's values look like
}

func (t *task) skip(reason string, err error) outcome {
	return outcome{skips: []manifests.Skip{{Record: t.id, Reason: reason, Detail: t.image.origin + ": " + err.Error()}}}
}

// run reads, judges and stores one picture. An error means that the store failed.
func (t *task) run(opts Options, store *manifests.Store) (outcome, error) {
	var indexed *format.Indexed
	var maskDigest manifests.Digest
	if t.hasMask {
		data, err := t.mask.read(opts.Limits.MaxBytes)
		if err != nil {
			return t.skip("unreadable_mask", err), nil
		}
		maskDigest = manifests.Sum(data)
		if indexed, err = format.DecodeIndexed(data, opts.Limits); err != nil {
			return t.skip("corrupt_mask", fmt.Errorf("%s: %w", t.mask.origin, err)), nil
		}
		if t.class != 0 && !indexed.Has(uint8(t.class)) {
			return outcome{other: "other_class"}, nil
		}
	}
	data, err := t.image.read(opts.Limits.MaxBytes)
	if err != nil {
		return t.skip(readReason(err), err), nil
	}
	img, info, err := raster.Decode(data, opts.Limits)
	if err != nil {
		return t.skip(decodeReason(err), err), nil
	}
	tag := 1
	if t.exif {
		tag = info.Orientation
	}
	upright := raster.Orient(img, tag)
	r := &manifests.Record{
		ID: t.id, Source: t.source, Synset: t.synset, Split: t.split,
		Image: manifests.Image{
			Pixels: manifests.Sum(upright.Pix), Width: upright.Width, Height: upright.Height,
			Format: info.Format, Orientation: tag, Origin: t.image.origin, Notes: info.Notes,
		},
	}
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(t.image.name), ".")); !slices.Contains(raster.Extensions(info.Format), ext) {
		r.Image.Notes = append(r.Image.Notes, "ext_mismatch")
	}
	if !t.exif && info.Orientation != 1 {
		r.Image.Notes = append(r.Image.Notes, "exif_ignored")
	}
	out := outcome{warnings: slices.Clone(r.Image.Notes), hash: hashNear(upright)}

	var mask *raster.Mask
	if indexed != nil {
		var reason string
		if mask, out.values, reason, err = t.label(indexed, info, tag); err != nil {
			return t.skip(reason, fmt.Errorf("%s: %w", t.mask.origin, err)), nil
		}
	}
	t.addBoxes(r, &out)

	dir := t.synset
	if dir == "" {
		dir = t.source
	}
	if t.split == manifests.Test {
		dir = "test"
	}
	if r.Image.Path, r.Image.SHA256, err = store.Put("images/"+dir, t.id, raster.Extensions(info.Format)[0], data); err != nil {
		return out, fmt.Errorf("ingest: %s: %w", t.id, err)
	}
	if mask != nil {
		m := manifests.Mask{Tier: manifests.Manual, Provenance: manifests.Provenance{
			WasGeneratedBy: "ingest/" + t.source, Used: []manifests.Digest{maskDigest}, WasAttributedTo: t.by,
		}}
		_, m.Figure, m.Void = mask.Areas()
		m.Status = maskStatus(mask, m)
		if m.Path, m.SHA256, err = store.Put("masks/manual/"+dir, t.id, "png", raster.EncodeMaskPNG(mask)); err != nil {
			return out, fmt.Errorf("ingest: %s: %w", t.id, err)
		}
		r.Masks = []manifests.Mask{m}
	}
	r.Tier = t.tier(r)
	out.record = r
	return out, nil
}

// tier is what the source's annotation is worth.
func (t *task) tier(r *manifests.Record) manifests.Tier {
	switch {
	case len(r.Masks) > 0:
		return manifests.Manual
	case len(r.Boxes) > 0:
		return manifests.BBox
	}
	return manifests.Label
}

// maskStatus flags masks that are legal but say little.
func maskStatus(mask *raster.Mask, m manifests.Mask) string {
	switch n := len(mask.Pix); {
	case m.Void == n:
		return "void"
	case m.Figure == 0:
		return "empty"
	case m.Figure+m.Void == n:
		return "full"
	}
	return ""
}

// label turns a source's mask into figure, ground and void, upright like its picture. A mask that was already drawn on
// the upright picture, which its size shows, stays as it is.
func (t *task) label(indexed *format.Indexed, info raster.Info, tag int) (mask *raster.Mask, values format.Values, reason string, err error) {
	if t.class != 0 {
		mask = indexed.Figure(uint8(t.class))
	} else {
		if values, err = indexed.Guess(); err != nil {
			return nil, "", "bad_mask_values", err
		}
		if t.values != "auto" {
			values = t.values
		}
		if mask, err = indexed.Binary(values); err != nil {
			return nil, "", "bad_mask_values", err
		}
	}
	stored := mask.Width == info.Width && mask.Height == info.Height
	turned := tag >= 5 && mask.Width == info.Height && mask.Height == info.Width
	switch {
	case stored:
		return raster.OrientMask(mask, tag), values, "", nil
	case turned:
		return mask, values, "", nil
	}
	return nil, "", "mask_size", fmt.Errorf("size: got %d x %d, want the picture's %d x %d", mask.Width, mask.Height, info.Width, info.Height)
}

// addBoxes converts the boxes of the objects that count; each one that cannot be used is a skip of its own.
func (t *task) addBoxes(r *manifests.Record, out *outcome) {
	boxes := t.boxes
	if t.xml.name != "" {
		data, err := t.xml.read(format.MaxBoxBytes)
		if err == nil {
			boxes, err = format.ParseBoxes(data)
		}
		if err != nil {
			out.skips = append(out.skips, manifests.Skip{Record: t.id, Reason: "bad_box_file", Detail: t.xml.origin + ": " + err.Error()})
			return
		}
	}
	if boxes == nil {
		return
	}
	for i, o := range boxes.Objects {
		if !t.boxNames(o.Name) {
			out.warnings = append(out.warnings, "box_of_other_class")
			continue
		}
		b, clipped, swapped, err := boxes.Pixels(i, t.boxRule, r.Image.Width, r.Image.Height)
		if err != nil {
			var f *format.BoxFault
			errors.As(err, &f)
			out.skips = append(out.skips, manifests.Skip{Record: t.id, Reason: f.Reason, Detail: f.Detail})
			continue
		}
		if clipped {
			out.warnings = append(out.warnings, "box_clipped")
		}
		if swapped {
			out.warnings = append(out.warnings, "box_swapped")
		}
		r.Boxes = append(r.Boxes, b)
	}
	slices.SortFunc(r.Boxes, func(a, b manifests.Box) int {
		return cmp.Or(cmp.Compare(a.YMin, b.YMin), cmp.Compare(a.XMin, b.XMin), cmp.Compare(a.YMax, b.YMax), cmp.Compare(a.XMax, b.XMax))
	})
	r.Boxes = slices.Compact(r.Boxes)
}

func readReason(err error) string {
	var s *sizeError
	if errors.As(err, &s) {
		return "too_large"
	}
	return "unreadable_image"
}

func decodeReason(err error) string {
	switch {
	case errors.Is(err, raster.ErrFormat):
		return "not_a_picture"
	case errors.Is(err, raster.ErrLimit):
		return "too_large"
	}
	return "corrupt_image"
}

package ingest

import (
	"cmp"
	"errors"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// boxes are a picture's box annotation: a file that was parsed while listing, or one still to be parsed.
type boxes struct {
	file  *format.BoxFile
	xml   entry // parsed when the task runs; name "" for none
	rule  format.BoxRule
	names func(name string) bool // which objects count
}

// foundBoxes are the usable boxes of a picture by the number of their object in the file, from 1.
type foundBoxes []struct {
	object int
	box    manifests.Box
}

// read converts the boxes of the objects that count; each one that cannot be used is a skip of its own.
func (b *boxes) read(r *manifests.Record, out *outcome) foundBoxes {
	file := b.file
	if b.xml.name != "" {
		data, err := b.xml.read(format.MaxBoxBytes)
		if err == nil {
			file, err = format.ParseBoxes(data)
		}
		if err != nil {
			out.skips = append(out.skips, manifests.Skip{Record: r.ID, Reason: "bad_box_file", Detail: b.xml.origin + ": " + err.Error()})
			return nil
		}
	}
	if file == nil {
		return nil
	}
	var found foundBoxes
	for i, o := range file.Objects {
		if !b.names(o.Name) {
			out.aside = append(out.aside, "box_of_other_class")
			continue
		}
		box, clipped, swapped, err := file.Pixels(i, b.rule, r.Image.Width, r.Image.Height)
		if err != nil {
			var f *format.BoxFault
			errors.As(err, &f)
			out.skips = append(out.skips, manifests.Skip{Record: r.ID, Reason: f.Reason, Detail: f.Detail})
			continue
		}
		if clipped {
			out.warnings = append(out.warnings, "box_clipped")
		}
		if swapped {
			out.warnings = append(out.warnings, "box_swapped")
		}
		found = append(found, struct {
			object int
			box    manifests.Box
		}{i + 1, box})
	}
	return found
}

// of returns the boxes of one object, or of all when it is 0: sorted from top to bottom, each once.
func (f foundBoxes) of(object int) []manifests.Box {
	var out []manifests.Box
	for _, b := range f {
		if object == 0 || b.object == object {
			out = append(out, b.box)
		}
	}
	slices.SortFunc(out, func(a, b manifests.Box) int {
		return cmp.Or(cmp.Compare(a.YMin, b.YMin), cmp.Compare(a.XMin, b.XMin), cmp.Compare(a.YMax, b.YMax), cmp.Compare(a.XMax, b.XMax))
	})
	return slices.Compact(out)
}

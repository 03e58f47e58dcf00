package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// boxes are a picture's box annotation, parsed while listing: all files of a set show its base.
type boxes struct {
	file   *format.BoxFile        // nil for none
	origin string                 // of the file
	fault  error                  // why there is a file that could not be used
	rule   *format.BoxRule        // of the set; its base is known when the set is listed
	names  func(name string) bool // which objects count
}

// asideLabels is how many labels of other classes are named.
const asideLabels = 5

// parseBoxXML reads a box file whole.
func parseBoxXML(e *entry) (*format.BoxFile, manifests.Digest, error) {
	var f *format.BoxFile
	data, err := e.read(format.MaxBoxBytes)
	if err == nil {
		f, err = format.ParseBoxXML(data)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", e.origin, err)
	}
	return f, manifests.Sum(data), nil
}

// zeroBased tells whether a box file shows that its set counts from 0, by a box that fits the
// picture, which is decoded only where that matters; without a picture (nil) the file's size
// counts.
func (l *lister) zeroBased(f *format.BoxFile, rule format.BoxRule, image *entry) bool {
	width, height := f.Width, f.Height
	if width <= 0 || height <= 0 {
		width, height = 1<<24, 1<<24
	}
	if l.opts.BoxBase != "auto" || !f.ZeroBased(rule, width, height) {
		return false
	}
	if image == nil {
		return true
	}
	_, _, info, fault := image.picture(l.opts.Limits) // its task says why it cannot be read
	return fault == nil && f.ZeroBased(rule, info.Width, info.Height)
}

// boxBase is the number of the first pixel in a set of box files, by the options or for auto by
// fromZero: the first file of which zeroBased holds, "" for none.
func (l *lister) boxBase(fromZero string) int {
	if l.opts.BoxBase == "0" {
		return 0
	}
	if l.opts.BoxBase == "auto" && fromZero != "" {
		l.Warnings["boxes_count_from_0"]++
		l.FromZero = append(l.FromZero, fromZero)
		return 0
	}
	return 1
}

// foundBoxes are the usable boxes of a picture.
type foundBoxes []foundBox

type foundBox struct {
	object int // its number in the file, from 1
	box    manifests.Box
}

// read converts the boxes of the objects that count. Each that cannot be used is a skip.
func (b *boxes) read(r *manifests.Record, out *outcome) foundBoxes {
	if b == nil {
		return nil
	}
	if b.fault != nil {
		out.skip(r.ID, "bad_box_file", b.fault.Error()+"; the picture is kept without boxes")
	}
	if b.file == nil {
		return nil
	}
	var found foundBoxes
	for i, o := range b.file.Objects {
		if !b.names(o.Name) {
			a := Aside{Code: "box_of_other_class"}
			if i < len(b.file.Lines) { // of a table, which somebody wrote for this class
				a.Name = fmt.Sprintf("%s: line %d: %s", b.origin, b.file.Lines[i], o.Name)
			}
			out.Aside = append(out.Aside, a)
			continue
		}
		box, repairs, f := b.file.Pixels(i, *b.rule, r.Image.Width, r.Image.Height)
		if f != nil {
			out.skip(r.ID, f.Reason, b.origin+": "+f.Detail+"; the picture is kept without this box")
			continue
		}
		out.Warnings = append(out.Warnings, repairs...)
		found = append(found, foundBox{i + 1, box})
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
	return sortedBoxes(out)
}

// around returns the box that fits the bounds of a mask's figure best, none if none meets them.
func (f foundBoxes) around(m *raster.Mask) (out []manifests.Box) {
	x, y, w, h := format.RLEOf(m, raster.Figure).Bounds()
	area := func(b manifests.Box) int { return max(0, b.XMax-b.XMin) * max(0, b.YMax-b.YMin) }
	best := 0.0
	for _, b := range f {
		in := manifests.Box{XMin: max(x, b.box.XMin), YMin: max(y, b.box.YMin), XMax: min(x+w, b.box.XMax), YMax: min(y+h, b.box.YMax)}
		if fit := float64(area(in)) / float64(area(b.box)+w*h-area(in)); !in.Empty() && fit > best {
			best, out = fit, []manifests.Box{b.box}
		}
	}
	return out
}

// folderTables reads the box tables: each belongs to the folder images beside it, or, where there
// is none, to the only one that there is.
func (l *lister) folderTables(csvs []entry, sets []*folderSet) error {
	for _, csv := range csvs {
		parent := path.Dir(csv.name)
		if parent == "." {
			parent = ""
		}
		i := slices.IndexFunc(sets, func(s *folderSet) bool { return s.parent == parent })
		switch {
		case i < 0 && len(sets) == 1:
			i = 0
		case i < 0:
			l.lost(csv.origin, "box_without_image",
				"there are several folders images and none beside this table: put each set's own table beside its images")
			continue
		}
		s := sets[i]
		if s.table != "" {
			l.lost(csv.origin, "duplicate_box_table", s.table+" was read before, one is allowed for each folder images")
			continue
		}
		s.table, s.boxes = csv.origin, map[string]*format.BoxFile{}
		table, err := l.folderBoxes(&csv, s.images)
		if err != nil {
			return err
		}
		var found []format.Found
		found, s.rowFaults = s.find(slices.Sorted(maps.Keys(table)), true, l.Warnings)
		for _, to := range found {
			f := table[to.Name]
			if old := s.boxes[to.File]; old != nil {
				f.Objects, f.Lines = slices.Concat(old.Objects, f.Objects), slices.Concat(old.Lines, f.Lines)
			}
			s.boxes[to.File] = f
		}
	}
	return nil
}

// folderBoxes reads a folder's box table, by folderKey. Pictures are named by their path in images,
// or by one that leads there, with or without a picture's extension; what else ends a name, as in
// p0.v1, is part of it. images are the pictures by their keys. A table that cannot be read is an
// error.
func (l *lister) folderBoxes(csv *entry, images map[string]entry) (map[string]*format.BoxFile, error) {
	data, err := csv.read(1 << 30)
	if err != nil {
		return nil, fmt.Errorf("ingest: %s: %w", csv.origin, err)
	}
	table, err := format.ParseBoxCSV(data)
	if err != nil {
		return nil, fmt.Errorf("ingest: %s: %w", csv.origin, err)
	}
	for _, column := range table.Unread {
		l.aside("box_table_column", csv.origin+": "+column)
	}
	for _, err := range table.Lost {
		l.lost(csv.origin, "bad_box_file", fmt.Sprintf("%s: %v; the other rows are read", csv.origin, err))
	}
	l.otherLabels(csv.origin, table)
	out := make(map[string]*format.BoxFile, len(table.Files))
	for _, name := range slices.Sorted(maps.Keys(table.Files)) {
		f := table.Files[name]
		rest := format.CleanPath(name)
		if _, kind, below := folderPart(rest); kind == "images" {
			rest = below
		}
		key := folderKey(rest)
		_, _, file := folderPart(images[key].name)
		if file != rest && (format.PictureStem(rest) == rest || file == "" && images[fullKey(rest)].name != "") {
			key = fullKey(rest)
		}
		f.Filename = name // for messages
		if old := out[key]; old != nil {
			old.Objects, old.Lines = append(old.Objects, f.Objects...), append(old.Lines, f.Lines...)
			continue
		}
		out[key] = f
	}
	return out, nil
}

// ours tells whether a row of a box table is of the class by its label.
func (l *lister) ours(label string) bool {
	return label == "" || strings.EqualFold(label, l.class.Name) || l.synsets[label] != ""
}

// otherLabels notes how many rows of a box table have another label than the class's, and which.
func (l *lister) otherLabels(origin string, table *format.BoxTable) {
	all, other, rows := 0, 0, map[string]int{} // rows of each label
	for _, f := range table.Files {
		for _, o := range f.Objects {
			if all++; !l.ours(o.Name) {
				rows[o.Name]++
				other++
			}
		}
	}
	if other == 0 {
		return
	}
	class := l.class.Name
	labels := slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return cmp.Or(rows[b]-rows[a], cmp.Compare(a, b)) })
	var names, near []string
	for _, label := range labels {
		names = append(names, fmt.Sprintf("%s (%d)", label, rows[label]))
		if format.Near(label, class) || format.Distance(strings.ToLower(label), strings.ToLower(class)) <= max(1, len(class)/3) {
			near = append(near, label)
		}
	}
	line := fmt.Sprintf("%s: left aside %d of %d rows, whose label is not %s: %s", origin, other, all, class, format.Some(names, asideLabels))
	if len(near) > 0 {
		line += fmt.Sprintf(" (is %s meant to be %s?)", strings.Join(near, ", "), class)
	}
	if other == all {
		line += fmt.Sprintf("; no row is left: write %s into the label column, or %s", class, format.NameClass(slices.Concat(near, labels)[0]))
	}
	l.Labels = append(l.Labels, line)
}

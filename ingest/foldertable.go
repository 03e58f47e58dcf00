package ingest

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"hdseg/manifests/format"
)

// folderRows are the boxes that a table has for a picture.
type folderRows struct {
	file   *format.BoxFile
	origin string // of the table
}

// folderTables reads the box tables: each belongs to the folder images beside it, or, where there is none, to the only one that there is.
func (l *lister) folderTables(csvs []entry, pictures []folderName) (map[folderName]folderRows, error) {
	beside := map[string]string{} // the table that was read, by parent
	for _, k := range pictures {
		beside[k.parent] = ""
	}
	out := map[folderName]folderRows{}
	for _, csv := range csvs {
		parent := path.Dir(csv.name)
		if parent == "." {
			parent = ""
		}
		old, ok := beside[parent]
		if !ok && len(beside) == 1 {
			parent = pictures[0].parent
			old, ok = beside[parent]
		}
		if !ok {
			l.lost(csv.origin, "box_without_image", "there are several folders images and none beside this table: put each set's own table beside its images")
			continue
		}
		if old != "" {
			l.lost(csv.origin, "duplicate_box_table", old+" was read before, one is allowed for each folder images")
			continue
		}
		beside[parent] = csv.origin
		table, err := l.folderBoxes(&csv)
		if err != nil {
			return nil, err
		}
		for key, f := range table {
			out[folderName{parent, key}] = folderRows{f, csv.origin}
		}
	}
	return out, nil
}

// folderBoxes reads a folder's box table, by folderKey: pictures are named by their path in images, or by one that leads there. A table that cannot be read is an error: it stands for all pictures.
func (l *lister) folderBoxes(csv *entry) (map[string]*format.BoxFile, error) {
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
	out := make(map[string]*format.BoxFile, len(table.Files))
	for _, name := range slices.Sorted(maps.Keys(table.Files)) {
		f := table.Files[name]
		rest := path.Clean(slashed(name))
		if _, kind, below := folderPart(rest); kind == "images" {
			rest = below
		}
		key := folderKey(rest)
		f.Filename = name // for messages
		if old := out[key]; old != nil {
			old.Objects, old.Lines = append(old.Objects, f.Objects...), append(old.Lines, f.Lines...)
			continue
		}
		out[key] = f
	}
	return out, nil
}

package ingest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// listFolder lists a plain folder: pictures in images/, for each a mask of the same stem in masks/, or boxes in boxes.csv
// (format.ParseBoxCSV). Pictures of the test split must have a mask; training pictures without mask are of the bbox or
// the label tier.
func (l *lister) listFolder(root string, split manifests.Split) error {
	images, masks := map[string]entry{}, map[string]entry{} // by sameName
	var order []string
	var csv *entry
	err := l.walk(root, nil, func(e entry) error {
		kind, rest := folderPart(e.name)
		switch {
		case kind == "" && path.Base(e.name) == "boxes.csv":
			csv = &e
			return nil
		case kind == "" || !pictureName(e.name):
			l.other["other_file"]++
			return nil
		}
		key, to := sameName(rest), images
		if kind == "masks" {
			to = masks
		}
		if old, ok := to[key]; ok {
			l.add(task{id: safeID(rest)}, "duplicate_id", e.origin+": "+old.origin+" has this name and is kept")
			return nil
		}
		to[key] = e
		if kind == "images" {
			order = append(order, key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(order) == 0 {
		return errNothing("pictures in a folder images", root)
	}
	table, err := l.folderBoxes(csv)
	if err != nil {
		return err
	}
	ours := func(n string) bool { return n == "" || n == l.class.Name }
	for _, key := range order {
		_, rest := folderPart(images[key].name)
		id := safeID(rest)
		t := task{
			id: id, source: "folder", split: split, image: images[key], exif: l.opts.FolderExif,
			boxes: boxes{file: table[key], rule: format.BoxCSVRule, names: ours},
		}
		if m := imageNetName.FindStringSubmatch(id + ".x"); m != nil {
			t.synset = m[1]
		}
		if mask, ok := masks[key]; ok {
			t.layers = binaryLayer(mask, manifests.Manual, "")
		} else if split == manifests.Test {
			l.add(t, "missing_mask", fmt.Sprintf("%s has no file of the same name in masks", t.image.origin))
			continue
		}
		l.tasks = append(l.tasks, t)
	}
	for id := range masks {
		if _, ok := images[id]; !ok {
			l.other["mask_without_image"]++
		}
	}
	for id := range table {
		if _, ok := images[id]; !ok {
			l.other["box_without_image"]++
		}
	}
	return nil
}

// folderPart finds the last folder images or masks on the way to a file, and the path below it.
func folderPart(name string) (kind, rest string) {
	parts := strings.Split(name, "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "images" || parts[i] == "masks" {
			return parts[i], strings.Join(parts[i+1:], "/")
		}
	}
	return "", ""
}

// folderBoxes reads a folder's box table, by sameName. A table that cannot be read is an error: it stands for all pictures.
func (l *lister) folderBoxes(csv *entry) (map[string]*format.BoxFile, error) {
	if csv == nil {
		return nil, nil
	}
	data, err := csv.read(1 << 30)
	if err != nil {
		return nil, fmt.Errorf("ingest: %s: %w", csv.origin, err)
	}
	byName, err := format.ParseBoxCSV(data)
	if err != nil {
		return nil, fmt.Errorf("ingest: %s: %w", csv.origin, err)
	}
	out := make(map[string]*format.BoxFile, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		f := byName[name]
		key := sameName(path.Clean(strings.TrimPrefix(slashed(name), "images/")))
		if old := out[key]; old != nil {
			old.Objects = append(old.Objects, f.Objects...)
			continue
		}
		out[key] = f
	}
	return out, nil
}

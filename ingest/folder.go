package ingest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// listFolder lists a plain folder: pictures in images/, for each a mask of the same stem in masks/, or boxes in boxes.csv
// (format.ParseBoxCSV). Pictures of the test split must have a mask; training pictures without mask are of the bbox or
// the label tier.
func (l *lister) listFolder(root string, split manifests.Split) error {
	images, masks := map[string]entry{}, map[string]entry{} // by folderKey
	var order []string
	var csv *entry
	err := l.walk(root, nil, func(e entry) error {
		kind, rest := folderPart(e.name)
		to := images
		switch {
		case kind == "" && path.Base(e.name) == "boxes.csv" && csv == nil:
			csv = &e
			return nil
		case kind == "" && path.Base(e.name) == "boxes.csv":
			l.lost(e.origin, "duplicate_box_table", csv.origin+" was read before, one is allowed")
			return nil
		case kind == "" && pictureName(e.name):
			l.aside("picture_outside_images", e.origin)
			return nil
		case kind == "":
			l.aside("other_file", e.origin)
			return nil
		case kind == "masks":
			to = masks
			if !l.maskFile(e) {
				return nil
			}
		case !pictureName(e.name) && !l.stray(e):
			return nil
		}
		key := folderKey(rest)
		if old, ok := to[key]; ok {
			l.add(task{id: folderID(rest)}, "duplicate_id", e.origin+": "+old.origin+" has this name and is kept")
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
		id := folderID(rest)
		t := task{
			id: id, source: "folder", split: split, image: images[key], exif: l.opts.FolderExif,
		}
		if file := table[key]; file != nil {
			t.boxes = &boxes{file: file, rule: format.BoxCSVRule, names: ours}
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
		l.tasks = append(l.tasks, &t)
	}
	for key, e := range masks {
		if _, ok := images[key]; !ok {
			l.lost(key, "mask_without_image", e.origin+": images has no picture of the same name but for the extension")
		}
	}
	for key, f := range table {
		if _, ok := images[key]; !ok {
			l.lost(key, "box_without_image", fmt.Sprintf("%s: %d rows belong to a picture %s that images does not have", csv.origin, len(f.Objects), f.Filename))
		}
	}
	return nil
}

// folderID is the id of a picture or mask by its path in images or masks. A name without a picture's extension loses what is after its last dot.
func folderID(rest string) string {
	if !pictureName(rest) {
		rest = stem(rest)
	}
	return safeID(rest)
}

// folderKey is the key under which the pictures and masks of a folder find each other: names that are equal but for the composition of their
// accents are one name, since some systems change it when they copy.
func folderKey(rest string) string { return folderID(norm.NFC.String(rest)) }

// maskFile tells whether a file in masks is a mask by its name or content; otherwise it says what becomes of it.
func (l *lister) maskFile(e entry) bool {
	if pictureName(e.name) {
		return true
	}
	before := len(l.skips)
	if l.stray(e) {
		return true
	}
	if len(l.skips) > before { // what stray refuses counts as a picture, which a mask is not
		l.read--
		l.dropped--
		l.skips[before].Reason = "unsupported_mask"
	}
	return false
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

// folderBoxes reads a folder's box table, by folderKey. A table that cannot be read is an error: it stands for all pictures.
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
		key := folderKey(path.Clean(strings.TrimPrefix(slashed(name), "images/")))
		f.Filename = name // for messages
		if old := out[key]; old != nil {
			old.Objects = append(old.Objects, f.Objects...)
			continue
		}
		out[key] = f
	}
	return out, nil
}

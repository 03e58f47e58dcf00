package ingest

import (
	"fmt"
	"path"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// listTest lists the test split: pictures in images/ and their masks, of the same stem, in masks/.
func (l *lister) listTest(root string) error {
	images, masks := map[string]entry{}, map[string]entry{}
	var order []string
	err := l.walk(root, nil, func(e entry) error {
		parts := strings.Split(e.name, "/")
		at := len(parts) - 2
		for at >= 0 && parts[at] != "images" && parts[at] != "masks" {
			at--
		}
		if at < 0 || !pictureName(e.name) {
			l.other["other_file"]++
			return nil
		}
		id := safeID(strings.Join(parts[at+1:], "/"))
		to := images
		if parts[at] == "masks" {
			to = masks
		}
		if old, ok := to[id]; ok {
			l.skips = append(l.skips, manifests.Skip{Record: id, Reason: "duplicate_id", Detail: e.origin + ": " + old.origin + " has this id and is kept"})
			return nil
		}
		to[id] = e
		if parts[at] == "images" {
			order = append(order, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(order) == 0 {
		return errNothing("pictures in a folder images", root)
	}
	for _, id := range order {
		mask, ok := masks[id]
		t := task{
			id: id, source: "folder", split: manifests.Test, image: images[id], mask: mask, hasMask: true,
			exif: l.opts.FolderExif, values: format.Values(l.opts.MaskValues),
		}
		if m := imageNetName.FindStringSubmatch(id + ".x"); m != nil {
			t.synset = m[1]
		}
		if !ok {
			l.add(t, "missing_mask", fmt.Sprintf("%s has no file of the same name in masks", images[id].origin))
			continue
		}
		l.tasks = append(l.tasks, t)
	}
	return nil
}

// safeID turns a picture's path inside its folder into an id that is safe as a file name anywhere: without extension,
// every byte but letters, digits, '-', '_' and '.' written as %XX, a leading dot too.
func safeID(name string) string {
	name = strings.TrimSuffix(name, path.Ext(name))
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

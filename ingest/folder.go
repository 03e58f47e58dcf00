package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// listFolder lists a plain folder: pictures in images/, for each a mask of the same stem in masks/,
// or boxes in boxes.csv (format.ParseBoxCSV). Pictures of the test split must have a mask; training
// pictures without mask are of the bbox or the label tier.
func (l *lister) listFolder(root string, split manifests.Split) error {
	files := map[string][]entry{} // in images and in masks
	var csvs, labels []entry
	var unread []entry // in masks, neither pictures nor refused
	// how images and masks are spelled where they are, by the folder that holds them
	kinds := map[string]map[string]string{}
	isImage := func(p string) bool { _, kind, _ := folderPart(p); return kind == "images" }
	err := l.walk(root, isImage, func(e entry) error {
		parent, kind, rest := folderPart(e.name)
		switch {
		case format.IsLabelMap(e.name) && l.labelFile(e, &labels, nil):
		case kind == "masks" && l.maskFile(e, &unread), kind == "images" && (pictureName(e.name) || l.stray(e, l.folderID(rest))):
			if kinds[parent] == nil {
				kinds[parent] = map[string]string{}
			}
			spelled, _, _ := strings.Cut(strings.TrimPrefix(e.name[len(parent):], "/"), "/")
			if old := kinds[parent][kind]; old != "" && old != spelled {
				return fmt.Errorf("ingest: %s: got the folders %s and %s beside each other, want one: join them",
					path.Join(path.Base(root), parent), old, spelled)
			}
			kinds[parent][kind] = spelled
			files[kind] = append(files[kind], e)
		case kind != "": // which said so
		case strings.EqualFold(path.Base(e.name), "boxes.csv"):
			csvs = append(csvs, e)
		case pictureName(e.name):
			l.aside("picture_outside_images", e.origin)
		case !l.labelFile(e, &labels, nil):
			l.aside("other_file", e.origin)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var sets []*folderSet
	byParent := map[string]*folderSet{}
	setOf := func(e entry) (s *folderSet, kind, rest string) {
		parent, kind, rest := folderPart(e.name)
		if len(kinds[parent]) < 2 {
			parent = outsideArchives(parent)
		}
		if byParent[parent] == nil {
			byParent[parent] = &folderSet{parent: parent, images: map[string]entry{}, masks: map[string]entry{}}
			sets = append(sets, byParent[parent])
		}
		return byParent[parent], kind, rest
	}
	// images first: the order of sets is that of their pictures
	for _, e := range slices.Concat(files["images"], files["masks"]) {
		s, kind, rest := setOf(e)
		to, key := s.images, folderKey(rest)
		if kind == "masks" {
			to = s.masks
		}
		old, ok := to[key]
		switch {
		case ok && kind == "masks":
			l.lost(l.folderID(rest), "duplicate_id", e.origin+": the mask "+old.origin+" has this name and is kept")
		case ok:
			l.drop(l.folderID(rest), "duplicate_id", e.origin+": "+old.origin+" has this name and is kept")
		case kind == "images":
			s.order = append(s.order, key)
			fallthrough
		default:
			to[key] = e
		}
	}
	pictured := slices.DeleteFunc(slices.Clone(sets), func(s *folderSet) bool { return len(s.order) == 0 })
	if len(pictured) == 0 {
		want := "images/ with the pictures and masks/ with masks of the same names"
		return l.errNothing("pictures in a folder images", want, root, "images", "Images")
	}
	if split == manifests.Test && len(pictured) > 1 {
		l.severalTests(root, pictured)
	}
	for _, s := range sets {
		l.matchMasks(s)
	}
	for _, e := range unread {
		s, _, rest := setOf(e)
		key := folderKey(rest)
		_, hasImage := s.images[key]
		if _, hasMask := s.masks[key]; hasImage && !hasMask {
			l.lost(l.folderID(rest), "unsupported_mask",
				fmt.Sprintf("%s: got a file %s for the picture's mask, want PNG, BMP, GIF or lossless WebP of the same "+
					"name", e.origin, path.Ext(rest)))
		} else {
			l.aside("other_file", e.origin)
		}
	}
	if err := otherNames(path.Base(root), sets); err != nil {
		return err
	}
	if err := l.folderTables(csvs, pictured); err != nil {
		return err
	}
	if len(labels) == 0 {
		l.mapsAbove(root) // which names them
	}
	read, err := l.folderMasks(labels, sets, same(root))
	if err != nil {
		return err
	}
	for _, s := range sets {
		l.addFolder(s, split, read)
	}
	return nil
}

// A folderSet is a folder with images, and the masks and boxes beside them. Pictures, masks and
// rows of the box table find each other by folderKey.
type folderSet struct {
	parent        string   // what holds images and masks
	order         []string // of the images
	images, masks map[string]entry
	maskFaults    map[string]error // why masks belong to no picture

	table     string // the origin of its box table, "" for none
	boxes     map[string]*format.BoxFile
	rowFaults map[string]error // why boxes belong to no picture
}

// find finds the pictures that names mean, and counts those that are found elsewhere. What has no
// picture is found under its own name.
func (s *folderSet) find(names []string, join bool, remarks map[string]int) (found []format.Found, faults map[string]error) {
	found, faults = format.NewPaths(s.order).FindAll(names, join), map[string]error{}
	for i := range found {
		switch f := &found[i]; {
		case f.Err != nil:
			f.File, faults[f.Name] = f.Name, f.Err
		case f.How != "":
			remarks[f.How]++
		}
	}
	return found, faults
}

// matchMasks gives masks in other folders or spellings than their pictures the keys of those.
func (l *lister) matchMasks(s *folderSet) {
	var found []format.Found
	found, s.maskFaults = s.find(slices.Sorted(maps.Keys(s.masks)), false, l.Warnings)
	move := func(from, to string) {
		if from != to {
			s.masks[to] = s.masks[from]
			delete(s.masks, from)
		}
	}
	for _, f := range found {
		move(f.Name, f.File)
	}
	// p0.jpg.png of p0.jpg
	for _, key := range slices.Sorted(maps.Keys(s.masks)) {
		to := stem(key)
		image, ok := s.images[to]
		if _, own := s.images[key]; own || !ok || s.masks[to].name != "" {
			continue
		}
		if _, _, rest := folderPart(image.name); pictureName(key) && fullKey(rest) == key {
			move(key, to)
		}
	}
}

// addFolder adds the pictures of a set, and names masks and boxes without one.
func (l *lister) addFolder(s *folderSet, split manifests.Split, read func(mask entry) layerer) {
	for _, key := range s.order {
		_, _, rest := folderPart(s.images[key].name)
		id := l.folderID(rest)
		t := task{
			id: id, source: "folder", synset: idSynset(id), split: l.splitOf(id, split), image: s.images[key], exif: true,
		}
		if was, ok := l.exported[id]; ok && was == "" && path.Base(s.parent) == string(manifests.Test) {
			t.split = manifests.Test
		}
		if t.split != split {
			l.Warnings[testOfExport]++
		}
		if b, ok := s.boxes[key]; ok {
			t.boxes = &boxes{file: b, origin: s.table, rule: &format.BoxCSVRule, names: l.ours}
		}
		if mask, ok := s.masks[key]; ok {
			t.layers = read(mask)
		} else if t.split == manifests.Test {
			l.drop(t.id, "missing_mask", fmt.Sprintf("%s has no file of the same name in masks", t.image.origin))
			continue
		}
		l.tasks = append(l.tasks, &t)
	}
	for key, e := range s.masks {
		if _, ok := s.images[key]; !ok {
			l.lost(keyID(key), "mask_without_image", e.origin+": the folder images beside masks has no picture of the same "+
				"name but for the extension"+format.Candidates(s.maskFaults[key]))
		}
	}
	for key, b := range s.boxes {
		if _, ok := s.images[key]; !ok {
			rows := "1 row belongs"
			if n := len(b.Objects); n != 1 {
				rows = fmt.Sprintf("%d rows belong", n)
			}
			l.lost(keyID(key), "box_without_image", fmt.Sprintf("%s: line %d: %s to a picture %s that images does not have%s", s.table,
				b.Lines[0], rows, b.Filename, format.Candidates(s.rowFaults[key])))
		}
	}
}

// folderMasks returns how masks are read: by the label map of their folder or above it, the nearest
// one, else by one that lies beside them, else as figure and ground. Masks beside a subset that has
// a map of its own are refused if they have none. Maps that are not used are left aside.
func (l *lister) folderMasks(labels []entry, sets []*folderSet, source string) (func(mask entry) layerer, error) {
	of, err := mapsOf(labels, sets)
	if err != nil {
		return nil, err
	}
	type labeled struct {
		labels *format.LabelMap
		class  uint8
	}
	maps, used := map[string]*labeled{}, map[string]bool{} // by the origin of the map
	for _, e := range of {
		if e == nil || maps[e.origin] != nil {
			continue
		}
		var theirs []entry
		for _, s := range sets {
			for _, mask := range s.masks {
				if o := of[path.Dir(mask.name)]; o != nil && o.origin == e.origin {
					theirs = append(theirs, mask)
				}
			}
		}
		file, m, class, err := l.labelsOf(e, labels, theirs, path.Dir(e.origin))
		if err != nil {
			return nil, err
		}
		maps[e.origin], used[file] = &labeled{m, class}, true
	}
	l.mapsNotUsed(labels, func(e entry) bool { return used[e.origin] })
	return func(mask entry) layerer {
		if e := of[path.Dir(mask.name)]; e != nil {
			m := maps[e.origin]
			return labelLayer(mask, m.labels, m.class)
		}
		return binaryLayer(mask, source, manifests.Manual, "")
	}, nil
}

// mapsOf returns the label map of every folder of masks, nil for none.
func mapsOf(labels []entry, sets []*folderSet) (map[string]*entry, error) {
	of, parent := map[string]*entry{}, map[string]string{}
	own := map[string]bool{} // folders with maps that lie at or above masks
	for _, s := range sets {
		for _, mask := range s.masks {
			dir := path.Dir(mask.name)
			if _, seen := of[dir]; seen {
				continue
			}
			of[dir], parent[dir] = nil, cmp.Or(s.parent, ".")
			above := slices.DeleteFunc(slices.Clone(labels), func(e entry) bool { return !within(path.Dir(e.name), dir) })
			if e := nearest(dir, above); e != nil {
				of[dir], own[path.Dir(e.name)] = e, true
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(of)) {
		if of[dir] != nil {
			continue
		}
		e := nearest(parent[dir], slices.DeleteFunc(slices.Clone(labels), func(e entry) bool { return own[path.Dir(e.name)] }))
		if of[dir] = e; e != nil {
			continue
		}
		if other := nearest(parent[dir], labels); other != nil {
			return nil, fmt.Errorf("ingest: %s: its masks have no label map, those beside it have: %s: copy the map that is theirs, or "+
				"one for all into the folder above", dir, other.origin)
		}
	}
	return of, nil
}

// otherNames refuses a folder in which no mask finds its picture because masks are named otherwise,
// or in which masks lie among the pictures: nothing there is what it should be.
func otherNames(root string, sets []*folderSet) error {
	where := "images"
	for _, s := range sets {
		if slices.ContainsFunc(s.order, func(key string) bool { return s.masks[key].name != "" }) {
			return nil
		}
		if len(s.masks) > 0 {
			where = "masks"
		}
	}
	for _, s := range sets {
		masks := s.images
		if where == "masks" {
			masks = s.masks
		}
		for _, key := range slices.Sorted(maps.Keys(masks)) {
			mask, name := masks[key], format.Unmasked(key)
			ext := strings.ToLower(path.Ext(mask.name))
			picture, is := s.images[name]
			if is && name != key && (where == "masks" || ext != ".jpg" && ext != ".jpeg") {
				return fmt.Errorf("ingest: %s: no picture has a mask of its name in masks/: got %s/%s for %s, want masks/%s.png: rename or "+
					"move the masks", root, where, path.Base(mask.name), path.Base(picture.name), stem(path.Base(picture.name)))
			}
		}
	}
	return nil
}

// folderID is the id of a picture or mask by its path in images or masks. A name without a
// picture's extension loses what is after its last dot.
func (l *lister) folderID(rest string) string {
	if !pictureName(rest) {
		return l.stemID(stem(rest))
	}
	return l.fileID(rest)
}

// folderKey is the key under which pictures and masks find each other: the path without extension.
// It ignores how accents are composed: some systems change that when they copy.
func folderKey(rest string) string {
	rest = norm.NFC.String(rest)
	if !pictureName(rest) {
		rest = stem(rest)
	}
	return unpictured(rest)
}

// fullKey is the folderKey of a name whose ending is no extension.
func fullKey(rest string) string { return norm.NFC.String(rest) }

// keyID is the id of a picture with this folderKey.
func keyID(key string) string { return safeID(key + ".png") }

// maskFile tells whether a file in masks is a mask by its name or content. If not, it reports the
// file, or puts it among the unread, which are reported when the pictures are known.
func (l *lister) maskFile(e entry, unread *[]entry) bool {
	if pictureName(e.name) {
		return true
	}
	_, _, rest := folderPart(e.name)
	picture, what, err := foreign(e)
	switch {
	case err != nil:
		l.lost(l.folderID(rest), limitReason(err, "unreadable_mask"), e.origin+": "+err.Error())
	case !picture && what == "":
		*unread = append(*unread, e)
	case !picture:
		l.lost(l.folderID(rest), "unsupported_mask", e.origin+": got a mask in a format that masks are not read from, want PNG, BMP, GIF "+
			"or lossless WebP; its picture has no mask then")
	}
	return picture
}

// severalTests tells of a test folder that holds several with images/, which may be of other
// classes.
func (l *lister) severalTests(root string, sets []*folderSet) {
	var list []string
	for _, s := range sets {
		list = append(list, fmt.Sprintf("%s (%d)", cmp.Or(s.parent, "."), len(s.order)))
	}
	slices.Sort(list)
	l.Labels = append(l.Labels, fmt.Sprintf("%s holds %d folders with images: %s; all their pictures are test pictures: if some show "+
		"another class, name one folder in --test", root, len(list), format.Some(list, 5)))
}

// testOfExport counts the pictures of an export's test split that were named as training pictures.
const testOfExport = "test_of_export"

// folderPart finds the last folder images or masks on the way to a file, in any case where none is
// written so, the path of the folder that holds it, and the path below it.
func folderPart(name string) (parent, kind, rest string) {
	parts := strings.Split(name, "/")
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i := len(parts) - 2; i >= 0; i-- {
			for _, kind := range []string{"images", "masks"} {
				if same(parts[i], kind) {
					return path.Join(parts[:i]...), kind, strings.Join(parts[i+1:], "/")
				}
			}
		}
	}
	return "", "", ""
}

// outsideArchives is a folder's path without the archives on it: images.tar and masks.tar that lie
// in one folder are one set, unless each holds both.
func outsideArchives(parent string) string {
	return path.Join(slices.DeleteFunc(strings.Split(parent, "/"), looksLikeArchive)...)
}

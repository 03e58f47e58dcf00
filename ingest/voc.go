package ingest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// listVOC lists the pictures of the image set in the newest year of a devkit, which contains those
// of the years before. Whether the class is in a picture is only seen in its mask, when the task
// runs.
func (l *lister) listVOC(root string) error {
	years := map[string]*vocYear{}
	var labels, lists []entry
	other := map[string]bool{} // folders of masks under other names
	at := func(root string) *vocYear {
		if years[root] == nil {
			years[root] = newVOCYear(root)
		}
		return years[root]
	}
	isImage := func(p string) bool { return vocFolder(p) == vocImages }
	err := l.walk(root, isImage, func(e entry) error {
		base, year, kind := path.Base(e.name), path.Dir(path.Dir(e.name)), vocFolder(e.name)
		ext, known := vocExtension[kind]
		if kind == vocSets {
			known = known && strings.EqualFold(path.Base(year), "ImageSets")
			year = path.Dir(year)
		}
		switch {
		case format.IsLabelMap(base) && l.labelFile(e, &labels, nil):
		case known && (ext == "" || strings.EqualFold(path.Ext(base), ext)):
			at(year).put(kind, stem(base), e)
		case strings.HasPrefix(kind, vocMasks) && pictureName(base):
			other[kind] = true
		case kind != vocBoxes && !strings.Contains("/"+strings.ToLower(e.name), "/imagesets/"):
			l.labelFile(e, &labels, &lists)
		}
		return nil
	})
	if err != nil {
		return err
	}
	years = l.joined(years)
	if len(labels) == 0 && len(years) > 0 {
		labels = l.mapsAbove(root)
	}
	var newest, mapped *vocYear // mapped has a label map beside its masks, and no image set
	for _, k := range slices.Sorted(maps.Keys(years)) {
		y := years[k]
		y.settle()
		y.labels = nearest(y.root, labels)
		if _, ok := y.files[vocSets][l.opts.VOCSet]; !ok {
			if y.labels != nil && len(y.files[vocSets]) == 0 && len(y.files[vocMasks]) > 0 {
				if mapped != nil {
					l.aside("older_voc_year", path.Join(path.Base(root), mapped.root))
				}
				mapped = y
			}
			continue
		}
		if newest != nil {
			l.aside("older_voc_year", path.Join(path.Base(root), newest.root))
		}
		newest = y
	}
	if newest == nil {
		newest = mapped
	}
	if newest == nil && len(years) > 0 {
		return l.partial(years, root)
	}
	if newest == nil {
		return l.errNothing("ImageSets/Segmentation/"+l.opts.VOCSet+".txt", "a VOC devkit, with JPEGImages and SegmentationClass beside "+
			"ImageSets", root, "ImageSets", "JPEGImages")
	}
	newest.otherMasks = slices.Sorted(maps.Keys(other))
	if err := l.unreadable(newest, lists); err != nil {
		return err
	}
	return l.addVOC(newest, root, labels)
}

// vocList returns the names of the pictures in the image set and what lists them: the masks
// themselves where a devkit with a label map has no sets, as labelme makes it.
func (l *lister) vocList(y *vocYear, root string) (names []string, by string, err error) {
	set, ok := y.files[vocSets][l.opts.VOCSet]
	if !ok {
		return slices.Sorted(maps.Keys(y.files[vocMasks])), path.Join(path.Base(root), y.root, vocMasks), nil
	}
	data, err := set.readText(1 << 24)
	if err != nil {
		return nil, "", fmt.Errorf("ingest: %s: %w", set.origin, err)
	}
	return listed(data), set.origin, nil
}

// addVOC adds the pictures of a year; all are the label maps of the source.
func (l *lister) addVOC(y *vocYear, root string, all []entry) error {
	names, by, err := l.vocList(y, root)
	if err != nil {
		return err
	}
	if l.opts.Object != ObjectUnion && len(y.files[vocObjects]) == 0 {
		return fmt.Errorf("ingest: %s: object %s needs the masks of single objects, and there is no folder "+
			"SegmentationObject: add it, or use --object union (ingest.object)",
			path.Join(path.Base(root), y.root), l.opts.Object)
	}
	used, labels, class, err := l.labelsOf(y.labels, all, slices.Collect(maps.Values(y.files[vocMasks])), path.Join(path.Base(root), y.root))
	if err != nil {
		return err
	}
	l.mapsNotUsed(all, func(e entry) bool { return e.origin == used })
	source := vocSource(y.root, root)
	drew := strings.ToUpper(source[:3]) + source[3:] + " annotators"
	fromZero, rule := "", new(format.BoxRule) // no swap: VOC's own files are in order
	seen := map[string]int{}
	for _, name := range names {
		if _, ok := y.files[vocImages][vocKey(name)]; !ok && pictureName(name) {
			name = stem(name)
		}
		id := vocKey(name) // ids stay strings, whatever they look like
		if seen[id]++; seen[id] > 1 {
			if seen[id] == 2 {
				l.aside("listed_twice", by+": "+name)
			}
			continue
		}
		l.repeated(id, y.again[id])
		image, hasImage := y.files[vocImages][id]
		mask, hasMask := y.files[vocMasks][id]
		t := task{
			id: l.stemID(name), source: source, image: image,
			layers: vocLayers(mask, y.files[vocObjects][id], labels, class, drew, l.has(name)),
			boxes:  &boxes{rule: rule, names: func(n string) bool { return n == l.class.Name }},
		}
		t.split = l.splitOf(t.id, manifests.Train)
		switch {
		case !hasImage:
			l.drop(t.id, "missing_image", fmt.Sprintf("%s lists it, JPEGImages has no such file", by))
			continue
		case !hasMask:
			detail := fmt.Sprintf("%s lists it, SegmentationClass has no such file", by)
			if len(y.otherMasks) > 0 {
				detail += "; masks lie in " + strings.Join(y.otherMasks, ", ") + ": rename the one to use to SegmentationClass"
			} else if len(y.files[vocMasks]) == 0 {
				detail += ", nor any: where a devkit lies in several archives, put them into one folder and name that"
			}
			l.drop(t.id, "missing_mask", detail)
			continue
		}
		if xml, ok := y.files[vocBoxes][id]; ok {
			t.boxes.origin = xml.origin
			if t.boxes.file, _, t.boxes.fault = parseBoxXML(&xml); t.boxes.fault == nil && fromZero == "" &&
				l.zeroBased(t.boxes.file, *rule, &image) {
				fromZero = xml.origin
			}
		}
		l.tasks = append(l.tasks, &t)
	}
	if err := l.unlisted(y); err != nil {
		return err
	}
	rule.Base = l.boxBase(fromZero)
	return nil
}

// unlisted reports the masks that no image set names: in one skip with their number, and each by
// its name among what is left aside.
func (l *lister) unlisted(y *vocYear) error {
	if len(y.files[vocSets]) == 0 {
		return nil // the masks are the list
	}
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(y.files[vocSets])) {
		set := y.files[vocSets][name]
		data, err := set.readText(1 << 24)
		if err != nil {
			return fmt.Errorf("ingest: %s: %w", set.origin, err)
		}
		for _, name := range listed(data) {
			known[vocKey(name)] = true
			if pictureName(name) {
				known[vocKey(stem(name))] = true
			}
		}
	}
	var left []string
	for _, id := range slices.Sorted(maps.Keys(y.files[vocMasks])) {
		mask := y.files[vocMasks][id]
		_, hasImage := y.files[vocImages][id]
		switch {
		case known[id]:
		case hasImage:
			left = append(left, id)
			l.aside("mask_not_listed", mask.origin)
		default:
			l.lost(l.stemID(id), "mask_without_image",
				mask.origin+": JPEGImages has no picture of this name, and no set in ImageSets/Segmentation lists it")
		}
	}
	if len(left) > 0 {
		set := y.files[vocSets][l.opts.VOCSet]
		l.lost(set.origin, "mask_not_listed", fmt.Sprintf("%d masks are in no set of ImageSets/Segmentation: %s: add "+
			"their names to %s.txt, or leave the masks out", len(left), format.Some(left, 6), l.opts.VOCSet))
	}
	return nil
}

// repeated names the files of a picture that are not used because another has their name.
func (l *lister) repeated(id string, files []again) {
	for _, a := range files {
		detail := a.file.origin + ": " + a.kept.origin + " has this name and is kept"
		switch {
		case vocFolder(a.file.name) != vocImages:
			l.lost(l.stemID(id), "duplicate_id", detail)
		case pictureName(a.file.name):
			l.drop(l.stemID(id), "duplicate_id", detail)
		default:
			l.aside("other_file", a.file.origin)
		}
	}
}

// vocFolder is the folder that a file lies in, as VOC spells it where it is one of VOC's in another
// case.
func vocFolder(name string) string {
	folder := path.Base(path.Dir(name))
	for known := range vocExtension {
		if strings.EqualFold(folder, known) {
			return known
		}
	}
	return folder
}

// vocSource names a year's records: voc2012 for .../VOC2012, voc where the folder has another name.
func vocSource(rel, root string) string {
	for _, s := range []string{path.Base(rel), path.Base(strings.ReplaceAll(root, `\`, "/"))} {
		if s = strings.ToLower(s); len(s) == 7 && strings.HasPrefix(s, "voc20") {
			return s
		}
	}
	return "voc"
}

// nearest returns the label map of a folder: of those in it or above it the one that lies nearest,
// nil if there is none.
func nearest(root string, labels []entry) *entry {
	var used *entry
	best := 0
	for i := range labels {
		dir := path.Dir(labels[i].name)
		if !within(dir, root) && !within(root, dir) {
			continue
		}
		between := depth(dir) - depth(root)
		if between = max(between, -between); used == nil || between < best {
			used, best = &labels[i], between
		}
	}
	return used
}

// mapsAbove returns the label maps in the folder that a devkit's year lies in, which are the
// devkit's. Those above any other source may be anybody's: they are named, and not used.
func (l *lister) mapsAbove(root string) (labels []entry) {
	real := same(root)
	list, err := os.ReadDir(filepath.Dir(real))
	if err != nil {
		return nil
	}
	for _, d := range list {
		if !d.Type().IsRegular() || !format.IsLabelMap(d.Name()) {
			continue
		}
		file := filepath.Join(filepath.Dir(real), d.Name())
		if base := strings.ToLower(filepath.Base(real)); len(base) != 7 || !strings.HasPrefix(base, "voc20") {
			l.aside("label_map_not_used", file)
			continue
		}
		e := entry{name: d.Name(), origin: file, file: file, size: 1 << 20}
		if st, err := os.Stat(file); err == nil {
			e.size = st.Size()
		}
		l.labelFile(e, &labels, nil)
	}
	return labels
}

// mapsNotUsed names the label maps of a source that were not used.
func (l *lister) mapsNotUsed(all []entry, used func(entry) bool) {
	for _, e := range all {
		if !used(e) {
			l.aside("label_map_not_used", e.origin)
		}
	}
}

// labelFile keeps a label map, and a list of labels that is not read where lists is wanted: one
// that names the class, or VOC's classes in another order. It tells whether a file is one of these
// by its name; what is none by its text is left aside.
func (l *lister) labelFile(e entry, maps, lists *[]entry) bool {
	isMap := format.IsLabelMap(e.name)
	if !isMap && !format.IsLabelList(e.name) {
		return false
	}
	text, err := e.readText(1 << 20)
	if isMap && (err != nil || format.MeansLabels(e.name, text, l.class.Name)) {
		*maps = append(*maps, e)
		return true
	}
	names, said := format.ListedLabels(e.name, text)
	voc := 0 // names of VOC's
	agrees := len(names) <= len(vocNames)
	for i, n := range names {
		n = strings.ReplaceAll(n, " ", "")
		said = said || n == l.class.Name || format.Near(n, l.class.Name)
		if VOCNumber(n) > 0 {
			voc++
		}
		agrees = agrees && VOCNumber(n) == i+1
	}
	switch {
	case len(names) == 0 || !said && voc < len(names):
		l.aside("label_list_not_read", e.origin+": it lists no classes")
	case agrees: // with VOC
	default:
		l.aside("label_list_not_read", e.origin+": what this name means has no fixed form")
		if lists != nil {
			*lists = append(*lists, e)
		}
	}
	return true
}

// unreadable is the error of a devkit whose only map of labels may be a list that is not read, at
// the top, beside its pictures or among its masks, unless class.voc says the class's number in it:
// any but VOC's own, which may be the config's, or one that was given with the command.
func (l *lister) unreadable(y *vocYear, lists []entry) error {
	if y.labels != nil || l.stated || l.class.VOC != VOCNumber(l.class.Name) {
		return nil
	}
	for _, e := range lists {
		dir := path.Dir(e.name)
		if !within(dir, y.root) && (vocFolder(e.name) != vocMasks || path.Dir(dir) != y.root) {
			continue
		}
		own := ""
		if l.class.VOC > 0 {
			own = fmt.Sprintf(" (%d is VOC's)", l.class.VOC)
		}
		return fmt.Errorf("ingest: %s says what mask values mean, and is not read: want a label map that is (%s), such as "+
			"labelmap.txt with a line NAME:R,G,B:: for each label, or NAME alone if masks have numbers, background first; or --set "+
			"class.voc=N with the number that %s has in the masks%s", e.origin, format.LabelMaps(), l.class.Name, own)
	}
	return nil
}

func depth(dir string) int {
	if dir == "." || dir == "" {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// within tells whether a folder of the walked tree is dir or lies below it.
func within(dir, name string) bool {
	return dir == "." || dir == "" || name == dir || strings.HasPrefix(name, dir+"/")
}

// classNumber is the class's number in the masks of a devkit.
func (l *lister) classNumber(labels *format.LabelMap, at string) (uint8, error) {
	if labels == nil && l.class.VOC == 0 {
		return 0, fmt.Errorf("ingest: %s: the class %s has no number in VOC's masks, and the devkit has no labelmap.txt: give its "+
			"number with --set class.voc=N", at, l.class.Name)
	}
	if labels == nil {
		return uint8(l.class.VOC), nil
	}
	number, err := labels.Number(l.class.Name)
	if err == nil && number == 0 {
		err = fmt.Errorf("%s: %s is its background", labels.File, l.class.Name)
	}
	if err != nil {
		return 0, fmt.Errorf("ingest: %s: %w", at, named(err))
	}
	return number, nil
}

// named adds to the error of labels without the class how to call it by the one that may be meant.
func named(err error) error {
	if n := new(format.NoClass); errors.As(err, &n) && n.Near != "" {
		return fmt.Errorf("%w: %s", err, format.NameClass(n.Near))
	}
	return err
}

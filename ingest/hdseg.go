package ingest

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// hdsegTiers are the suffixes of HDSeg's annotation files: drawn, transferred inside a box,
// transferred from the label alone.
var hdsegTiers = map[string]manifests.Tier{".gt.png": manifests.Manual, ".bb.png": manifests.BBox, ".no.png": manifests.Label}

// HDSegTier is the tier of HDSeg's masks on a picture of another source: beside those of the masks
// that this program transfers, to be compared with them.
const HDSegTier = manifests.Tier("external:hdseg")

// lastImageNetID finds an ImageNet id in the name of a test mask, which may have something before
// or after it.
var lastImageNetID = regexp.MustCompile(`n[0-9]{8}_[0-9]+`)

// An hdsegTree is one data set of a published HDSeg tree: images/DS/FOLDER/ID.JPEG and
// annotations/DS/FOLDER/ID.{gt,bb,no}.png, where FOLDER is a synset, voc12 or test.
type hdsegTree struct {
	root   string
	images map[string]entry       // by FOLDER/ID
	masks  map[string][]hdsegMask // by FOLDER/ID
	sets   map[string]bool        // the data sets that there are

	features []entry // the class's feature files
}

// An hdsegMask is a mask that is still to be read.
type hdsegMask struct {
	entry
	tier  manifests.Tier
	extra bool // for the picture of another source
}

// listHDSeg lists a published tree. A mask has the tier of its suffix on the tree's own picture; a
// picture of another source gets it as HDSegTier.
func (l *lister) listHDSeg(root string) error {
	tree, err := l.hdsegTree(root)
	if err != nil {
		return err
	}
	others := map[string]int{} // training tasks by id
	for i, t := range l.tasks {
		if t.split == manifests.Train {
			others[t.id] = i
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tree.masks)) {
		folder, id := path.Split(key)
		masks := tree.masks[key]
		t := task{id: id, source: "hdseg", synset: idSynset(id), split: manifests.Train, image: tree.images[key]}
		if folder = path.Clean(folder); folder == "test" {
			t.split = manifests.Test
		}
		if i, ok := others[id]; ok && t.split == manifests.Train {
			l.attach(l.tasks[i], masks, tree.root)
			if l.tasks[i].source == "hdseg" && t.image.name != "" {
				l.drop(t.id, "duplicate_id", fmt.Sprintf("%s: %s has this id and is kept", t.image.origin, l.tasks[i].image.origin))
			}
			continue
		}
		if t.image.name == "" {
			l.drop(t.id, "missing_image", fmt.Sprintf("%s has no picture in the tree, and no other source has one of this "+
				"id", masks[0].origin))
			continue
		}
		t.layers = hdsegLayers(masks, tree.root)
		l.tasks = append(l.tasks, &t)
	}
	for _, e := range tree.features {
		if err := l.checkFeatures(e, tree); err != nil {
			l.lost(e.origin, "bad_feature_file", err.Error())
		}
	}
	for key, e := range tree.images {
		if _, ok := tree.masks[key]; !ok {
			l.aside("image_without_mask", e.origin)
		}
	}
	return nil
}

// attach gives a mask of the tree to the picture of another source, the best one. A picture gets
// one: the masks that it does not get are named.
func (l *lister) attach(t *task, masks []hdsegMask, root string) {
	worth := []manifests.Tier{manifests.Manual, manifests.BBox, manifests.Label} // most first
	slices.SortStableFunc(masks, func(a, b hdsegMask) int { return slices.Index(worth, a.tier) - slices.Index(worth, b.tier) })
	kept := l.attached[t.id]
	if t.source == "hdseg" {
		kept = t.image.origin + " and its own masks"
	}
	for _, m := range masks {
		if kept != "" {
			l.lost(t.id, "duplicate_id", m.origin+": "+kept+" was read for this id and is kept")
			continue
		}
		kept = m.origin
		l.attached[t.id] = kept
		m.extra, m.tier = true, HDSegTier
		t.layers = both(t.layers, hdsegLayers([]hdsegMask{m}, root))
		l.Other["hdseg_attached"]++
	}
}

func (l *lister) hdsegTree(root string) (*hdsegTree, error) {
	t := &hdsegTree{root: same(root), images: map[string]entry{}, masks: map[string][]hdsegMask{}, sets: map[string]bool{}}
	isImage := func(p string) bool { return path.Base(path.Dir(path.Dir(path.Dir(p)))) == "images" }
	err := l.walk(root, isImage, func(e entry) error {
		parts := strings.Split(e.name, "/")
		n := len(parts)
		if l.hdsegData(e, t) {
			return nil
		}
		if n < 4 || parts[n-4] != "annotations" && parts[n-4] != "images" {
			l.aside("other_file", e.origin)
			return nil
		}
		set, folder, base := parts[n-3], parts[n-2], parts[n-1]
		t.sets[set] = true
		if !strings.EqualFold(set, l.class.Name+"seg") {
			l.Other["other_dataset"]++
			return nil
		}
		if parts[n-4] == "images" {
			key := folder + "/" + l.folderID(base)
			old, ok := t.images[key]
			switch {
			case !pictureName(base) && !l.stray(e, l.folderID(base)):
			case ok:
				l.drop(l.folderID(base), "duplicate_id", e.origin+": "+old.origin+" has this name and is kept")
			default:
				t.images[key] = e
			}
			return nil
		}
		id, tier, ok := l.hdsegName(folder, base)
		if !ok {
			l.lost(e.origin, "bad_name", "want ID.gt.png, ID.bb.png or ID.no.png")
			return nil
		}
		key := folder + "/" + id
		if i := slices.IndexFunc(t.masks[key], func(m hdsegMask) bool { return m.tier == tier }); i >= 0 {
			l.lost(id, "duplicate_id", e.origin+": the mask "+t.masks[key][i].origin+" has this id and is kept")
			return nil
		}
		t.masks[key] = append(t.masks[key], hdsegMask{entry: e, tier: tier})
		return nil
	})
	if err == nil && len(t.masks) == 0 {
		want := fmt.Sprintf("annotations/%sseg/FOLDER/ID.gt.png, ID.bb.png or ID.no.png", l.class.Name)
		if len(t.sets) > 0 {
			want += "; got the data sets " + format.Some(slices.Sorted(maps.Keys(t.sets)), 6)
		}
		err = l.errNothing(fmt.Sprintf("annotations of %sseg", l.class.Name), want, root, "annotations")
	}
	return t, err
}

// hdsegName takes the name of a mask apart. Test masks are drawn: of their name the ImageNet id
// counts, and all of it where there is none.
func (l *lister) hdsegName(folder, base string) (id string, tier manifests.Tier, ok bool) {
	if folder == "test" {
		stem, png := cutSuffixFold(base, ".png")
		if id, gt := cutSuffixFold(stem, ".gt"); png && gt && l.has(id) {
			return id, manifests.Manual, true
		}
		ids := lastImageNetID.FindAllString(base, -1)
		switch {
		case !png || stem == "":
			return "", "", false
		case len(ids) == 0:
			stem, _ = cutSuffixFold(stem, ".gt")
			return l.stemID(stem), manifests.Manual, true // .gt: as export writes them
		}
		return ids[len(ids)-1], manifests.Manual, true
	}
	for suffix, tier := range hdsegTiers {
		if stem, ok := cutSuffixFold(base, suffix); ok && stem != "" {
			return l.stemID(stem), tier, true
		}
	}
	return "", "", false
}

// cutSuffixFold is strings.CutSuffix for a suffix of ASCII letters in any case.
func cutSuffixFold(s, suffix string) (string, bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}

// hdsegLayers reads masks whose encoding nobody has published: the convention is read off the
// values, as for folders.
func hdsegLayers(masks []hdsegMask, root string) layerer {
	return func(opts *Options) (out []layer, err error) {
		for _, m := range masks {
			read, err := binaryLayer(m.entry, root, m.tier, "HDSeg")(opts)
			switch {
			case err != nil && !m.extra:
				return nil, err
			case err != nil:
				read = []layer{{origin: m.origin, tier: m.tier, by: "HDSeg", fault: err}}
			}
			read[0].source, read[0].extra = "hdseg", m.extra
			out = append(out, read[0])
		}
		return out, nil
	}
}

// both adds extra layers to those of a source; a picture that the source leaves aside stays aside.
func both(own, extra layerer) layerer {
	if own == nil {
		return extra
	}
	return func(opts *Options) ([]layer, error) {
		layers, err := own(opts)
		if err != nil || len(layers) == 0 {
			return layers, err
		}
		more, err := extra(opts)
		for i := range more {
			more[i].suffix = layers[len(layers)-1].suffix
		}
		return append(layers, more...), err
	}
}

// hdsegData takes what lies in the folder data beside a published tree: data/CLASS-features*.bin is
// kept for checkFeatures, pictures of superpixels in data/CLASS-superpixels* are counted. It tells
// whether the file is one of them.
func (l *lister) hdsegData(e entry, t *hdsegTree) bool {
	dir, base := path.Split(e.name)
	folder := path.Base(dir)
	class, rest, found := strings.Cut(base, "-features")
	switch {
	case path.Base(path.Dir(path.Clean(dir))) == "data" && strings.Contains(folder, "-superpixels"):
		l.Other["hdseg_superpixels"]++
	case folder != "data" || !found || !strings.HasSuffix(rest, ".bin"):
		return false
	case !strings.EqualFold(class, l.class.Name):
		l.Other["other_dataset"]++
	default:
		t.features = append(t.features, e)
	}
	return true
}

// checkFeatures compares a feature file, the only published list of its data set, with the masks of
// the tree. It lists what the tree lacks and names that cannot be read. Features become no records.
func (l *lister) checkFeatures(e entry, t *hdsegTree) error {
	f, err := os.Open(e.file)
	if err != nil {
		return pathless(err)
	}
	defer f.Close()
	h, err := format.OpenHDSeg(io.NewSectionReader(f, e.offset, e.size), e.size)
	if err != nil {
		return err
	}
	for i := range h.Images {
		image, annotation, err := h.Names(i)
		if err != nil {
			return err
		}
		key, tier, err := l.featureKey(image, annotation, strings.HasSuffix(e.name, "-test.bin"))
		if err != nil {
			l.lost(fmt.Sprintf("%s!%06d", e.origin, i), "bad_name", err.Error())
			continue
		}
		l.Other["hdseg_features"]++
		if !slices.ContainsFunc(t.masks[key], func(m hdsegMask) bool { return m.tier == tier }) {
			l.lost(path.Base(key), "feature_without_mask",
				fmt.Sprintf("%s: image %d is %s, but the tree has no %[4]s mask of it", e.origin, i, key, tier))
		}
	}
	return nil
}

// featureKey is FOLDER/ID and the tier of an image by the names that a feature file gives (method
// facts 1.3): those of the image and of its annotation must agree.
func (l *lister) featureKey(image, annotation string, test bool) (string, manifests.Tier, error) {
	if test {
		id, tier, ok := l.hdsegName("test", annotation)
		if !ok {
			return "", "", fmt.Errorf("annotation_file: got %q, want the name of a PNG file", annotation)
		}
		return "test/" + id, tier, nil
	}
	tier, id, err := format.HDSegName(annotation)
	if err != nil {
		return "", "", err
	}
	if t, i, err := format.HDSegName(image); err != nil || t != tier || i != id {
		return "", "", fmt.Errorf("image_name: got %q, want the tier and id of %q", image, annotation)
	}
	folder, _, _ := strings.Cut(id, "_")
	if !wnidPattern.MatchString(folder) { // a year
		folder = "voc12"
	}
	return folder + "/" + id, tier, nil
}

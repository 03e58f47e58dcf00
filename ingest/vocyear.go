package ingest

import (
	"fmt"
	"hdseg/manifests/format"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The folders of a year whose files are read.
const (
	vocImages  = "JPEGImages"
	vocMasks   = "SegmentationClass"
	vocObjects = "SegmentationObject"
	vocBoxes   = "Annotations"
	vocSets    = "Segmentation" // in ImageSets

	vocMasksPNG   = "SegmentationClassPNG" // labelme's, where SegmentationClass has other files
	vocObjectsPNG = "SegmentationObjectPNG"
)

// vocExtension is that of a folder's files; "" for any.
var vocExtension = map[string]string{vocImages: "", vocMasks: ".png", vocObjects: ".png", vocBoxes: ".xml", vocSets: ".txt",
	vocMasksPNG: ".png", vocObjectsPNG: ".png"}

// A vocYear is one VOCdevkit/VOC20xx tree.
type vocYear struct {
	root  string                      // path in the walked tree
	files map[string]map[string]entry // by folder and stem
	again map[string][]again          // files that have the name of another, by stem
	// folders that are named like SegmentationClass, such as SegmentationClassAug
	otherMasks []string
	labels     *entry // the label map, nil for none
}

// settle takes the masks in SegmentationClassPNG where SegmentationClass has none.
func (y *vocYear) settle() {
	for folder, png := range map[string]string{vocMasks: vocMasksPNG, vocObjects: vocObjectsPNG} {
		if len(y.files[folder]) == 0 {
			y.files[folder] = y.files[png]
		}
	}
}

func newVOCYear(root string) *vocYear {
	y := &vocYear{root: root, files: map[string]map[string]entry{}, again: map[string][]again{}}
	for folder := range vocExtension {
		y.files[folder] = map[string]entry{}
	}
	return y
}

// An again is a file that is not used because another has its name.
type again struct{ file, kept entry }

// put takes a file for a picture. Of two the one whose extension comes first counts, of two with
// the same the first.
func (y *vocYear) put(folder, id string, e entry) {
	to := y.files[folder]
	id = vocKey(id)
	old, ok := to[id]
	if ok && vocRank(e.name) >= vocRank(old.name) {
		y.again[id] = append(y.again[id], again{e, old})
		return
	}
	if ok {
		y.again[id] = append(y.again[id], again{old, e})
	}
	to[id] = e
}

// vocKey is the key under which a name on a list and the files find each other: some systems change
// how accents are composed when they copy.
func vocKey(name string) string { return norm.NFC.String(name) }

// vocRank orders files of one name: VOC's pictures are JPEGs.
func vocRank(name string) int {
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".jpg":
		return 0
	case ext == ".jpeg":
		return 1
	case pictureName(name):
		return 2
	}
	return 3
}

// joined puts together what several archives of one folder have of the same year: a devkit often
// comes as one archive of the pictures and another of the masks. Years that have the image set
// themselves stay apart, unless only one of them has it.
func (l *lister) joined(years map[string]*vocYear) map[string]*vocYear {
	parts := map[string][]*vocYear{}
	whole := map[string]int{}
	for _, k := range slices.Sorted(maps.Keys(years)) {
		at := outsideArchives(k)
		parts[at] = append(parts[at], years[k])
		if _, ok := years[k].files[vocSets][l.opts.VOCSet]; ok {
			whole[at]++
		}
	}
	out := map[string]*vocYear{}
	for at, list := range parts {
		if len(list) == 1 || whole[at] > 1 {
			for _, y := range list {
				out[y.root] = y
			}
			continue
		}
		all := newVOCYear(at)
		for _, y := range list {
			all.take(y)
		}
		out[at] = all
	}
	return out
}

// take adds the files of a part of the same year.
func (y *vocYear) take(part *vocYear) {
	for folder, files := range part.files {
		for _, id := range slices.Sorted(maps.Keys(files)) {
			y.put(folder, id, files[id])
		}
	}
	for id, list := range part.again {
		y.again[id] = append(y.again[id], list...)
	}
}

// partial is the error of a source that has something of a devkit but not the image set.
func (l *lister) partial(years map[string]*vocYear, root string) error {
	var got, sets []string
	for _, k := range slices.Sorted(maps.Keys(years)) {
		y := years[k]
		for _, folder := range []string{vocImages, vocMasks, vocObjects, vocBoxes} {
			if n := len(y.files[folder]); n > 0 {
				got = append(got, fmt.Sprintf("%d files in %s", n, path.Join(k, folder)))
			}
		}
		sets = append(sets, slices.Sorted(maps.Keys(y.files[vocSets]))...)
	}
	if len(sets) > 0 {
		return fmt.Errorf("ingest: %s: got the image sets %s, want %s: name one of them with --set ingest.vocSet",
			path.Base(root), format.Some(sets, 6), l.opts.VOCSet)
	}
	return fmt.Errorf("ingest: %s: got %s, want ImageSets/Segmentation/%s.txt too: where a devkit lies in several "+
		"archives, put them into one folder and name that; without image sets, masks need a label map such as labelmap.txt",
		path.Base(root), format.Some(got, 6), l.opts.VOCSet)
}

package ingest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// imageNetName matches the file names of pictures and box files: the synset that a picture was
// collected for, and a number. The name is a picture's identity, wherever it lies.
var imageNetName = regexp.MustCompile(`^(n[0-9]{8})_([0-9]+)\.([A-Za-z]+)$`)

// idSynset is the synset of an id, "" for one that is not ImageNet's.
func idSynset(id string) string {
	if m := imageNetName.FindStringSubmatch(id + ".x"); m != nil {
		return m[1]
	}
	return ""
}

// OtherSynset tells of a file's path that its name is that of a picture or box file of ImageNet in
// a synset that is none of the class's: no source reads it.
func OtherSynset(name string, class manifests.Class) bool {
	m := imageNetName.FindStringSubmatch(path.Base(name))
	return m != nil && !slices.Contains(class.Synsets, m[1])
}

// listImageNet finds the pictures of the class's synsets; what is named otherwise, or belongs to
// another synset, is counted.
func (l *lister) listImageNet(root string) error {
	before := len(l.tasks)
	ours := func(p string) bool {
		m := imageNetName.FindStringSubmatch(path.Base(p))
		return m == nil || l.synsets[m[1]] != ""
	}
	err := l.walk(root, ours, func(e entry) error {
		base := path.Base(e.name)
		m := imageNetName.FindStringSubmatch(base)
		switch {
		case strings.EqualFold(path.Ext(e.name), ".xml"):
			l.Other["box_file_among_pictures"]++
		case m == nil && (pictureName(e.name) || l.stray(e, e.origin)):
			l.drop(e.origin, "bad_name", "want wnid_number")
		case m == nil:
		case l.synsets[m[1]] == "":
			l.Other["other_synset"]++
		case !pictureName(base) && !l.stray(e, stem(base)): // stray said it
		default:
			id := base[:len(m[1])+1+len(m[2])]
			t := task{id: id, source: "imagenet", synset: l.synsets[m[1]], split: manifests.Train, image: e}
			if b := l.boxes[id]; b != nil {
				b.image = &t.image
				t.boxes = &boxes{file: b.file, origin: b.origin, rule: &l.imageNet, names: l.ownName}
			}
			l.tasks = append(l.tasks, &t)
		}
		return nil
	})
	switch {
	case err != nil || len(l.tasks) > before:
		return err
	case l.Other["other_synset"] == 0:
		return l.errNothing("picture named wnid_number", "pictures named like n01234567_89.JPEG", root)
	}
	l.Barren = append(l.Barren, path.Base(root))
	return nil
}

// ownName tells whether an object of a box file in one of the class's synsets is the class:
// whenever its name is not the wnid of a synset outside (many files have a word instead).
func (l *lister) ownName(name string) bool {
	return !wnidPattern.MatchString(name) || l.synsets[name] != ""
}

// A boxEntry is a parsed box file.
type boxEntry struct {
	file   *format.BoxFile
	digest manifests.Digest
	origin string
	image  *entry // its picture, nil for none
}

// listBoxes parses the box files of the class's synsets. A file that cannot be parsed is skipped,
// and its picture becomes one without boxes.
func (l *lister) listBoxes(root string) error {
	others := l.Other["box_of_other_synset"]
	ignored := 0
	before := len(l.boxes)
	err := l.walk(root, func(string) bool { return false }, func(e entry) error {
		m := imageNetName.FindStringSubmatch(path.Base(e.name))
		isBox := m != nil && strings.EqualFold(m[3], "xml")
		switch {
		case isBox && l.synsets[m[1]] != "":
			l.addBoxes(e, m[1]+"_"+m[2])
			return nil
		case isBox:
			l.Other["box_of_other_synset"]++
		case pictureName(e.name):
			l.Other["picture_among_boxes"]++
		default:
			l.aside("other_file", e.origin)
		}
		ignored++
		return nil
	})
	switch {
	case err != nil || len(l.boxes) > before:
	case l.Other["box_of_other_synset"] > others, ignored == 0: // or an empty folder
		l.Barren = append(l.Barren, path.Base(root))
	default:
		l.lost(path.Base(root), "no_boxes", "got no box file named wnid_number.xml")
	}
	return err
}

// addBoxes parses the box file of a picture. Of two that differ the first is kept.
func (l *lister) addBoxes(e entry, id string) {
	f, d, err := parseBoxXML(&e)
	if err != nil {
		l.lost(id, "bad_box_file", err.Error()+"; its picture is kept without boxes")
		return
	}
	if old := l.boxes[id]; old != nil {
		if old.digest != d {
			l.lost(id, "duplicate_box_file", e.origin+": another file with this name was read before and is kept")
		}
		return
	}
	l.boxes[id] = &boxEntry{file: f, digest: d, origin: e.origin}
	if l.zeroBased(f, l.imageNet, nil) {
		l.fromZero = append(l.fromZero, id)
	}
}

// settleBoxes finds the number of the first pixel in ImageNet's boxes, which is known when boxes
// and pictures are listed, and names the boxes without a picture.
func (l *lister) settleBoxes() {
	fromZero := ""
	for _, id := range l.fromZero {
		if b := l.boxes[id]; l.zeroBased(b.file, l.imageNet, b.image) {
			fromZero = b.origin
			break
		}
	}
	l.imageNet.Base = l.boxBase(fromZero)
	for _, b := range l.boxes {
		if b.image == nil {
			l.aside("box_without_image", b.origin)
		}
	}
	l.boxes = nil
}

// errNothing says that a source had no picture at all, which is a wrong path more often than an
// empty set, what it should have held, and what a folder holds instead. Archives that were not read
// may hold the pictures, and members that were refused may be them: of those the first is named.
// Where the folder above holds one of these names, it was meant.
func (l *lister) errNothing(what, want, root string, names ...string) error {
	base := path.Base(root)
	err := fmt.Errorf("ingest: %s: got no %s", l.from, what)
	refused := 0
	var first manifests.Skip
	for _, s := range l.skips {
		switch ours := base == "." || strings.HasPrefix(s.Record, base); {
		case ours && archiveFault(s.Reason):
			err = fmt.Errorf("%w; %s: %s", err, s.Record, s.Detail)
		case ours && s.Reason == "unsafe_member":
			if refused++; refused == 1 {
				first = s
			}
		}
	}
	if refused > 0 {
		err = fmt.Errorf("%w; %d members were refused, the first is %s: %s", err, refused, first.Record, first.Detail)
	}
	above := filepath.Join(root, "..")
	for _, name := range names {
		if st, e := os.Stat(filepath.Join(above, name)); e == nil && st.IsDir() {
			return fmt.Errorf("%w; want %s: name the folder above, %s, which holds %s/", err, want, above, name)
		}
	}
	return fmt.Errorf("%w; want %s%s", err, want, holds(root))
}

// holds says what lies in a folder; "" for an archive.
func holds(root string) string {
	list, err := os.ReadDir(root)
	if err != nil {
		return ""
	}
	var names, files []string
	for _, d := range list {
		switch st, err := os.Stat(filepath.Join(root, d.Name())); {
		case hiddenFile(d.Name()):
		case err == nil && st.IsDir():
			names = append(names, d.Name()+"/")
		default:
			files = append(files, d.Name())
		}
	}
	some := min(len(files), max(0, 4-len(names))) // folders first, then the first files
	names, files = append(names, files[:some]...), files[some:]
	if len(names) == 0 {
		return "; the folder is empty"
	}
	more := ""
	if len(files) > 0 {
		more = fmt.Sprintf(" and %d more files", len(files))
	}
	return "; the folder holds " + format.Some(names, 6) + more
}

// pictureName tells whether a file is meant to be a picture.
func pictureName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".webp":
		return true
	}
	return false
}

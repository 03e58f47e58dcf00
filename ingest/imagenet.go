package ingest

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// imageNetName matches the file names of pictures and box files: the synset that a picture was collected for, and a
// number. The name is a picture's identity, wherever it lies.
var imageNetName = regexp.MustCompile(`^(n[0-9]{8})_([0-9]+)\.([A-Za-z]+)$`)

// listImageNet finds the pictures of the class's synsets; what is named otherwise, or belongs to another synset, is
// counted.
func (l *lister) listImageNet(root string) error {
	own := l.ownName
	ours := func(p string) bool {
		m := imageNetName.FindStringSubmatch(path.Base(p))
		return m == nil || l.synsets[m[1]] != ""
	}
	return l.walk(root, ours, func(e entry) error {
		base := e.base()
		m := imageNetName.FindStringSubmatch(base)
		switch {
		case strings.EqualFold(path.Ext(e.name), ".xml"):
			l.other["box_file_among_pictures"]++
		case m == nil && (pictureName(e.name) || l.stray(e, e.origin)):
			l.add(task{id: e.origin}, "bad_name", "want wnid_number")
		case m == nil:
		case l.synsets[m[1]] == "":
			l.other["other_synset"]++
		case !pictureName(base) && !l.stray(e, stem(base)): // stray said it
		default:
			id := base[:len(m[1])+1+len(m[2])]
			t := task{id: id, source: "imagenet", synset: l.synsets[m[1]], split: manifests.Train, image: e}
			if b := l.boxes[id]; b != nil {
				b.used = true
				t.boxes = &boxes{file: b.file, names: own}
			}
			l.tasks = append(l.tasks, &t)
		}
		return nil
	})
}

// ownName tells whether an object of a box file in one of the class's synsets is the class: whenever its name is not the
// wnid of a synset outside (many files have a word instead).
func (l *lister) ownName(name string) bool {
	return !wnidPattern.MatchString(name) || l.synsets[name] != ""
}

// A boxEntry is a parsed box file.
type boxEntry struct {
	file   *format.BoxFile
	digest manifests.Digest
	origin string
	used   bool
}

// listBoxes parses the box files of the class's synsets. A file that cannot be parsed is skipped, and its picture
// becomes one without boxes.
func (l *lister) listBoxes(root string) error {
	want := func(name string) bool {
		m := imageNetName.FindStringSubmatch(path.Base(name))
		return m != nil && strings.EqualFold(m[3], "xml") && l.synsets[m[1]] != ""
	}
	others := l.other["box_of_other_synset"]
	ignored := 0
	other := func(e entry) {
		ignored++
		switch m := imageNetName.FindStringSubmatch(path.Base(e.name)); {
		case m != nil && strings.EqualFold(m[3], "xml"):
			l.other["box_of_other_synset"]++
		case pictureName(e.name):
			l.other["picture_among_boxes"]++
		default:
			l.aside("other_file", e.origin)
		}
	}
	before := len(l.boxes)
	err := l.walkBoxes(root, want, func(e entry) error {
		m := imageNetName.FindStringSubmatch(path.Base(e.name))
		id := m[1] + "_" + m[2]
		f, d, err := parseBoxes(&e)
		if err != nil {
			l.skips = append(l.skips, manifests.Skip{Record: id, Reason: "bad_box_file", Detail: err.Error() + "; its picture is kept without boxes"})
			return nil
		}
		if old := l.boxes[id]; old != nil {
			if old.digest != d {
				l.skips = append(l.skips, manifests.Skip{Record: id, Reason: "duplicate_box_file", Detail: e.origin + ": another file with this name was read before and is kept"})
			}
			return nil
		}
		l.boxes[id] = &boxEntry{file: f, digest: d, origin: e.origin}
		if l.fromZero == "" && f.ZeroBased() {
			l.fromZero = e.origin
		}
		return nil
	}, other)
	switch {
	case err != nil || len(l.boxes) > before:
	case l.other["box_of_other_synset"] > others:
		l.barren = append(l.barren, path.Base(root))
	case ignored == 0: // an empty folder
		l.barren = append(l.barren, path.Base(root))
	default:
		l.lost(path.Base(root), "no_boxes", "got no box file named wnid_number.xml")
	}
	return err
}

// boxRule is the rule of ImageNet's boxes: relative to the size that the annotator saw, drag direction undone.
func (l *lister) boxRule() format.BoxRule {
	return format.BoxRule{Base: l.boxBase(l.fromZero), Swap: true, Scale: true}
}

// errNothing says that a source had no picture at all, which is a wrong path more often than an empty set.
// Archives that were not read may hold them.
func (l *lister) errNothing(what, root string) error {
	err := fmt.Errorf("ingest: %s: got no %s", path.Base(root), what)
	for _, s := range l.skips {
		if archiveFault(s.Reason) {
			err = fmt.Errorf("%w; %s: %s", err, s.Record, s.Detail)
		}
	}
	return err
}

// pictureName tells whether a file is meant to be a picture.
func pictureName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".webp":
		return true
	}
	return false
}

package ingest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A COCO names an instances file and the folder or archive of its pictures.
type COCO struct {
	Instances string // a JSON file
	Images    string // where the file names of its images lead
}

// listCOCO lists the pictures that have annotations of the category with the class's name: what
// objects cover is figure, what only a crowd covers is void. Annotations follow stored pixels, as
// COCO's own tools read them, whatever an EXIF tag says.
func (l *lister) listCOCO(src COCO) error {
	origin := filepath.Base(src.Instances)
	fail := func(err error) error { return fmt.Errorf("ingest: %s: %w", origin, err) }
	var names []string
	known, wanted := map[format.COCOID]bool{}, map[format.COCOID]bool{}
	if _, err := readCOCO(src.Instances, format.COCOVisitor{Category: func(c format.COCOCategory) error {
		known[c.ID] = true
		names = append(names, c.Name)
		if c.Name == l.class.Name {
			wanted[c.ID] = true // joined files may list a category twice
		}
		return nil
	}}); err != nil {
		return fail(err)
	}
	if len(wanted) == 0 {
		return fail(fmt.Errorf("categories: got none with the name %s, the file has %s", l.class.Name, categoryNames(names)))
	}
	var images []format.COCOImage
	byImage := map[format.COCOID][]format.COCOAnnotation{}
	digest, err := readCOCO(src.Instances, format.COCOVisitor{
		Image: func(i format.COCOImage) error { images = append(images, i); return nil },
		Annotation: func(a format.COCOAnnotation) error {
			if wanted[a.Category] {
				byImage[a.Image] = append(byImage[a.Image], a)
			} else if !known[a.Category] {
				l.aside("annotation_of_unknown_category", fmt.Sprintf("%s: annotation %s: category %s", origin, a.ID, a.Category))
			}
			return nil
		},
	})
	if err != nil {
		return fail(err)
	}
	listed := map[format.COCOID]string{}
	for _, image := range images {
		if old, ok := listed[image.ID]; ok {
			return fail(fmt.Errorf("images: %s and %s have the same id %s, so that nobody knows whose its annotations "+
				"are", old, image.File, image.ID))
		}
		listed[image.ID] = image.File
	}
	for id, list := range byImage {
		if _, ok := listed[id]; !ok {
			for _, a := range list {
				l.aside("annotation_without_image", fmt.Sprintf("%s: annotation %s: image %s", origin, a.ID, id))
			}
		}
	}
	if len(byImage) == 0 {
		l.barren = append(l.barren, origin)
	}
	files := cocoFiles{}
	if err := l.walk(src.Images, func(string) bool { return true },
		func(e entry) error { base := path.Base(e.name); files[base] = append(files[base], e); return nil }); err != nil {
		return err
	}
	for _, image := range images {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		file := path.Clean(slashed(image.File))
		t := task{id: l.fileID(file), source: "coco"}
		t.split = l.splitOf(t.id, manifests.Train)
		annotations := byImage[image.ID]
		if len(annotations) == 0 {
			l.read++
			if l.has(t.id) {
				l.aside("other_class", origin+": image "+string(image.ID)+": "+image.File+" has no annotation any more")
			} else {
				l.other["other_class"]++
			}
			continue
		}
		switch found := files.find(file); len(found) {
		case 0:
			l.add(t, "missing_image", fmt.Sprintf("%s lists %s, which is not there", origin, image.File))
			continue
		case 1:
			t.image = found[0]
		default:
			l.add(t, "missing_image", fmt.Sprintf("%s lists %s, which may be %s or %s", origin, image.File,
				found[0].origin, found[1].origin))
			continue
		}
		t.layers = cocoLayers(annotations, image, origin, digest)
		t.boxes = l.cocoBoxes(t.id, origin, annotations)
		l.tasks = append(l.tasks, &t)
	}
	return nil
}

// cocoFiles are pictures by the last part of their path.
type cocoFiles map[string][]entry

// find returns the picture of that very path, else all whose path ends in it: pictures often lie in
// a folder of an archive.
func (f cocoFiles) find(file string) (found []entry) {
	for _, e := range f[path.Base(file)] {
		if e.name == file {
			return []entry{e}
		}
		if strings.HasSuffix(e.name, "/"+file) {
			found = append(found, e)
		}
	}
	return found
}

// readCOCO reads a file of any size and returns its digest.
func readCOCO(file string, v format.COCOVisitor) (manifests.Digest, error) {
	st, err := os.Stat(file)
	if err != nil {
		return "", pathless(err)
	}
	if !st.Mode().IsRegular() { // it is read twice
		return "", fmt.Errorf("got %s, want a JSON file", fileKind(st.Mode()))
	}
	f, err := os.Open(file)
	if err != nil {
		return "", pathless(err)
	}
	defer f.Close()
	sum := sha256.New()
	r := bufio.NewReaderSize(io.TeeReader(f, sum), 1<<16)
	if head, _ := r.Peek(512); isArchive(head) {
		return "", errors.New("got an archive or a compressed file, want the JSON file itself: unpack it and name the " +
			"file of the instances, such as instances_train2017.json; the folder of the pictures may be an archive")
	}
	if err := format.ReadCOCO(r, v); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return "", err
	}
	return manifests.Digest(hex.EncodeToString(sum.Sum(nil))), nil
}

func cocoLayers(annotations []format.COCOAnnotation, image format.COCOImage, origin string, digest manifests.Digest) layerer {
	return func(opts *Options) ([]layer, error) {
		where := fmt.Sprintf("%s: image %s", origin, image.ID)
		if image.Width <= 0 || image.Height <= 0 {
			return nil, &layerFault{"mask_size", where, fmt.Errorf("size: got %d x %d, want the picture's", image.Width, image.Height)}
		}
		if int64(image.Width) > opts.Limits.MaxPixels/int64(image.Height) {
			return nil, &layerFault{"too_large", where, remedied(fmt.Errorf("%w: got %d x %d pixels, want at most %d",
				raster.ErrLimit, image.Width, image.Height, opts.Limits.MaxPixels))}
		}
		m, err := format.COCOMask(annotations, image.Height, image.Width)
		switch {
		case errors.Is(err, format.ErrNoPixels):
			return nil, &layerFault{"empty_annotation", where, err}
		case err != nil:
			return nil, &layerFault{"corrupt_mask", where, err}
		}
		return []layer{{mask: m, origin: where, tier: manifests.Manual, by: "COCO annotators", used: []manifests.Digest{digest}}}, nil
	}
}

// cocoBoxes takes the boxes of single objects; each that is not four numbers is a skip.
func (l *lister) cocoBoxes(id, origin string, annotations []format.COCOAnnotation) *boxes {
	f := &format.BoxFile{}
	for _, a := range annotations {
		if a.Crowd {
			continue
		}
		b, err := a.Rect()
		if err != nil {
			l.lost(id, "bad_box_file", fmt.Sprintf("%s: %v; the picture is kept without this box", origin, err))
		}
		// export writes no figure as 0,0,0,0
		if b != nil && !(l.has(id) && b[2] == 0 && b[3] == 0) {
			f.Objects = append(f.Objects, format.BoxObject{Name: "annotation " + string(a.ID), XMin: b[0], YMin: b[1],
				XMax: b[0] + b[2], YMax: b[1] + b[3]})
		}
	}
	return &boxes{file: f, origin: origin, rule: format.BoxCSVRule, names: func(string) bool { return true }}
}

// categoryNames lists the names that a file has, at most a hundred.
func categoryNames(names []string) string {
	slices.Sort(names)
	names = slices.Compact(names)
	switch n := len(names); {
	case n == 0:
		return "no categories"
	case n > 100:
		return strings.Join(names[:100], ", ") + fmt.Sprintf(" and %d more", n-100)
	}
	return strings.Join(names, ", ")
}

package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
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

// A cocoPicture is a picture of an instances file with its annotations of the class.
type cocoPicture struct {
	format.COCOImage
	annotations []format.COCOAnnotation

	path string // of its file below the folder of pictures
	how  string // it was found, if not where its name says: see format.Paths
	err  error  // why it has no file
}

// cocoCategories reads the ids of a file's categories, and those that have the class's name.
func (l *lister) cocoCategories(src COCO, origin string) (known, wanted map[format.COCOID]bool, err error) {
	known, wanted = map[format.COCOID]bool{}, map[format.COCOID]bool{}
	var names []string
	ids := map[format.COCOID]string{}
	err = readCOCO(src.Instances, format.COCOVisitor{Category: func(c format.COCOCategory) error {
		known[c.ID] = true
		names = append(names, string(c.Name))
		if string(c.Name) == l.class.Name {
			wanted[c.ID] = true // joined files may list a category twice
		}
		return c.Clash(ids, l.class.Name)
	}, Bad: func(b format.COCOBad) error {
		l.aside("bad_category", fmt.Sprintf("%s: %v", origin, b.Err))
		return nil
	}})
	if err != nil || len(names) == 0 {
		if what := otherJSON(src.Instances); what != "" {
			return nil, nil, errors.New("got " + what)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if len(wanted) == 0 {
		err := named(format.NoCategory(names, l.class.Name))
		if len(names) == 0 {
			err = fmt.Errorf("%w%s", err, wantInstances)
		}
		return nil, nil, err
	}
	for _, n := range names {
		if format.Near(n, l.class.Name) {
			l.Labels = append(l.Labels, fmt.Sprintf("%s: the category %s is not %s: what it marks is ground; if both are meant, give them "+
				"one name", origin, n, l.class.Name))
		}
	}
	return known, wanted, nil
}

// listCOCO lists the pictures that have annotations of the category with the class's name: what
// objects cover is figure, what only a crowd covers is void. Annotations follow stored pixels, as
// COCO's own tools read them, whatever an EXIF tag says.
func (l *lister) listCOCO(src COCO) error {
	origin := filepath.Base(src.Instances)
	fail := func(err error) error { return fmt.Errorf("ingest: %s: %w", l.from, err) }
	known, wanted, err := l.cocoCategories(src, origin)
	if err != nil {
		return fail(err)
	}
	var images []format.COCOImage
	byImage := map[format.COCOID][]format.COCOAnnotation{}
	annotations := 0
	var without, unread []format.COCOID // annotations without a category; images
	take := func(a format.COCOAnnotation) error {
		annotations++
		if a.Category == "" {
			without = append(without, a.ID)
		} else if wanted[a.Category] {
			byImage[a.Image] = append(byImage[a.Image], a)
		} else if !known[a.Category] {
			l.aside("annotation_of_unknown_category", fmt.Sprintf("%s: annotation %s: category %s", origin, a.ID, a.Category))
		}
		return nil
	}
	err = readCOCO(src.Instances, format.COCOVisitor{
		Image:      func(i format.COCOImage) error { images = append(images, i); return nil },
		Annotation: take,
		Bad: func(b format.COCOBad) error {
			id, fault := entryID(origin, b.Kind, b.ID), fmt.Sprintf("%s: %v", origin, b.Err)
			switch {
			case b.Kind == "image":
				unread = append(unread, b.ID)
				l.drop(id, "bad_annotation", fault)
			case b.Kind == "annotation" && b.Annotation.Image != "" && known[b.Annotation.Category]:
				return take(b.Annotation) // of another class it costs nothing
			default:
				l.lost(id, "bad_annotation", fault)
			}
			return nil
		},
	})
	if err == nil && annotations > 0 && len(without) == annotations {
		err = errors.New("no annotation has a category_id" + wantInstances)
	}
	if err != nil {
		return fail(err)
	}
	digest, err := manifests.SumFile(src.Instances)
	if err != nil {
		return fail(pathless(err))
	}
	for _, id := range without {
		l.aside("annotation_of_unknown_category", fmt.Sprintf("%s: annotation %s: no category_id", origin, id))
	}
	if len(byImage) == 0 {
		l.Barren = append(l.Barren, origin)
	}
	for _, id := range unread {
		delete(byImage, id)
	}
	return l.addCOCO(l.cocoPictures(images, byImage, origin), src.Images, origin, digest)
}

// entryID names an entry that is no picture's.
func entryID(origin, kind string, id format.COCOID) string {
	return safeID(strings.Trim(origin+"-"+kind+"-"+string(id), "-"))
}

// cocoPictures returns the entries of images with their annotations, and names annotations whose
// picture is not listed. Nobody can tell to which of several pictures with one id the annotations
// of that id belong: these pictures are refused. An entry that stands there twice is one.
func (l *lister) cocoPictures(images []format.COCOImage, byImage map[format.COCOID][]format.COCOAnnotation, origin string) []cocoPicture {
	var pictures []cocoPicture
	listed := map[format.COCOID][]string{}
	for _, image := range images {
		if files := listed[image.ID]; !slices.Contains(files, string(image.File)) {
			listed[image.ID] = append(files, string(image.File))
		}
	}
	seen := map[format.COCOID]bool{}
	for _, image := range images {
		annotations, again := byImage[image.ID], seen[image.ID]
		seen[image.ID] = true
		if files := listed[image.ID]; len(files) > 1 && len(annotations) > 0 {
			l.drop(l.fileID(format.CleanPath(string(image.File))), "bad_annotation", fmt.Sprintf("%s: images %s have the same id %s, "+
				"so their annotations cannot be told apart: give every image an id of its own", origin, format.Some(files, 6), image.ID))
			continue
		}
		if image.Width == format.UnreadSize || image.Height == format.UnreadSize {
			l.aside("image_size_not_read", fmt.Sprintf("%s: image %s: its width or height is no whole number: the picture's own counts", origin,
				image.ID))
		}
		if again {
			annotations = nil
		}
		pictures = append(pictures, cocoPicture{COCOImage: image, annotations: annotations})
	}
	for id, list := range byImage {
		if len(listed[id]) > 0 {
			continue
		}
		for _, a := range list {
			l.aside("annotation_without_image", fmt.Sprintf("%s: annotation %s: image %s", origin, a.ID, id))
		}
	}
	return pictures
}

// addCOCO finds the pictures' files and adds a task for each that shows the class.
func (l *lister) addCOCO(pictures []cocoPicture, root, origin string, digest manifests.Digest) error {
	files := map[string]entry{}
	var names []string
	if err := l.walk(root, func(string) bool { return true }, func(e entry) error {
		if _, ok := files[e.name]; !ok {
			files[e.name] = e
			names = append(names, e.name)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, p := range l.placed(pictures, files, format.NewPaths(names), filepath.ToSlash(same(root)), origin) {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		name := format.CleanPath(string(p.File))
		if p.err == nil && !strings.HasSuffix("/"+p.path, "/"+name) {
			name = p.path // the file knows better than a path of another machine
		}
		t := task{id: l.fileID(name), source: "coco"}
		if p.File == "" {
			t.id = entryID(origin, "image", p.ID)
		}
		t.split = l.splitOf(t.id, manifests.Train)
		switch {
		case len(p.annotations) == 0 && l.has(t.id):
			l.Read++
			l.aside("other_class", origin+": image "+string(p.ID)+": "+string(p.File)+" has no annotation any more")
			continue
		case len(p.annotations) == 0:
			l.Read++
			l.Other["other_class"]++
			continue
		case p.File == "":
			l.drop(t.id, "missing_image", fmt.Sprintf("%s: image %s has no file_name", origin, p.ID))
			continue
		case p.err != nil:
			l.drop(t.id, "missing_image", fmt.Sprintf("%s lists %s: %v", origin, p.File, p.err))
			continue
		case p.how != "":
			l.Warnings[p.how]++
		}
		t.image = files[p.path]
		t.layers = cocoLayers(p, &t.image, origin, digest)
		t.boxes = l.cocoBoxes(t.id, origin, p.annotations)
		l.tasks = append(l.tasks, &t)
	}
	return nil
}

// placed finds the files of the pictures. Entries of one file are one picture if its names allow
// that: see format.Settle. Names may begin with the folder of pictures, root.
func (l *lister) placed(pictures []cocoPicture, files map[string]entry, paths *format.Paths, root, origin string) (out []*cocoPicture) {
	names := make([]string, len(pictures))
	for i := range pictures {
		names[i] = belowRoot(format.CleanPath(string(pictures[i].File)), root, files)
	}
	first := map[string]*cocoPicture{} // the entry that the others join
	for i, f := range paths.FindAll(names, true) {
		p := &pictures[i]
		p.path, p.how, p.err = f.File, f.How, f.Err
		switch old := first[p.path]; {
		case p.err != nil:
		case old == nil:
			first[p.path] = p
		case old.Width > 0 && p.Width > 0 && (old.Width != p.Width || old.Height != p.Height):
			l.lost(safeID(names[i]), "mask_size", fmt.Sprintf("%s: image %s states %d x %d pixels, and image %s of the same file %d x %d: "+
				"what is drawn on it is not used", origin, p.ID, p.Width, p.Height, old.ID, old.Width, old.Height))
			continue
		default:
			old.annotations = append(old.annotations, p.annotations...)
			l.aside("image_listed_twice", fmt.Sprintf("%s: images %s and %s are both %s: their annotations are joined", origin, old.ID,
				p.ID, p.path))
			continue
		}
		out = append(out, p)
	}
	return out
}

// belowRoot is a name without the folder of pictures that it begins with, if there is such a file.
func belowRoot(name, root string, files map[string]entry) string {
	if _, ok := files[name]; ok {
		return name
	}
	for i, c := range name {
		if c != '/' || !strings.HasSuffix(root, "/"+name[:i]) {
			continue
		}
		if _, ok := files[name[i+1:]]; ok {
			return name[i+1:]
		}
	}
	return name
}

// readCOCO reads a file of any size.
func readCOCO(file string, v format.COCOVisitor) error {
	f, _, err := openSource(file, "a JSON file", "got an archive or a compressed file, want the JSON file itself: unpack it and "+
		"name the file of the instances, such as instances_train2017.json; the folder of the pictures may be an archive")
	if err != nil {
		return err
	}
	defer f.Close()
	return format.ReadCOCO(bufio.NewReaderSize(f, 1<<16), v)
}

// otherJSON says what a file is if it is another tool's: see format.OtherJSON.
func otherJSON(file string) string {
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() || st.Size() > 1<<28 {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return format.OtherJSON(data, "coco")
}

// cocoLayers makes the mask of a picture. Where no annotation has pixels, the boxes are left; one
// without a box is refused.
func cocoLayers(p *cocoPicture, image *entry, origin string, digest manifests.Digest) layerer {
	return func(opts *Options) ([]layer, error) {
		where := fmt.Sprintf("%s: image %s", origin, p.ID)
		width, height := int(p.Width), int(p.Height)
		if width <= 0 || height <= 0 { // some tools write none, or -1
			data, err := image.read(opts.Limits.MaxBytes)
			if err == nil {
				width, height, err = raster.Size(data)
			}
			if err != nil {
				return nil, &layerFault{"mask_size", where, fmt.Errorf("got no width and height, and the picture's cannot be read: %w", err)}
			}
		}
		if int64(width) > opts.Limits.MaxPixels/int64(height) {
			return nil, &layerFault{"too_large", where, remedied(fmt.Errorf("%w: got %d x %d pixels, want at most %d",
				raster.ErrLimit, width, height, opts.Limits.MaxPixels))}
		}
		m, bad, err := format.COCOMask(p.annotations, height, width)
		if err != nil {
			return nil, &layerFault{"corrupt_mask", where, err}
		}
		if m == nil {
			return nil, cocoBoxed(p, where, bad)
		}
		l := layer{mask: m, origin: where, tier: manifests.Manual, by: "COCO annotators", used: []manifests.Digest{digest}}
		if slices.ContainsFunc(p.annotations, func(a format.COCOAnnotation) bool { return a.BoxDisagrees() }) {
			l.remarks = append(l.remarks, "box_disagrees")
		}
		for _, err := range bad {
			l.parts = append(l.parts, annotationFault(where, err, "the picture is kept"))
		}
		return []layer{l}, nil
	}
}

// cocoBoxed is what becomes of a picture of whose annotations none has pixels: its boxes count, and
// shapes that could not be used are named. Without a box it is refused.
func cocoBoxed(p *cocoPicture, where string, bad []error) error {
	boxed := slices.ContainsFunc(p.annotations, func(a format.COCOAnnotation) bool { r, err := a.Rect(); return r != nil && err == nil })
	dropped := &layerFault{"empty_annotation", where, bad[0]}
	var parts boxesAlone
	for _, err := range bad {
		if !errors.Is(err, format.ErrNoPixels) {
			parts = append(parts, annotationFault(where, err, "the picture is kept with its boxes"))
		}
		if !errors.Is(err, format.ErrNoPixels) && !errors.Is(err, format.ErrNoFigure) {
			dropped = annotationFault(where, err, "no annotation of the picture has a box")
		}
	}
	if boxed {
		return parts
	}
	return dropped
}

// annotationFault names an annotation that cannot be used, and what becomes of the picture.
func annotationFault(where string, err error, then string) *layerFault {
	reason := "bad_annotation"
	if errors.Is(err, format.ErrFractions) {
		reason = "box_fraction"
	}
	return &layerFault{reason, where, fmt.Errorf("%w; %s", err, then)}
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
	return &boxes{file: f, origin: origin, rule: &format.BoxCSVRule, names: func(string) bool { return true }}
}

// wantInstances ends the message about a file of another kind.
const wantInstances = ": want a file of instances, such as instances_train2017.json, not of captions or panoptic segments"

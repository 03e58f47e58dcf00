package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// coco reads instances files: all that are named annotations.json, as export makes them, or begin
// with instances, as COCO's own do beside captions and keypoints; if there are none, all .json
// files. Objects of the class are figure; those of the category void, and crowds of the class, are
// void where they are not figure. A picture without objects has an empty mask. Another category is
// an error of its picture, unless it is to be ground.
func (s *source) coco(o Options) (out []Drawn, err error) {
	list := s.files
	if len(list) > 1 {
		list = s.all(func(base string) bool { return path.Ext(base) == ".json" })
	}
	var instances, rest []file
	for _, f := range list {
		base := strings.ToLower(path.Base(f.name))
		switch {
		case base == "annotations.json" || strings.HasPrefix(base, "instances"):
			instances = append(instances, f)
		case !slices.ContainsFunc(cocoCompanions, func(p string) bool { return strings.HasPrefix(base, p) }):
			rest = append(rest, f)
		}
	}
	if len(instances) == 0 {
		instances, rest = list, nil
	}
	for _, f := range instances {
		data, err := f.read(maxFile)
		if err != nil {
			return nil, s.in(f, err)
		}
		drawn, err := cocoMasks(data, f.name, s.digestOf(data), o)
		if err != nil {
			return nil, s.in(f, otherTool(data, COCO, err))
		}
		out = append(out, drawn...)
	}
	for _, f := range rest {
		out = append(out, Drawn{Name: f.name, File: f.name,
			Err: fmt.Errorf("was not read: beside %s only annotations.json and instances*.json are; name this file with --masks",
				instances[0].name)})
	}
	return out, nil
}

// cocoCompanions begin the names of files that COCO has beside instances.
var cocoCompanions = []string{"captions", "person_keypoints", "panoptic", "stuff", "image_info", "labels"}

func cocoMasks(data []byte, file string, digest manifests.Digest, o Options) ([]Drawn, error) {
	var images []format.COCOImage
	names := map[format.COCOID]string{}
	of := map[format.COCOID][]format.COCOAnnotation{}
	take := func(a format.COCOAnnotation) error {
		of[a.Image] = append(of[a.Image], a)
		return nil
	}
	var out []Drawn
	err := format.ReadCOCO(bytes.NewReader(data), format.COCOVisitor{
		Image:      func(im format.COCOImage) error { images = append(images, im); return nil },
		Category:   func(c format.COCOCategory) error { return c.Clash(names, o.Class) },
		Annotation: take,
		Bad: func(b format.COCOBad) error {
			if b.Kind == "annotation" && b.Annotation.Image != "" {
				return take(b.Annotation)
			}
			out = append(out, Drawn{Name: fmt.Sprintf("%s %s", b.Kind, b.ID), File: file, Err: b.Err})
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	if err := hasCategory(names, o.Class); err != nil {
		return nil, err
	}
	var head struct{ Info cocoInfo }
	blank := map[format.COCOID]bool{}
	if json.Unmarshal(data, &head) == nil { // another tool's may be anything
		for _, id := range head.Info.Without {
			blank[format.COCOID(strconv.Itoa(id))] = true
		}
	}
	for _, e := range joinEntries(images, of, o) {
		d := Drawn{Name: e.name, File: file}
		if e.name == "" {
			d.Name, d.Err = "image "+string(e.images[0].ID), errors.New("got no file_name")
		}
		d.Mask = func(width, height int) (*raster.Mask, manifests.Digest, error) {
			m, err := cocoMask(e, names, o, width, height)
			if err == nil && blank[e.images[0].ID] && len(e.annotations) == 0 {
				return m, digest, ErrBlank
			}
			return m, digest, err
		}
		out = append(out, d)
	}
	for _, im := range images {
		delete(of, im.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		out = append(out, Drawn{Name: "image_id " + string(id), File: file,
			Err: fmt.Errorf("%d annotations of an image that the file does not list", len(of[id]))})
	}
	return out, nil
}

// pictureName drops the extension of a picture's file, unless only the name with it is a record's.
func (o *Options) pictureName(file string) string {
	if name := format.PictureStem(file); o.known(name) || !o.known(file) {
		return name
	}
	return file
}

// A cocoEntry is a picture: an entry of the file's images, or several of one file name.
type cocoEntry struct {
	name        string // "" if it has none
	images      []format.COCOImage
	annotations []format.COCOAnnotation
}

// joinEntries makes a picture of each entry. Entries of one picture are joined: of the same name,
// or of the same record if one has more folders before.
func joinEntries(images []format.COCOImage, of map[format.COCOID][]format.COCOAnnotation, o Options) []*cocoEntry {
	var list []*cocoEntry
	byName, byRecord := map[string]*cocoEntry{}, map[int]*cocoEntry{}
	for _, im := range images {
		e := &cocoEntry{}
		if im.File != "" {
			e.name = o.pictureName(format.CleanPath(string(im.File)))
		}
		same := byName[e.name]
		record, ok := o.Record(e.name)
		if other := byRecord[record]; ok && same == nil && other != nil &&
			(strings.HasSuffix(e.name, "/"+other.name) || strings.HasSuffix(other.name, "/"+e.name)) {
			same = other
		}
		if e.name == "" || same == nil {
			list, same = append(list, e), e
			if byName[e.name] = e; ok && byRecord[record] == nil {
				byRecord[record] = e
			}
		}
		same.images = append(same.images, im)
		same.annotations = append(same.annotations, of[im.ID]...)
	}
	return list
}

// hasCategory is the error of a file that has categories, but not the class.
func hasCategory(names map[format.COCOID]string, class string) error {
	var all []string
	for _, n := range names {
		if n == class || format.IsVoid(n) {
			return nil
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return nil
	}
	return renamed(format.NoCategory(all, class), class)
}

// cocoMask lays the annotations of one picture over one another.
func cocoMask(e *cocoEntry, names map[format.COCOID]string, o Options, width, height int) (*raster.Mask, error) {
	for _, im := range e.images { // some tools write no size, or -1
		if im.Width > 0 && im.Height > 0 && (int(im.Width) != width || int(im.Height) != height) {
			return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", im.Width, im.Height, width, height)
		}
	}
	var list []format.COCOAnnotation
	for _, a := range e.annotations {
		switch name := names[a.Category]; {
		case name == o.Class:
		case format.IsVoid(name):
			a.Crowd = true
		default:
			if err := o.other(name, o.Class+" or "+VoidLabel); err != nil {
				return nil, fmt.Errorf("annotation %s: category: %w", a.ID, err)
			}
			continue
		}
		list = append(list, a)
	}
	m, bad, err := format.COCOMask(list, height, width)
	switch {
	case err == nil && m == nil:
		err = bad[0]
	case err == nil && len(bad) > 0:
		err = &Partial{bad}
	}
	return m, err
}

type cocoFile struct {
	Info        cocoInfo       `json:"info"`
	Licenses    []any          `json:"licenses"`
	Images      []cocoImage    `json:"images"`
	Annotations []cocoObject   `json:"annotations"`
	Categories  []cocoCategory `json:"categories"`
}

type cocoInfo struct {
	Description string `json:"description"`
	Without     []int  `json:"without_mask"` // ids of the images that export had no mask of
}

type cocoImage struct {
	ID     int    `json:"id"`
	File   string `json:"file_name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type cocoCategory struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Super string `json:"supercategory"`
}

type cocoObject struct {
	ID       int     `json:"id"`
	Image    int     `json:"image_id"`
	Category int     `json:"category_id"`
	Area     int     `json:"area"`
	Box      [4]int  `json:"bbox"`
	Crowd    int     `json:"iscrowd"`
	Runs     cocoRLE `json:"segmentation"`
}

type cocoRLE struct {
	Size   [2]int `json:"size"`
	Counts string `json:"counts"`
}

func newCOCO(class string) *cocoFile {
	return &cocoFile{Info: cocoInfo{"masks for annotation", []int{}}, Licenses: []any{}, Images: []cocoImage{},
		Annotations: []cocoObject{},
		Categories:  []cocoCategory{{1, class, ""}, {2, VoidLabel, ""}}}
}

func (f *cocoFile) add(name string, it Item) {
	id := len(f.Images) + 1
	f.Images = append(f.Images, cocoImage{id, name + ".png", it.Image.Width, it.Image.Height})
	if it.Mask == nil {
		f.Info.Without = append(f.Info.Without, id)
		return
	}
	for k, v := range []uint8{raster.Figure, raster.Void} {
		r := format.RLEOf(it.Mask, v)
		if r.Area() == 0 {
			continue
		}
		x, y, w, h := r.Bounds()
		f.Annotations = append(f.Annotations, cocoObject{ID: len(f.Annotations) + 1, Image: id, Category: k + 1, Area: r.Area(),
			Box:   [4]int{x, y, w, h},
			Crowd: k, Runs: cocoRLE{[2]int{it.Image.Height, it.Image.Width}, r.String()}})
	}
}

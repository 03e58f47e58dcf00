package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/export"
	"hdseg/manifests/raster"
)

// exports are what export.CarriedFiles say of the sources that are exports of ours.
type exports struct {
	files    []string          // that were read
	pictures []*export.Carried // all of their lines
	// by source: the split of each id, "" for an id in both
	splits map[string]map[string]manifests.Split
}

// readExports reads the CarriedFiles of the exports that the sources of a request lie in, before
// anything of them is decoded. One that cannot be read is an error that names it and the remedy.
func readExports(ctx context.Context, req *Request, store *manifests.Store) (*exports, error) {
	x := &exports{splits: map[string]map[string]manifests.Split{}}
	l := newLister(ctx, req, store)
	defer l.close()
	for _, s := range req.sources() {
		if !slices.Contains([]string{"hdseg", "voc", "folder", "coco", "test"}, s.flag) {
			continue // no export is of this kind
		}
		for _, source := range s.paths {
			if err := x.read(l, source); err != nil {
				return nil, fmt.Errorf("ingest: %w", err)
			}
		}
	}
	return x, nil
}

// read reads those of one source.
func (x *exports) read(l *lister, source string) error {
	texts, err := l.carriedTexts(source)
	if err != nil || len(texts) == 0 {
		return err
	}
	ids := map[string]manifests.Split{}
	for _, t := range texts {
		list, err := readCarried(t)
		if err != nil {
			return fmt.Errorf("%w: remove it or export again", err)
		}
		for _, c := range list {
			split := c.Record.Split
			if was, ok := ids[c.Record.ID]; ok && was != split {
				split = ""
			}
			ids[c.Record.ID] = split
		}
		if !slices.Contains(x.files, t.origin) {
			x.files = append(x.files, t.origin)
			x.pictures = append(x.pictures, list...)
		}
	}
	x.splits[source] = ids
	return nil
}

// carriedTexts finds the CarriedFile of the export that a source lies in: in the source or the
// folder around it, and for a COCO file or the folder of a VOC year one folder further. Of an
// archive it is what the archive holds; one that is damaged is left to those who read its pictures.
func (l *lister) carriedTexts(source string) (texts []entry, err error) {
	dir := filepath.Clean(source)
	st, err := os.Stat(dir)
	if err == nil && st.Mode().IsRegular() && !strings.EqualFold(filepath.Ext(dir), ".json") {
		err := l.walk(source, func(string) bool { return false }, func(e entry) error {
			if path.Base(e.name) == export.CarriedFile {
				texts = append(texts, e)
			}
			return nil
		})
		if err != nil && l.ctx.Err() != nil {
			return nil, l.ctx.Err()
		}
	}
	up := 1
	if base := filepath.Base(dir); strings.EqualFold(filepath.Ext(base), ".json") || len(base) == 7 && strings.HasPrefix(base, "VOC20") {
		up = 2
	}
	for ; up >= 0 && len(texts) == 0; up-- {
		name := filepath.Join(dir, export.CarriedFile)
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			return []entry{{origin: name, file: name, size: st.Size()}}, nil
		}
		dir = filepath.Dir(dir)
	}
	return texts, nil
}

func readCarried(e entry) (out []*export.Carried, err error) {
	data, err := e.read(1 << 30) // that of 156,000 pictures has 200 MB
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.origin, err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		c := &export.Carried{}
		if err := json.Unmarshal(line, c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", e.origin, n, err)
		}
		if c.Record.ID == "" {
			return nil, fmt.Errorf("%s:%d: got no record, want one", e.origin, n)
		}
		out = append(out, c)
	}
	return out, nil
}

// fileID is the id of a picture by its file's name or path: that of an export as it is, any other
// made safe.
func (l *lister) fileID(name string) string {
	if pictureName(name) {
		if id := strings.TrimSuffix(name, path.Ext(name)); l.has(id) {
			return id
		}
	}
	return safeID(name)
}

// stemID is fileID of a name that has no extension.
func (l *lister) stemID(stem string) string {
	if l.has(stem) {
		return stem
	}
	return safeID(stem)
}

// has tells whether the source is an export with a picture of this id.
func (l *lister) has(id string) bool {
	_, ok := l.exported[id]
	return ok
}

// splitOf is the split of a picture that the user names for split: an export's test stays test.
func (l *lister) splitOf(id string, split manifests.Split) manifests.Split {
	if l.exported[id] == manifests.Test {
		return manifests.Test
	}
	return split
}

// restore copies source, tier, boxes, origin, provenance and paths from the exported manifests to
// records that are as they were exported. Changed records keep what reading them gave, and so do
// those whose voters were not read.
func (x *exports) restore(s *manifests.Store, res *Result) error {
	type picture struct {
		id  string
		sum manifests.Digest
	}
	known := map[picture]*export.Carried{}
	for _, c := range x.pictures {
		known[picture{c.Record.ID, c.Record.Image.SHA256}] = c
	}
	m := res.Manifest
	ids := map[string]bool{}
	read, named := map[string]bool{}, map[string]bool{} // paths, of records as read and as they end
	for i := range m.Records {
		ids[m.Records[i].ID] = true
	}
	for i := range m.Records {
		r := &m.Records[i]
		k := picture{r.ID, r.Image.SHA256}
		if c := known[k]; c != nil {
			want, err := original(s, m, r, c, ids)
			if err != nil {
				return fmt.Errorf("ingest: %s: restoring it: %w", r.ID, err)
			}
			if want != nil {
				addFiles(r, read)
				*r = *want
				res.Restored++
				delete(known, k)
			}
		}
		addFiles(r, named)
	}
	for _, c := range known {
		if ids[c.Record.ID] {
			res.NotRestored++
		} else {
			res.NotFound++
		}
	}
	slices.SortFunc(m.Records, func(a, b manifests.Record) int { return a.Compare(&b) })
	for p := range read {
		name, err := s.Path(p)
		if err == nil && !named[p] {
			err = os.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("ingest: a file that was read twice: %w", err)
		}
	}
	return nil
}

// addFiles adds the paths of a record's files.
func addFiles(r *manifests.Record, to map[string]bool) {
	to[r.Image.Path] = true
	for _, k := range r.Masks {
		to[k.Path] = true
	}
}

// original returns the record that r was exported from, its files stored; nil if it is not the same
// any more.
func original(s *manifests.Store, m *manifests.Manifest, r *manifests.Record, c *export.Carried,
	ids map[string]bool) (*manifests.Record, error) {
	want := c.Record
	want.Split = r.Split // folders are read for the split that the user names
	want.Masks = slices.Clone(want.Masks)
	tag := want.Image.Orientation
	w, h := want.Image.Width, want.Image.Height
	if (tag > 4) != (r.Image.Orientation > 4) {
		w, h = h, w
	}
	// version 0.1 carried the box of no figure
	boxes := slices.DeleteFunc(slices.Clone(c.Boxes), manifests.Box.Empty)
	switch {
	case len(r.Masks) != len(want.Masks), !slices.Equal(r.Boxes, sortedBoxes(boxes)):
		return nil, nil
	case w != r.Image.Width || h != r.Image.Height || want.Image.Format != r.Image.Format:
		return nil, nil
	case tag == r.Image.Orientation && want.Image.Pixels != r.Image.Pixels:
		return nil, nil
	}
	alone := manifests.Manifest{Header: m.Header, Records: []manifests.Record{want}}
	alone.Skipped = nil
	if len(alone.Validate()) > 0 {
		return nil, nil
	}
	image, err := s.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		return nil, err
	}
	files := map[*string][]byte{&want.Image.Path: image}
	for _, k := range r.Masks {
		data, err := s.Read(k.Path, k.SHA256)
		if err != nil {
			return nil, err
		}
		mask, err := raster.DecodeMask(data)
		if err != nil {
			return nil, err
		}
		same := func(k manifests.Mask) bool { return k.SHA256 == manifests.Sum(data) }
		i := slices.IndexFunc(want.Masks, same)
		if i < 0 && tag > 1 { // read as it is stored, or turned once too often
			data = raster.EncodeMaskPNG(raster.OrientMask(mask, tag))
			i = slices.IndexFunc(want.Masks, same)
		}
		if i < 0 || want.Masks[i].Figure != k.Figure || want.Masks[i].Void != k.Void {
			return nil, nil
		}
		if slices.ContainsFunc(want.Masks[i].WasDerivedFrom, func(id string) bool { return !ids[id] }) {
			return nil, nil
		}
		files[&want.Masks[i].Path] = data
	}
	if len(files) != 1+len(want.Masks) { // two masks were the same
		return nil, nil
	}
	for to, data := range files {
		// The store makes the name DIR/STEM.DIGEST.EXT of its parts again.
		dir, base := path.Split(*to)
		ext := path.Ext(base)
		stem := strings.TrimSuffix(strings.TrimSuffix(base, ext), "."+manifests.Sum(data).Short())
		if !strings.HasPrefix(dir, "images/") && !strings.HasPrefix(dir, "masks/") || len(ext) < 2 {
			return nil, nil
		}
		if *to, _, err = s.Put(path.Clean(dir), stem, ext[1:], data); err != nil {
			return nil, err
		}
	}
	return &want, nil
}

// sortedBoxes sorts boxes from top to bottom, each once.
func sortedBoxes(boxes []manifests.Box) []manifests.Box {
	slices.SortFunc(boxes, func(a, b manifests.Box) int {
		return cmp.Or(cmp.Compare(a.YMin, b.YMin), cmp.Compare(a.XMin, b.XMin), cmp.Compare(a.YMax, b.YMax), cmp.Compare(a.XMax, b.XMax))
	})
	return slices.Compact(boxes)
}

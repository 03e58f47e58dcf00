package export

import (
	"bufio"
	"bytes"
	"cmp"
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
	"hdseg/manifests/raster"
)

// Carried is what CarryFiles say of exports, by record.
type Carried struct {
	Files []string // that were read
	known map[string]*carried
	ids   map[string]map[string]manifests.Split // of each of these sources, by id; "" for an id in both splits
	roots map[string]bool                       // of the sources that lie in these exports: how the origins of their records begin
	coco  bool                                  // one of them is a COCO file, whose pictures lie in another folder
}

// ReadCarried reads the CarryFiles of the exports that these sources lie in, before anything of them is decoded. A source that is no export has none;
// a CarryFile that cannot be read is an error that names it and the remedy.
func ReadCarried(sources []string) (*Carried, error) {
	all := &Carried{known: map[string]*carried{}, roots: map[string]bool{}, ids: map[string]map[string]manifests.Split{}}
	byFile := map[string]map[string]manifests.Split{}
	for _, source := range sources {
		texts, err := carryTexts(source)
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		if len(texts) == 0 {
			continue
		}
		all.roots[filepath.Base(source)] = true
		all.coco = all.coco || strings.EqualFold(filepath.Ext(source), ".json")
		for _, t := range texts {
			if byFile[t.file] != nil {
				continue
			}
			list, err := readCarried(t)
			if err != nil {
				return nil, fmt.Errorf("export: %w: remove it or export again", err)
			}
			byFile[t.file] = map[string]manifests.Split{}
			for _, c := range list {
				all.known[carryKey(&c.Record)] = c
				addSplit(byFile[t.file], c.Record.ID, c.Record.Split)
			}
			all.Files = append(all.Files, t.file)
		}
		ids := map[string]manifests.Split{}
		for _, t := range texts {
			for id, split := range byFile[t.file] {
				addSplit(ids, id, split)
			}
		}
		all.ids[source] = ids
	}
	return all, nil
}

// addSplit notes the split of an id, "" for one that is in both.
func addSplit(ids map[string]manifests.Split, id string, split manifests.Split) {
	if was, ok := ids[id]; ok && was != split {
		split = ""
	}
	ids[id] = split
}

// IDs returns the splits of the pictures of each source that lies in an export, by id: "" for an id that is in both splits.
func (all *Carried) IDs() map[string]map[string]manifests.Split { return all.ids }

// Restore gives records that were read of exports back what the manifest said of them: source, split, tier, boxes, origin and
// the masks' provenance, and the paths of their files. Only those whose picture, masks and boxes are still as they were exported: what somebody has changed keeps
// what reading it gave, and so does what was voted for by records that were not read. It returns how many it restored,
// how many it did not although they were read of an export and its CarryFile has their id, and how many of the CarryFiles' pictures have an id that no
// record has.
func (all *Carried) Restore(s *manifests.Store, m *manifests.Manifest) (restored, not, missing int, err error) {
	known := all.known
	if len(known) == 0 {
		return 0, 0, 0, nil
	}
	ids, taken := map[string]bool{}, map[splitID]bool{}
	for i := range m.Records {
		ids[m.Records[i].ID] = true
		taken[splitID{m.Records[i].Split, m.Records[i].ID}] = true
	}
	carriedIDs := map[string]bool{}
	for _, c := range known {
		carriedIDs[c.Record.ID] = true
		if !ids[c.Record.ID] {
			missing++
		}
	}
	n, same := 0, 0
	var left []string // paths that may not be named any more
	for i := range m.Records {
		r := &m.Records[i]
		c := known[carryKey(r)]
		if carriedIDs[r.ID] && all.reads(r) {
			same++
		}
		if c == nil || !c.votersIn(ids) || !sameBoxes(r.Boxes, c.Boxes) || len(r.Masks) != len(c.Record.Masks) {
			continue
		}
		want := c.Record
		if was := (splitID{c.Record.Split, r.ID}); r.Source == "folder" || was.split != r.Split && taken[was] {
			want.Split = r.Split // folders are read for the split that the user names
		}
		if !sound(m, r, &want) {
			continue
		}
		ok, err := restore(s, r, c)
		if err != nil {
			return n, 0, 0, fmt.Errorf("export: %s: %w", r.ID, err)
		}
		if ok {
			n++
			if !all.reads(r) { // the same picture of another source
				same++
			}
			left = append(left, r.Image.Path)
			for _, k := range r.Masks {
				left = append(left, k.Path)
			}
			delete(taken, splitID{r.Split, r.ID})
			*r = want
			taken[splitID{r.Split, r.ID}] = true
		}
	}
	slices.SortFunc(m.Records, func(a, b manifests.Record) int { return a.Compare(&b) })
	return n, same - n, missing, drop(s, m, left)
}

// reads tells whether a record was read of one of the exports.
func (all *Carried) reads(r *manifests.Record) bool {
	root, _, _ := strings.Cut(r.Image.Origin, "/")
	root, _, _ = strings.Cut(root, "!")
	return all.roots[root] || all.coco && r.Source == "coco"
}

// A splitID names a record.
type splitID struct {
	split manifests.Split
	id    string
}

// sound tells whether a record may go into a manifest: it is valid by itself, and has the size and the areas that were read.
func sound(m *manifests.Manifest, r, want *manifests.Record) bool {
	alone := manifests.Manifest{Header: m.Header, Records: []manifests.Record{*want}}
	alone.Skipped = nil
	if len(alone.Validate()) > 0 {
		return false
	}
	w, h := want.Image.Width, want.Image.Height
	if (want.Image.Orientation > 4) != (r.Image.Orientation > 4) {
		w, h = h, w
	}
	if w != r.Image.Width || h != r.Image.Height || want.Image.Format != r.Image.Format {
		return false
	}
	if want.Image.Orientation == r.Image.Orientation && want.Image.Pixels != r.Image.Pixels {
		return false
	}
	if _, drawn := want.MaskOf(manifests.Manual); want.Tier == manifests.Manual && !drawn {
		return false
	}
	for _, k := range r.Masks {
		for _, c := range want.Masks {
			if c.SHA256 == k.SHA256 && (c.Figure != k.Figure || c.Void != k.Void) {
				return false
			}
		}
	}
	return true
}

// votersIn tells whether all the records that voted for the masks are there.
func (c *carried) votersIn(ids map[string]bool) bool {
	for _, k := range c.Record.Masks {
		for _, id := range k.WasDerivedFrom {
			if !ids[id] {
				return false
			}
		}
	}
	return true
}

func carryKey(r *manifests.Record) string { return r.ID + " " + string(r.Image.SHA256) }

// carryFile returns the CarryFile of the export that a source lies in, "" for none: in the source itself or the folder around it, and for a COCO
// file or the folder of a VOC year one folder further.
func carryFile(source string) string {
	dir := filepath.Clean(source)
	up := 1
	if base := filepath.Base(dir); strings.EqualFold(filepath.Ext(base), ".json") || len(base) == 7 && strings.HasPrefix(base, "VOC20") {
		up = 2
	}
	for range up + 1 {
		name := filepath.Join(dir, CarryFile)
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			return name
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// A carryText is a CarryFile, or what an archive holds of one.
type carryText struct {
	file string
	data []byte
}

// carryTexts reads the CarryFiles of the export that a source lies in or, of an archive, those that it holds.
func carryTexts(source string) (out []carryText, err error) {
	for i, data := range carriedIn(source) {
		name := source + "!" + CarryFile
		if i > 0 {
			name += fmt.Sprintf(" (%d)", i+1)
		}
		out = append(out, carryText{name, data})
	}
	if file := carryFile(source); len(out) == 0 && file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, carryText{file, data})
	}
	return out, nil
}

// maxCarryLine bounds a line of a CarryFile, in bytes.
const maxCarryLine = 16 << 20

func readCarried(t carryText) (all []*carried, err error) {
	file, lines := t.file, bufio.NewScanner(bytes.NewReader(t.data))
	lines.Buffer(nil, maxCarryLine)
	n := 0
	for lines.Scan() {
		n++
		c := &carried{}
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if c.Record.ID == "" {
			return nil, fmt.Errorf("%s:%d: got no record, want one", file, n)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
	}
	return all, nil
}

func sameBoxes(a, b []manifests.Box) bool {
	sorted := func(list []manifests.Box) []manifests.Box {
		list = slices.DeleteFunc(slices.Clone(list), manifests.Box.Empty) // earlier versions carry the box of no figure
		slices.SortFunc(list, func(a, b manifests.Box) int {
			return cmp.Or(a.XMin-b.XMin, a.YMin-b.YMin, a.XMax-b.XMax, a.YMax-b.YMax)
		})
		return slices.Compact(list)
	}
	return slices.Equal(sorted(a), sorted(b))
}

// restore puts the files of a record where they were, if they are the same.
func restore(s *manifests.Store, r *manifests.Record, c *carried) (bool, error) {
	files := map[string][]byte{}
	data, err := s.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		return false, err
	}
	files[c.Record.Image.Path] = data
	for _, k := range r.Masks {
		if data, err = s.Read(k.Path, k.SHA256); err != nil {
			return false, err
		}
		i := slices.IndexFunc(c.Record.Masks, func(w manifests.Mask) bool { return w.SHA256 == k.SHA256 })
		// It was read as it is stored, or, of an image folder, turned once too often: there its size tells nothing of tags 2 to 4.
		if i < 0 && c.Record.Image.Orientation > 1 {
			mask, err := raster.DecodeMask(data)
			if err != nil {
				return false, err
			}
			data = raster.EncodeMaskPNG(raster.OrientMask(mask, c.Record.Image.Orientation))
			sum := manifests.Sum(data)
			i = slices.IndexFunc(c.Record.Masks, func(w manifests.Mask) bool { return w.SHA256 == sum })
		}
		if i < 0 {
			return false, nil
		}
		files[c.Record.Masks[i].Path] = data
	}
	if len(files) != 1+len(c.Record.Masks) {
		return false, nil // two masks were the same
	}
	for at, data := range files {
		if !strings.HasPrefix(at, "images/") && !strings.HasPrefix(at, "masks/") {
			return false, nil
		}
		old, err := s.Read(at, "")
		switch {
		case err == nil && bytes.Equal(old, data):
			continue
		case err == nil:
			return false, nil // another record's
		case !errors.Is(err, fs.ErrNotExist):
			return false, err
		}
		if err := place(s, at, data); err != nil {
			return false, err
		}
	}
	return true, nil
}

// place stores data at a path, without waiting for the disk where the path is one that the store makes: DIR/STEM.DIGEST.EXT.
func place(s *manifests.Store, at string, data []byte) error {
	base := strings.Split(path.Base(at), ".")
	n := len(base)
	if n < 3 || base[n-2] != manifests.Sum(data).Short() {
		return s.Replace(at, data)
	}
	_, _, err := s.Put(path.Dir(at), strings.Join(base[:n-2], "."), base[n-1], data)
	return err
}

// drop removes files that the manifest does not name any more.
func drop(s *manifests.Store, m *manifests.Manifest, paths []string) error {
	named := map[string]bool{}
	for i := range m.Records {
		named[m.Records[i].Image.Path] = true
		for _, k := range m.Records[i].Masks {
			named[k.Path] = true
		}
	}
	for _, p := range paths {
		if named[p] {
			continue
		}
		name, err := s.Path(p)
		if err != nil {
			return err
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
)

// A Request names the sources of a data set and how to read them. Every path but that of a COCO
// JSON or .mat file may be a folder or a tar, tar.gz, tar.bz2 or zip archive under any name;
// archives may lie in folders and in one another.
type Request struct {
	Dataset string          // horseseg, dogseg, ...
	Class   manifests.Class // whose objects are figure
	// Class.VOC was given with the command: it counts also beside a list of labels that is not read
	Numbered bool     `json:",omitempty"`
	VOC      []string // devkits: of each the newest year gives manual records
	// pictures named wnid_number: synset archives, their folder, ILSVRC trees
	ImageNet []string
	Boxes    []string // XML files named like the pictures
	Stanford []string // iccv09Data trees; Options.Region is figure
	HDSeg    []string // published HDSeg trees, with or without images/
	Segments []string // gtsegs_ijcv.mat: ImageNet-Segmentation
	COCO     []COCO   // the category with the class's name is figure
	Folders  []string // plain folders: images/, and masks/ and boxes.csv where there are any
	Test     string   // a folder with images/ and masks/: the test split; "" for none
	Restore  bool     // bring back the records of our own exports as they were exported
	Options  Options
	Workers  int    // goroutines that decode, 1..; the result does not depend on it
	Version  string // of the tool, for the manifest's header
}

// Validate reports what keeps a request from being run.
func (r *Request) Validate() error {
	if err := CheckClass(r.Class); err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	if r.Dataset == "" {
		return errors.New("ingest: got no data set name")
	}
	if r.Workers < 1 {
		return fmt.Errorf("ingest: workers: got %d, want at least 1", r.Workers)
	}
	if !slices.ContainsFunc(r.sources(), func(f flagged) bool { return f.flag != "boxes" && len(f.paths) > 0 }) {
		return errors.New("ingest: got no source: want at least one of --folder, --voc, --imagenet, --coco, --hdseg, --stanford, " +
			"--segments and --test")
	}
	if len(r.Boxes) > 0 && len(r.ImageNet) == 0 {
		return fmt.Errorf("ingest: boxes %s: got no ImageNet pictures that they could belong to: give --imagenet too", r.Boxes[0])
	}
	if len(r.ImageNet)+len(r.Segments) > 0 && len(r.Class.Synsets) == 0 {
		return fmt.Errorf("ingest: class %s has no synsets, so ImageNet cannot be a source", r.Class.Name)
	}
	if err := r.repeated(); err != nil {
		return err
	}
	return r.Options.Validate()
}

// A flagged list holds the sources of one kind.
type flagged struct {
	flag  string
	paths []string
}

// sources returns all sources by the flags that name them, in the order in which they are listed:
// of COCO the instances files; HDSeg last, whose masks may belong to pictures of the others.
func (r *Request) sources() []flagged {
	var coco, test []string
	for _, c := range r.COCO {
		coco = append(coco, c.Instances)
	}
	if r.Test != "" {
		test = []string{r.Test}
	}
	return []flagged{
		{"boxes", r.Boxes}, {"voc", r.VOC}, {"imagenet", r.ImageNet}, {"stanford", r.Stanford}, {"segments", r.Segments},
		{"coco", coco}, {"folder", r.Folders}, {"test", test}, {"hdseg", r.HDSeg},
	}
}

// repeated reports a source that is given twice: everything in it would be a duplicate of itself.
func (r *Request) repeated() error {
	for _, list := range r.sources() {
		first := map[string]string{}
		for i, p := range list.paths {
			key := same(p)
			if list.flag == "coco" { // one file may be of several folders
				key += "=" + same(r.COCO[i].Images)
			}
			if old, ok := first[key]; ok {
				return fmt.Errorf("ingest: --%s %s is the same source as --%s %s: name it once", list.flag, p, list.flag, old)
			}
			first[key] = p
		}
	}
	return nil
}

// Readable reports a source that is missing or may not be read, before any work.
func (r *Request) Readable() error {
	var pictures []string
	for _, c := range r.COCO {
		pictures = append(pictures, c.Images)
	}
	for _, list := range append(r.sources(), flagged{"coco", pictures}) {
		for _, p := range list.paths {
			st, err := os.Stat(p)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("--%s %s: no such file or folder%s", list.flag, p, unread(p, list.paths))
			}
			// opening a pipe would wait for who writes it
			if err == nil && !st.IsDir() && !st.Mode().IsRegular() {
				return fmt.Errorf("--%s %s: want a file or a folder, got %s", list.flag, p, fileKind(st.Mode()))
			}
			f, err := os.Open(p)
			if err != nil {
				return fmt.Errorf("--%s %s: want a file or folder that can be read: %w", list.flag, p, pathless(err))
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unread says what a shell or a list may have made of a path that is not there.
func unread(p string, list []string) string {
	switch {
	case strings.HasPrefix(p, "~"):
		return ": the shell leaves ~ as it is in quotes and behind = or a comma: write the whole path"
	case p == "":
		return ": the list has an empty name: is there a comma too many?"
	}
	if whole := strings.Join(list, ","); len(list) > 1 {
		if _, err := os.Stat(whole); err == nil {
			return fmt.Sprintf(`: commas separate names; a name that holds one is quoted twice: '"%s"'`, whole)
		}
	}
	return ""
}

// same is equal for paths that lead to one place.
func same(p string) string {
	if real, err := realPath(p); err == nil {
		return real
	}
	return filepath.Clean(p)
}

// A Result is the manifest of an ingest and what happened on the way.
type Result struct {
	Manifest *manifests.Manifest
	Read     int // pictures that the sources offered
	Kept     int // records
	// pictures that should be records and are not; Manifest.Skipped says why
	Dropped    int
	Other      map[string]int // pictures and files left aside by rule, by code: other_class, ...
	Aside      []Aside        // of these the files that may have been meant otherwise, sorted
	Barren     []string       // sources that hold nothing of the class
	Duplicates []Duplicate    // equal and near pictures, in the order of the later record
	// the first file with a coordinate below 1 of each set of boxes that has one
	FromZero []string
	// of each box table of plain folders with rows of other labels, how many and of which
	Labels []string
	// records kept with a repair, by code: ext_mismatch, cmyk, box_clipped, ...
	Warnings map[string]int

	// Records of our own exports:
	Restored     int      // as they were exported, with the source and provenance of then
	NotRestored  int      // changed since, or their voters were not read
	NotFound     int      // not read: of a folder or file that was not named, or skipped
	RestoredFrom []string // the files that say so
}

// Progress is told how far a stage has come; total is 0 while it is not known. The stages: list,
// the sources are walked; unpack, bytes of the compressed archive that is read, one after the
// other; ingest, pictures. It may be nil.
type Progress func(stage string, done, total int)

// A SkipLimitError says that more pictures were skipped than Options.MaxSkip allows.
type SkipLimitError struct {
	Skipped, Read int
	Max           float64
	First         manifests.Skip
}

func (e *SkipLimitError) Error() string {
	return fmt.Sprintf("ingest: skipped %d of %d pictures, want at most %.4g %%; the first: %s: %s: %s; --max-skip "+
		"(ingest.maxSkip) allows more",
		e.Skipped, e.Read, 100*e.Max, e.First.Record, e.First.Reason, e.First.Detail)
}

package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"hdseg/manifests"
)

// WriteLists writes beside the manifest NAME.skipped.csv (record, reason, detail),
// NAME.duplicates.csv (record, of, bits: how many of the 128 bits of their hashes differ, -1 for
// equal pixels) and NAME.aside.csv (code, file), if only with their heads. It removes the lists of
// a failed run of this name (see Failed).
func (r *Result) WriteLists(store *manifests.Store, name string) error {
	lists := [][][]string{SkipRows(r.Manifest.Skipped), {{"record", "of", "bits"}}, {{"code", "file"}}}
	for _, d := range r.Duplicates {
		lists[1] = append(lists[1], []string{d.Record, d.Of, strconv.Itoa(d.Distance)})
	}
	for _, a := range r.Aside {
		lists[2] = append(lists[2], []string{a.Code, a.Name})
	}
	for i, suffix := range []string{".skipped.csv", ".duplicates.csv", ".aside.csv"} {
		var b bytes.Buffer
		_ = csv.NewWriter(&b).WriteAll(lists[i]) // to memory
		if err := store.Replace(name+suffix, b.Bytes()); err != nil {
			return err
		}
		file := filepath.Join(store.Dir(), filepath.FromSlash(Failed(name)+suffix))
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("ingest: a list of a failed run: %w", err)
		}
	}
	return nil
}

// SkipRows returns the rows of a list of skips as CSV, with a head.
func SkipRows(skips []manifests.Skip) [][]string {
	rows := [][]string{{"record", "reason", "detail"}}
	for _, s := range skips {
		rows = append(rows, []string{s.Record, s.Reason, s.Detail})
	}
	return rows
}

// Failed is the name for the lists of a run that had too many skips and wrote no manifest.
func Failed(name string) string { return name + ".failed" }

// notices are sentences about what was left aside, by code; %d is how often.
var notices = []struct{ code, text string }{
	{"box_without_image", "%d box files or rows belong to no picture that was read: give the archive with their pictures, or " +
		"leave the boxes out"},
	{"annotation_without_image", "%d COCO annotations of the class belong to no image that their file lists"},
	{"annotation_of_unknown_category", "%d COCO annotations have a category that their file does not list"},
	{"box_file_among_pictures", "%d box files lie among the ImageNet pictures and were not read: name their folder or archive in " +
		"--boxes to use them"},
	{"picture_outside_images", "%d pictures of plain folders lie outside images/ and masks/ and were not read"},
	{"hidden_picture", "%d pictures or archives hide (their names begin with a dot, or their folder is one of copies) and were " +
		"not read: rename those that are meant"},
	{"label_map_not_used", "%d label maps were not used (ingest.aside.csv names them): if one is of these masks, name the folder that " +
		"holds it, and remove other maps from that folder"},
	{"label_list_not_read", "%d files that may say what mask values mean were not used (ingest.aside.csv names them), as they list no " +
		"classes or have no fixed form: if they are of these masks, write a labelmap.txt beside them, a line NAME:R,G,B:: for each label"},
	{"folder_again", "%d links lead to folders that were read under another name and were not followed"},
}

// Notices returns a sentence with a remedy for everything in a result that may be a mistake of the
// request: sources that gave nothing, whole synsets or box files left aside.
func (r *Result) Notices(req *Request) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, source := range r.Barren {
		if slices.ContainsFunc(req.COCO, func(c COCO) bool { return filepath.Base(c.Instances) == source }) {
			say("%s has the category %s, and no annotation of it", source, req.Class.Name)
			continue
		}
		say("%s holds nothing of class %s: add its synset to the class (class.synsets, or ingest --synset), or leave it "+
			"out", source, req.Class.Name)
	}
	out = append(out, r.Labels...)
	for _, n := range notices {
		read := n.code == "box_file_among_pictures" && len(req.Boxes) > 0
		if r.Other[n.code] > 0 && !read {
			say(n.text, r.Other[n.code])
		}
	}
	if n := r.Warnings[assumedStored]; n > 0 {
		say("%d masks belong to pictures that their EXIF tag turns without changing the size, so that nothing tells "+
			"whether they were drawn on the stored or on the upright picture; they were taken for stored and turned "+
			"with it (of those whose size tells, %d are stored, %d upright): --set ingest.maskOrientation=stored or "+
			"upright says which", n, r.Warnings[followsStored]-n, r.Warnings[followsUpright])
	}
	if n := r.Warnings[testOfExport]; n > 0 {
		say("%d pictures in --folder are of the test split of the export that they lie in, and stay so: --folder "+
			"EXPORT/train --test EXPORT/test names each by its split", n)
	}
	for _, file := range r.FromZero {
		say("%s has a box with a coordinate from 0 to below 1, so that all boxes of its set were taken to count pixels "+
			"from 0: --set ingest.boxBase=1 says that they count from 1", file)
	}
	if n := r.Other["older_voc_year"]; n > 0 {
		say("%d VOC devkits of older years lie beside the one that was read; name their folders in --voc to read them too", n)
	}
	splits := map[manifests.Split]int{}
	tiers := map[manifests.Tier]int{}
	masks, figures := map[string]int{}, map[string]int{} // manual, by source and split
	for i := range r.Manifest.Records {
		rec := &r.Manifest.Records[i]
		splits[rec.Split]++
		if rec.Split == manifests.Train {
			tiers[rec.Tier]++
		}
		if m, ok := rec.MaskOf(manifests.Manual); ok {
			from := fmt.Sprintf("source %s (%s)", rec.Source, rec.Split)
			masks[from]++
			if m.Figure > 0 {
				figures[from]++
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(masks)) {
		if figures[from] == 0 {
			say("none of the %d manual masks of %s has figure: are they what they should be?", masks[from], from)
		}
	}
	if splits[manifests.Train] == 0 {
		say("no training record: the sources hold no picture of class %s", req.Class.Name)
	} else if tiers[manifests.Manual] == 0 && tiers[manifests.BBox]+tiers[manifests.Label] > 0 {
		say("no training record has a manual mask: transfer has nothing to learn figures from, its masks will only " +
			"repeat the boxes; add a source with masks, such as --voc")
	}
	if len(req.VOC) > 0 && tiers[manifests.Manual] == 0 && r.Other["other_class"] > 0 {
		say("no picture of the VOC devkits shows the class %s: is class.voc right? It is %d; a label map goes before it", req.Class.Name,
			req.Class.VOC)
	}
	return out
}

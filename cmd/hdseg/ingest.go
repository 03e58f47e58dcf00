package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

// sourceFlags are the flags of ingest and build that name sources and choose from them.
type sourceFlags struct {
	ingest.Request   // its paths
	coco             []string
	synsets, exclude []string
	maxSkip, object  string
}

func (a *app) ingestCommand() *cobra.Command {
	var in sourceFlags
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Read the sources into a manifest",
		Long: `ingest lists the sources, decodes every image once, stores its bytes untouched and writes the manifest
OUT/stages/ingest.yaml, with ingest.skipped.csv, ingest.duplicates.csv and ingest.aside.csv beside it. Masks that people drew become the
tier manual; images with boxes are to become bbox, those without label. Whatever cannot be used is listed with its reason: a picture
that became no record, a mask or a box whose picture is not there (exit code 3). Files that are no pictures are left aside and named
in ingest.aside.csv; pictures of another class or synset are only counted.

Every source but a COCO JSON or .mat file may be a folder or a tar, tar.gz, tar.bz2 or zip archive, under any name; archives may lie in
folders and in one another. A tar is read in place; a compressed archive is unpacked into OUT for the time of the run, which
takes the room of all of them unpacked. --max-skip counts every picture that was expected and did not come, and every archive not read
to its end.

EXIF orientation is applied to plain folders (image and mask alike) and ignored everywhere else, because the masks and boxes of
ImageNet, VOC, COCO, Stanford Background and HDSeg follow stored pixels; each record says which. Whether a folder's mask was drawn on
the stored or on the upright picture is told by its size; where that cannot tell (mirrored, turned by 180 degrees, square), it is taken
for stored, noted and counted, unless --set ingest.maskOrientation=stored or upright says it.

A plain folder has pictures in images/, masks of the same names in masks/ (PNG, BMP, GIF or lossless WebP) and may have boxes in
boxes.csv beside images/. That table has a header line with the columns image, xmin, ymin, xmax and ymax, and label if wanted (or class,
category, name), in any order, separated by comma, semicolon or tab. image is a path in images/; coordinates count pixels from 0 in the
upright picture, and maxima lie one past the last pixel: 0,0,40,30 is all of a picture of 40 x 30. Rows of another label than the class's
name or synsets are left aside.`,
		Example: `  hdseg ingest -c horseseg --voc VOCdevkit/VOC2012 --imagenet n02374451.tar --boxes n02374451.tar.gz --test test/horse -o out
  hdseg ingest -c horseseg --imagenet ILSVRC2012_img_train.tar --boxes bboxes_annotations.tar.gz --exclude n02376423 --max-skip 1% -o out
  hdseg ingest -c horseseg --coco instances_train2017.json=train2017 --folder mine --hdseg HDSeg.tar -o out`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.experiment()
			if err != nil {
				return err
			}
			if err := cmp.Or(in.apply(e, a.set), a.needsClass(e)); err != nil {
				return err
			}
			req := pipeline.IngestRequest(e, in.Request, a.workers)
			if err := cmp.Or(usage(req.Validate()), req.Readable(), pipeline.Ours(a.out),
				manifests.CheckFile(filepath.Join(a.out, "stages", "ingest.yaml"))); err != nil {
				return err
			}
			release, err := manifests.Occupy(a.out)
			if err != nil {
				return err
			}
			defer release()
			store, err := manifests.OpenStore(a.out)
			if err != nil {
				return err
			}
			res, lists, err := pipeline.Ingest(cmd.Context(), req, e.Seed, store, pipeline.IngestProgress(a.stageProgress), ingest.Run)
			if res == nil {
				return err
			}
			file := func(suffix string) string { return filepath.Join(a.out, filepath.FromSlash(lists)) + suffix }
			r := &ingestResult{
				Records: recordCounts(res.Manifest), Dropped: res.Dropped, Other: res.Other, Repairs: res.Warnings,
				Skips: file(".skipped.csv"), Duplicates: file(".duplicates.csv"),
				Aside: firstAside(res.Aside), AsideList: file(".aside.csv"),
				Restored: res.Restored, NotRestored: res.NotRestored, NotFound: res.NotFound,
				RestoredOf: append([]string{}, res.RestoredFrom...),
			}
			if err == nil {
				r.Manifest = file(".yaml")
			}
			a.Read, a.Done, a.listed = res.Read, res.Kept, r.Skips
			a.skip(res.Manifest.Skipped...)
			a.warnAll(res.Notices(&req))
			if old := filepath.Join(a.out, filepath.FromSlash(pipeline.Ingested)+".yaml"); err != nil && exists(old) {
				a.warn(old + " and its lists are those of an earlier run; those of this one are named ingest.failed")
			}
			return errors.Join(a.report(r), err)
		},
	}
	a.withConfig(cmd)
	a.withOut(cmd, "folder of the data set (required)")
	in.add(cmd)
	return cmd
}

// add adds the flags to a command.
func (in *sourceFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&in.VOC, "voc", nil, "VOC devkits: VOCdevkit or VOCdevkit/VOC2012")
	f.StringSliceVar(&in.ImageNet, "imagenet", nil, "ImageNet synset tars or folders; quote a path that holds a comma as '\"a,b.tar\"'")
	f.StringSliceVar(&in.Boxes, "boxes", nil, "ImageNet box XML archives or folders")
	f.StringVar(&in.Test, "test", "", "folder with images/ and masks/: the test split")
	f.StringSliceVar(&in.Folders, "folder", nil, "training folders with images/, masks/ and boxes.csv "+
		"(hdseg help ingest tells their columns), as far as there are masks and boxes")
	f.StringSliceVar(&in.coco, "coco", nil, "COCO instances files with their pictures: `FILE.json=FOLDER`; the category "+
		"with the class's name is figure")
	f.StringSliceVar(&in.HDSeg, "hdseg", nil, "published HDSeg trees: their masks as tiers of their own pictures, or "+
		"beside those of another source")
	f.StringSliceVar(&in.Stanford, "stanford", nil, "Stanford Background trees (iccv09Data); ingest.region is figure")
	f.StringSliceVar(&in.Segments, "segments", nil, "ImageNet-Segmentation files (gtsegs_ijcv.mat)")
	f.StringSliceVar(&in.synsets, "synset", nil, "add synsets to the class's: n and 8 digits")
	f.StringSliceVar(&in.exclude, "exclude", nil, "leave out synsets of the class's")
	f.StringVar(&in.object, "object", "", "VOC pictures with several objects of the class: union, largest or all; "+
		"default ingest.object of the config")
	f.StringVar(&in.maxSkip, "max-skip", "", "largest share of the pictures read that may be dropped, as 1% or 0.01: "+
		"above it the run fails, writes no manifest and names its lists ingest.failed; 0 allows none, 100% is no limit; "+
		"default ingest.maxSkip of the config")
}

// apply reads the flags. Those that are settings too change e, which has those of --set.
func (in *sourceFlags) apply(e *configs.Experiment, sets []string) error {
	in.Numbered = slices.ContainsFunc(sets, func(s string) bool { return strings.HasPrefix(s, "class.voc=") })
	if len(in.synsets)+len(in.exclude) > 0 {
		class, err := ingest.Select(e.ManifestClass(), in.synsets, in.exclude)
		if err != nil {
			return &usageError{err}
		}
		e.Class.Synsets = class.Synsets
	}
	for _, c := range in.coco {
		file, images, ok := cutCOCO(c)
		if !ok || file == "" || images == "" {
			return usagef("--coco %s: want FILE.json=FOLDER; commas separate several, and one that holds a comma is quoted twice: "+
				`'"a,b.json=a,b"'`, c)
		}
		in.COCO = append(in.COCO, ingest.COCO{Instances: file, Images: images})
	}
	if in.object != "" {
		e.Ingest.Object = in.object
	}
	if in.maxSkip == "1" {
		return usagef("--max-skip 1: want a share: 1%% for one in a hundred, 100%% for no limit")
	}
	if in.maxSkip != "" {
		var err error
		if e.Ingest.MaxSkip, err = share(in.maxSkip); err != nil {
			return usagef("--max-skip %s: want a share such as 1%% or 0.01", in.maxSkip)
		}
	}
	return usage(e.Ingest.Validate())
}

// needsClass refuses an experiment without a class.
func (a *app) needsClass(e *configs.Experiment) error {
	if e.Class.Name != "" {
		return nil
	}
	return usagef("-c %s names no class that is figure, as experiments with scenes of several labels do: `hdseg bench -c %[1]s "+
		"--scenes TREE` reads such a tree itself; for figure and ground take a config with a class, say -c horseseg --stanford TREE "+
		"--set ingest.region=7", a.config)
}

// share reads "1%" or "0.01".
func share(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	return v, err
}

// cutCOCO splits FILE.json=FOLDER at the = behind which the file ends: names may hold others.
func cutCOCO(s string) (file, folder string, ok bool) {
	for i, c := range s {
		if c != '=' {
			continue
		}
		if st, err := os.Stat(s[:i]); err == nil && st.Mode().IsRegular() || strings.HasSuffix(strings.ToLower(s[:i]), ".json") {
			return s[:i], s[i+1:], true
		}
	}
	return strings.Cut(s, "=")
}

// An ingestResult is what ingest prints.
type ingestResult struct {
	summary
	Manifest    string         `json:"manifest"` // "" when there were too many skips
	Records     []recordCount  `json:"records"`
	Dropped     int            `json:"dropped"`        // expected pictures that did not come
	Other       map[string]int `json:"other"`          // pictures of other classes, by source
	Repairs     map[string]int `json:"repairs"`        // read, but not in order, by reason
	Skips       string         `json:"skipped_list"`   // CSV file of what was skipped
	Duplicates  string         `json:"duplicate_list"` // CSV file of equal pictures
	Aside       []aside        `json:"aside"`          // the first files of each reason
	AsideList   string         `json:"aside_list"`     // CSV file of what was left aside
	Restored    int            `json:"restored"`       // of an own export, with its manifest data
	NotRestored int            `json:"not_restored"`   // the same, changed since
	NotFound    int            `json:"not_found"`      // listed by the export, but not there
	RestoredOf  []string       `json:"restored_of"`    // manifests of the exports
}

// An aside is a file that was left aside by rule.
type aside struct {
	Code string `json:"code"` // reason
	File string `json:"file"` // first file of that reason
}

// asideNames is how many files of each code are named on the screen.
const asideNames = 5

// firstAside picks the first names of each code; all is sorted by code.
func firstAside(all []ingest.Aside) []aside {
	out := []aside{}
	n := 0
	for i, a := range all {
		if i > 0 && a.Code != all[i-1].Code {
			n = 0
		}
		if n++; n <= asideNames {
			out = append(out, aside{a.Code, a.Name})
		}
	}
	return out
}

func (r *ingestResult) table(w *bytes.Buffer) {
	countTable(w, r.Records)
	fmt.Fprintf(w, "\n%-10s %-28s %8d\n%-10s %-28s %8d\n%-10s %-28s %8d\n", "read", "pictures", r.Read, "kept",
		"records", r.Done, "dropped", "pictures", r.Dropped)
	for _, part := range []struct {
		name string
		n    map[string]int
	}{{"skipped", r.Skipped}, {"left aside", r.Other}, {"remarked", r.Repairs}} {
		for _, k := range slices.Sorted(maps.Keys(part.n)) {
			fmt.Fprintf(w, "%-10s %-28s %8d\n", part.name, k, part.n[k])
			named := 0
			for _, a := range r.Aside {
				if part.name == "left aside" && a.Code == k {
					fmt.Fprintf(w, "%-10s   %s\n", "", a.File)
					named++
				}
			}
			if named == asideNames && part.n[k] > named {
				fmt.Fprintf(w, "%-10s   ... and %d more\n", "", part.n[k]-named)
			}
		}
	}
	if len(r.RestoredOf) > 0 {
		fmt.Fprintf(w, "\nrestored %d records from %s (%d not: changed since, or their voters were not read; %d are "+
			"named there and were not found)\n", r.Restored, strings.Join(r.RestoredOf, ", "), r.NotRestored, r.NotFound)
	}
	fmt.Fprintf(w, "\nmanifest   %s\nskipped    %s\nduplicates %s\nleft aside %s\n", cmp.Or(r.Manifest,
		"none: too many were skipped"), r.Skips, r.Duplicates, r.AsideList)
}

package main

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/ingest"
	"hdseg/manifests"
)

// ingested names the manifest that ingest writes.
const ingested = "stages/ingest"

// ingestFlags are the flags of ingest that are not sources of the shared kind.
type ingestFlags struct {
	coco             []string
	synsets, exclude []string
	maxSkip, object  string
}

func (a *app) ingestCommand() *cobra.Command {
	var req ingest.Request
	var in ingestFlags
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.out == "" {
				return usagef("hdseg ingest: -o is missing: name the folder of the data set")
			}
			e, err := a.experiment()
			if err != nil {
				return err
			}
			if e.ManifestClass().Name == "" {
				return usagef("hdseg ingest: -c %s names no class that is figure, as experiments with scenes of several "+
					"labels do: `hdseg bench -c %s --scenes TREE` reads such a tree itself; for figure and ground take "+
					"a config with a class, say -c horseseg --stanford TREE --set ingest.region=7", a.config, a.config)
			}
			req.Dataset, req.Class, req.Options = e.Dataset, e.ManifestClass(), e.Ingest
			req.Workers, req.Version = a.workers, manifests.Version
			if err := in.apply(&req); err != nil {
				return err
			}
			req.Restore = true
			store, err := manifests.OpenStore(a.out)
			if err != nil {
				return err
			}
			s := newSummary("ingest")
			res, err := ingest.Run(cmd.Context(), req, store, a.ingestProgress())
			var limit *ingest.SkipLimitError
			if err != nil && !errors.As(err, &limit) {
				return err
			}
			res.Manifest.Seed = e.Seed
			lists := ingested
			if limit != nil { // what an earlier run wrote stays as a whole
				lists = ingest.Failed(ingested)
			}
			if err := res.WriteLists(store, lists); err != nil {
				return err
			}
			file := func(suffix string) string { return filepath.Join(a.out, filepath.FromSlash(lists)) + suffix }
			r := &ingestResult{
				summary: s, Records: recordCounts(res.Manifest), Dropped: res.Dropped, Other: res.Other, Repairs: res.Warnings,
				Skips: file(".skipped.csv"), Duplicates: file(".duplicates.csv"),
				Aside: firstAside(res.Aside), AsideList: file(".aside.csv"),
				Restored: res.Restored, NotRestored: res.NotRestored, NotFound: res.NotFound,
				RestoredOf: append([]string{}, res.RestoredFrom...),
			}
			if limit == nil {
				if _, err := manifests.WriteListed(store, ingested, res.Manifest); err != nil {
					return err
				}
				r.Manifest = file(".yaml")
			}
			r.Read, r.Done = res.Read, res.Kept
			r.skip(res.Manifest.Skipped)
			r.Warnings = append(r.Warnings, res.Notices(&req)...)
			if old, _ := filepath.Glob(filepath.Join(a.out, filepath.FromSlash(ingested)+".yaml")); limit != nil && len(old) > 0 {
				r.Warnings = append(r.Warnings, old[0]+" and its lists are those of an earlier run; those of this one "+
					"are named ingest.failed")
			}
			return errors.Join(a.report(r), err)
		},
	}
	a.withConfig(cmd)
	a.withOut(cmd, "folder of the data set (required)")
	withSources(cmd, &req.VOC, &req.ImageNet, &req.Boxes, &req.Test)
	f := cmd.Flags()
	f.StringSliceVar(&req.Folders, "folder", nil, "training folders with images/, masks/ and boxes.csv "+
		"(image,xmin,ymin,xmax,ymax,label; see above), as far as there are masks and boxes")
	f.StringSliceVar(&in.coco, "coco", nil, "COCO instances files with their pictures: `FILE.json=FOLDER`; the category "+
		"with the class's name is figure")
	f.StringSliceVar(&req.HDSeg, "hdseg", nil, "published HDSeg trees: their masks as tiers of their own pictures, or "+
		"beside those of another source")
	f.StringSliceVar(&req.Stanford, "stanford", nil, "Stanford Background trees (iccv09Data); ingest.region is figure")
	f.StringSliceVar(&req.Segments, "segments", nil, "ImageNet-Segmentation files (gtsegs_ijcv.mat)")
	f.StringSliceVar(&in.synsets, "synset", nil, "add synsets to the class's: n and 8 digits")
	f.StringSliceVar(&in.exclude, "exclude", nil, "leave out synsets of the class's")
	f.StringVar(&in.object, "object", "", "VOC pictures with several objects of the class: union, largest or all; "+
		"default ingest.object of the config")
	f.StringVar(&in.maxSkip, "max-skip", "", "largest share of the pictures read that may be dropped, as 1% or 0.01: "+
		"above it the run fails, writes no manifest and names its lists ingest.failed; 0 allows none, 100% is no limit; "+
		"default ingest.maxSkip of the config")
	return cmd
}

// ingestProgress shows what ingest does: a line for the kB of archives that are unpacked, one for
// pictures.
func (a *app) ingestProgress() ingest.Progress {
	var show func(done, total int)
	of := ""
	return func(stage string, done, total int) {
		if stage == "list" {
			return
		}
		if stage == "unpack" {
			done, total = done>>10, total>>10
		}
		if stage != of {
			show, of = a.stageProgress(map[string]string{"unpack": "ingest, kB unpacked", "ingest": "ingest"}[stage]), stage
		}
		show(done, total)
	}
}

// apply puts the flags into a request; a flag wins over the config.
func (in *ingestFlags) apply(req *ingest.Request) error {
	var err error
	if len(in.synsets)+len(in.exclude) > 0 {
		if req.Class, err = ingest.Select(req.Class, in.synsets, in.exclude); err != nil {
			return &usageError{err}
		}
	}
	for _, c := range in.coco {
		file, images, ok := strings.Cut(c, "=")
		if !ok || file == "" || images == "" {
			return usagef("--coco %s: want FILE.json=FOLDER", c)
		}
		req.COCO = append(req.COCO, ingest.COCO{Instances: file, Images: images})
	}
	if in.object != "" {
		req.Options.Object = in.object
	}
	if in.maxSkip == "1" {
		return usagef("--max-skip 1: want a share: 1%% for one in a hundred, 100%% for no limit")
	}
	if in.maxSkip != "" {
		if req.Options.MaxSkip, err = share(in.maxSkip); err != nil {
			return usagef("--max-skip %s: want a share such as 1%% or 0.01", in.maxSkip)
		}
	}
	if err := req.Validate(); err != nil {
		return &usageError{err}
	}
	return nil
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

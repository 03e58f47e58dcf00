package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// An evaluateRequest is what the flags of evaluate say.
type evaluateRequest struct{ model, test, masks, labels string }

// An evaluateResult is the table of one model, and where its files are.
type evaluateResult struct {
	benchResult
	Files []string `json:"files,omitempty"` // written into -o
	// scores of the masks of segment, cut at pixels; rows has those of whole superpixels
	Pixels *bench.Row `json:"pixels,omitempty"`
	// with --labels: what the false figure lies on, the most of it first
	FalseFigure []bench.FalseFigure `json:"false_figure,omitempty"`
}

func (r *evaluateResult) table(w *bytes.Buffer) {
	if o := r.Pixels; o != nil && o.IoUPooled.OK {
		fmt.Fprintf(w, "IoU of the figure %s, per-class accuracy %s%%, over all pixels of %s\n", o.IoUPooled.Format(3),
			o.PerClassPooled.Format(1), plural(o.TestImages, "test picture", "test pictures"))
		fmt.Fprintf(w, "mean over pictures: IoU %s, boundary F %s\n", o.IoUMean.Format(3), o.BoundaryF.Format(3))
		fmt.Fprintln(w, "These masks are segment's, cut at pixels. The table, like that of bench, is of whole superpixels:")
	}
	r.benchResult.table(w)
	if len(r.FalseFigure) > 0 {
		fmt.Fprintf(w, "\n%-16s %10s %14s %20s\n", "ground that is", "pixels", "called figure", "of all false figure")
	}
	for _, f := range r.FalseFigure {
		fmt.Fprintf(w, "%-16s %10d %13.1f%% %19.1f%%\n", f.Object, f.Pixels, 100*f.Share, 100*f.OfAll)
	}
	for _, f := range r.Files {
		fmt.Fprintln(w, "wrote", f)
	}
}

func (a *app) evaluateCommand() *cobra.Command {
	var q evaluateRequest
	cmd := &cobra.Command{
		Use: "evaluate [MANIFEST]", Short: "Measure a model on test pictures",
		Long: `evaluate compares the masks of a model with true masks: those of the test split of a manifest, or of any folder with
--test. The folder has pictures in images/ and masks of the same names in masks/ (PNG: 0 ground, 255 figure), as for build.
Without images/ it may have NAME.png beside NAME.jpg, or --masks names a second folder.

-o writes images.csv, a line of scores for every picture, index.html, warnings and the worst pictures beside their true
masks, and skipped.csv, what could not be used, if there is any.

A warning says how many of the pictures the model was trained on, or that this is not known. evaluate knows them by
MODEL.pictures, which train writes beside the model: copy both. It knows those of a build's models by their data set.`,
		Example: `  hdseg evaluate out/horseseg.yaml --model horse.model
  hdseg evaluate --model horse.model --test test/horse -o errors`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.evaluate(cmd, &q) },
	}
	a.withManifest(cmd)
	a.withOut(cmd, "folder for the scores and the worst pictures")
	a.withDenseOf(cmd)
	cmd.Flags().StringVar(&q.model, "model", "", "model file (required)")
	cmd.Flags().StringVar(&q.test, "test", "", "folder of pictures and masks, instead of a manifest")
	cmd.Flags().StringVar(&q.masks, "masks", "", "folder with the masks of the pictures in --test")
	cmd.Flags().StringVar(&q.labels, "labels", "", "folder of masks with the numbers of all VOC classes, ID.png for each test picture: "+
		"also say what false figure lies on")
	return cmd
}

// evaluateUsage refuses flags that contradict each other, and outputs that cannot be written.
func (a *app) evaluateUsage(q *evaluateRequest) error {
	switch {
	case q.test != "" && a.in != "":
		return usagef("hdseg evaluate: got a manifest and --test, want one of them")
	case q.test == "" && q.masks != "":
		return usagef("--masks: want --test, the folder of the pictures, too")
	case q.test == "" && a.in == "":
		return usagef("hdseg evaluate: want a manifest, such as out/horseseg.yaml, or --test FOLDER")
	}
	if a.out == "" {
		return nil
	}
	if err := outFolder(a.out); err != nil {
		return err
	}
	return a.outFiles([]string{q.model, q.test, q.masks}, out{"-o", filepath.Join(a.out, "images.csv"), csvFile},
		out{"-o", filepath.Join(a.out, "index.html"), htmlFile}, out{"-o", filepath.Join(a.out, skippedName), skippedFile})
}

func (a *app) evaluate(cmd *cobra.Command, q *evaluateRequest) error {
	if err := a.evaluateUsage(q); err != nil {
		return err
	}
	mod, err := a.readModel(q.model)
	if err != nil {
		return err
	}
	if q.labels != "" { // before the pictures are cut; which of them are measured is known after that
		if err := pipeline.HaveObjects(q.labels, nil); err != nil {
			return fmt.Errorf("--labels %w", err)
		}
	}
	set := new(pipeline.Dataset)
	if q.test == "" {
		set, err = a.input()
	} else {
		var temp string
		if temp, err = os.MkdirTemp("", "hdseg-test-"); err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		set, err = a.testFolder(cmd, q, mod.Class, temp)
	}
	if err != nil {
		return err
	}
	test, skips, err := a.scoredPictures(cmd, set, manifests.Test, mod.Setup)
	if err != nil {
		return err
	}
	if q.labels != "" {
		if err := pipeline.HaveObjects(q.labels, bench.IDs(test)); err != nil {
			return fmt.Errorf("--labels %w", err)
		}
	}
	regions, err := bench.Evaluate(cmd.Context(), []*lscrf.Model{mod}, test, a.workers,
		a.stageProgress("measuring the model on test pictures"))
	if err != nil {
		return err
	}
	a.skip(skips...)
	if len(test) == 0 {
		a.warn("no test picture could be measured: there are no scores")
	}
	if got, want := set.Manifest.Class.Name, mod.Class; got != want && got != "" && want != "" {
		a.warn(fmt.Sprintf("the model was trained on the category %s and measured on the category %s: the scores say how well it "+
			"carries over", want, got))
	}
	seen, warning := trainedOn(q.model, mod, set.Manifest, test)
	a.warn(warning)
	a.Read, a.Done = a.Read+len(test)+len(skips), len(test)
	show, lies := a.stageProgress("cutting at pixels"), new(bench.FalseCount)
	each := func(i int, mask *raster.Mask) error {
		show(i+1, len(test))
		if q.labels == "" {
			return nil
		}
		objects, err := pipeline.Objects(q.labels, test[i].ID, mask)
		if err != nil {
			return fmt.Errorf("--labels %w", err)
		}
		lies.Add(&test[i], mask.Pix, objects)
		return nil
	}
	got, err := pipeline.Evaluate(cmd.Context(), mod, set, test, regions[0], a.workers, each)
	if err != nil {
		return err
	}
	var falseFigure []bench.FalseFigure
	if q.labels != "" {
		falseFigure = lies.Table(pipeline.ObjectName)
		a.warn(pipeline.OddObjects(q.labels, mod.Class, falseFigure))
	}
	r := &evaluateResult{benchResult: benchResult{Table: pipeline.Table{Table: got.Regions, Differences: []report.Difference{}}},
		Pixels: &got.Pixels.Rows[0], FalseFigure: falseFigure}
	if a.listed = "with -o, " + skippedName; a.out != "" {
		files := map[string][]byte{}
		if len(test) > 0 {
			got.Name, got.Training, got.Warnings, got.Skips = filepath.Base(q.model), seen, a.Warnings, a.detail
			got.Facts = report.Facts("command", commandLine(), "model", q.model+": "+inShort(mod), "true masks", string(got.Pixels.Made.Truth),
				"version", manifests.Version, "machine", a.machine())
			if files, err = got.Files(cmd.Context()); err != nil {
				return err
			}
		}
		if err := a.writeEvaluation(r, files); err != nil {
			return err
		}
	}
	return a.report(r)
}

// skippedName is evaluate's list of what it skipped.
const skippedName = "skipped.csv"

// writeEvaluation writes files into the folder of -o, and the list of what was skipped; without
// skips it removes an older list.
func (a *app) writeEvaluation(r *evaluateResult, files map[string][]byte) error {
	a.listed = filepath.Join(a.out, skippedName)
	if len(a.detail) > 0 {
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(ingest.SkipRows(a.detail)); err != nil {
			return err
		}
		files[skippedName] = b.Bytes()
	} else if err := os.Remove(a.listed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(a.out, name)
		if err := manifests.WriteFile(file, a.out, files[name]); err != nil {
			return err
		}
		r.Files = append(r.Files, file)
	}
	return nil
}

// trainedOn says which of the pictures that a model is measured on are among its training pictures,
// nil if that is not known, and what to warn of, "" if none is.
func trainedOn(file string, mod *lscrf.Model, m *manifests.Manifest, test []bench.Scored) (seen map[string]bool, warning string) {
	train, why := pipeline.TrainingPictures(file, mod)
	switch {
	case len(test) == 0:
		return nil, ""
	case train == nil:
		return nil, "it is not known whether pictures are training pictures of this model: " + why
	}
	seen = map[string]bool{}
	for i := range m.Records {
		r := &m.Records[i]
		if train.Has(r) && slices.ContainsFunc(test, func(t bench.Scored) bool { return t.ID == r.ID }) {
			seen[r.ID] = true
		}
	}
	if len(seen) == 0 {
		return seen, ""
	}
	return seen, fmt.Sprintf("%d of %s of this model: its figures are too good", len(seen),
		plural(len(test), "picture is a training picture", "pictures are training pictures"))
}

// testFolder reads the folder of --test as ingest does, into a data set in the folder temp.
func (a *app) testFolder(cmd *cobra.Command, q *evaluateRequest, class, temp string) (set *pipeline.Dataset, err error) {
	req := ingest.Request{Dataset: "test", Class: manifests.Class{Name: cmp.Or(class, "figure")}, Test: q.test,
		Options: ingest.Defaults(), Workers: a.workers, Version: manifests.Version}
	if err := req.Readable(); err != nil {
		return nil, err
	}
	req.Test, err = paired(q.test, q.masks, filepath.Join(temp, filepath.Base(filepath.Clean(q.test))))
	if err != nil {
		return nil, err
	}
	set = new(pipeline.Dataset)
	if set.Store, err = manifests.OpenStore(filepath.Join(temp, "set")); err != nil {
		return nil, err
	}
	res, err := ingest.Run(cmd.Context(), req, set.Store, pipeline.IngestProgress(a.stageProgress))
	if err != nil { // of links, perhaps
		return nil, errors.New(strings.ReplaceAll(err.Error(), req.Test, q.test))
	}
	set.Manifest = res.Manifest
	for _, line := range res.Labels {
		a.warn(strings.ReplaceAll(line, req.Test, q.test))
	}
	a.skip(set.Manifest.Skipped...)
	a.Read = res.Dropped
	return set, nil
}

// paired returns a folder with images/ and masks/: dir itself if it has them, else temp, made of
// links. masks is the folder of the masks, whatever dir has; without it they are the PNG files of
// dir that have the name of another picture there.
func paired(dir, masks, temp string) (string, error) {
	links := map[string]string{}
	list, err := os.ReadDir(dir)
	if masks != "" {
		images := dir
		for _, d := range list {
			if d.IsDir() && strings.EqualFold(d.Name(), "images") {
				images = filepath.Join(dir, d.Name())
			}
		}
		links[filepath.Join(temp, "images")], links[filepath.Join(temp, "masks")] = images, masks
	} else if err == nil {
		pictures := map[string]int{} // by name without the extension
		for _, d := range list {
			if d.IsDir() && (strings.EqualFold(d.Name(), "images") || strings.EqualFold(d.Name(), "masks")) {
				return dir, nil
			}
			pictures[unextended(d.Name())]++
		}
		for _, d := range list {
			to := "images"
			if pictures[unextended(d.Name())] > 1 && strings.EqualFold(filepath.Ext(d.Name()), ".png") {
				to = "masks"
			}
			if !d.IsDir() {
				links[filepath.Join(temp, to, d.Name())] = filepath.Join(dir, d.Name())
			}
		}
		if len(pictures) == len(list) { // there are no pairs: ingest says what it wants
			return dir, nil
		}
	}
	for link, file := range links {
		abs, err := filepath.Abs(file)
		if err == nil && !exists(abs) {
			err = fmt.Errorf("--masks %s: no such file or folder", file)
		}
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(abs, link))
		}
		if err != nil {
			return "", err
		}
	}
	if len(links) == 0 {
		return dir, nil
	}
	return temp, nil
}

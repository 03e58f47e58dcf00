package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

type segmented struct {
	Image   string  `json:"image"`
	Mask    string  `json:"mask"`
	Overlay string  `json:"overlay"`      // file of the picture with the mask in green
	Figure  float64 `json:"figure_share"` // share of pixels that are figure, 0 to 1
	Proved  bool    `json:"optimal"`      // no labeling has less energy
}

type segmentResult struct {
	summary
	Masks  []segmented      `json:"masks"`
	Unread []manifests.Skip `json:"skipped_pictures"`
}

func (r *segmentResult) table(w io.Writer) error {
	for _, m := range r.Masks {
		fmt.Fprintf(w, "%s %5.1f%% figure\n", m.Mask, 100*m.Figure)
	}
	return nil
}

func (a *app) segmentCommand() *cobra.Command {
	model := ""
	cmd := &cobra.Command{
		Use: "segment IMAGE...", Short: "Segment pictures with a trained model",
		Long: `segment writes for every picture NAME a mask NAME.mask.png (0 ground, 255 figure) and an overlay
NAME.overlay.png into the folder -o. A picture that cannot be read is skipped and listed. Pictures are turned upright by
their EXIF tag.`,
		Example: "  hdseg segment --model horse.model -o masks photo1.jpg photo2.png",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("hdseg segment: want at least one picture")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.segment(cmd, model, args) },
	}
	a.withOut(cmd, "folder for the masks; default: the current one")
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}

func (a *app) segment(cmd *cobra.Command, model string, args []string) error {
	if model == "" {
		return usagef("hdseg segment: --model is missing")
	}
	mod, err := readBinary[lscrf.Model](model)
	if err != nil {
		return err
	}
	names, err := outputNames(args)
	if err != nil {
		return err
	}
	if err := outFolder(filepath.Join(a.out, ".")); err != nil {
		return err
	}
	if err := overInputs(append([]string{model}, args...), args, a.out, names); err != nil {
		return err
	}
	s := newSummary("segment")
	r := &segmentResult{Unread: []manifests.Skip{}, Masks: []segmented{}}
	show := a.stageProgress("segment")
	err = manifests.Each(cmd.Context(), a.workers, len(args),
		func(_ context.Context, i int) (segmented, error) {
			return segmentFile(mod, args[i], filepath.Join(a.out, names[i]))
		},
		func(i int, m segmented, err error) error {
			show(i+1, len(args))
			if failed := new(writeError); errors.As(err, &failed) {
				return err
			} else if err != nil {
				r.Unread = append(r.Unread, manifests.Skip{Record: args[i], Reason: "unreadable", Detail: err.Error()})
				return nil
			}
			r.Masks = append(r.Masks, m)
			return nil
		})
	if err != nil {
		return err
	}
	s.skip(r.Unread)
	s.Read, s.Done = len(args), len(r.Masks)
	r.summary = s
	return a.report(r)
}

// outputNames returns the base name of every picture without its extension, and refuses two that
// would overwrite each other.
func outputNames(files []string) ([]string, error) {
	seen := map[string]string{}
	var names []string
	for _, f := range files {
		base := filepath.Base(f)
		n := strings.TrimSuffix(base, filepath.Ext(base))
		if n == "" || n == "." || n == ".." { // ".png" has no name but the whole
			n = base
		}
		if n = strings.Trim(n, `/\`); n == "" || n == "." || n == ".." {
			return nil, usagef("%s: want a picture", f)
		}
		if old, ok := seen[n]; ok {
			return nil, usagef("%s and %s would both be written as %s.mask.png: segment them into different folders", old, f, n)
		}
		seen[n] = f
		names = append(names, n)
	}
	return names, nil
}

// overInputs refuses to write the results of files over any of the inputs.
func overInputs(inputs, files []string, dir string, names []string) error {
	for i, n := range names {
		for _, suffix := range []string{".mask.png", ".overlay.png"} {
			out := filepath.Join(dir, n+suffix)
			st, err := os.Stat(out)
			if err != nil {
				continue
			}
			for _, f := range inputs {
				if in, err := os.Stat(f); err == nil && os.SameFile(in, st) {
					return usagef("%s: its %s would be written over %s, which is an input: name another folder with -o",
						files[i], n+suffix, f)
				}
			}
			if st.Mode().IsRegular() {
				if err := maskFile.replaces(out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A writeError is no fault of a picture: the disk is full, or the folder is gone.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// segmentFile segments one picture and writes stem.mask.png and stem.overlay.png.
func segmentFile(mod *lscrf.Model, file, stem string) (segmented, error) {
	out := segmented{Image: file, Mask: stem + ".mask.png", Overlay: stem + ".overlay.png"}
	data, err := os.ReadFile(file)
	if err != nil {
		return out, err
	}
	img, info, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil {
		return out, err
	}
	img = raster.Orient(img, info.Orientation)
	g, sp := lscrf.NewGraph(file, img, mod.Setup)
	p, err := mod.Predict(g, nil)
	if err != nil {
		return out, err
	}
	out.Proved = p.Optimal()
	mask := superpixel.Paint(sp, p.Labels)
	_, figure, _ := mask.Areas()
	out.Figure = float64(figure) / float64(len(mask.Pix))
	picture := raster.NewRGB(mask.Width, mask.Height)
	for i, v := range mask.Pix {
		px, o := picture.Pix[3*i:3*i+3], img.Pix[3*i:3*i+3]
		copy(px, o)
		if v == raster.Figure { // green over the figure, as the paper's figures have it
			px[0], px[1], px[2] = o[0]/2, o[1]/2+127, o[2]/2
			mask.Pix[i] = 255
		}
	}
	var gray bytes.Buffer
	if err := png.Encode(&gray, &image.Gray{Pix: mask.Pix, Stride: mask.Width,
		Rect: image.Rect(0, 0, mask.Width, mask.Height)}); err != nil {
		return out, err
	}
	for name, data := range map[string][]byte{out.Mask: gray.Bytes(), out.Overlay: raster.EncodePNG(picture)} {
		if err := manifests.WriteFile(name, filepath.Dir(name), data); err != nil {
			return out, &writeError{err}
		}
	}
	return out, nil
}

type scenesResult struct {
	summary
	Labels []string `json:"labels"`     // names of the labels 0, 1, ...
	Folds  string   `json:"folds_file"` // file that keeps the folds
	*bench.Table
	Differences []report.SceneDifference `json:"differences"`
}

func (r *scenesResult) table(w io.Writer) error {
	return report.Sections(w, report.Scenes(r.Labels, r.Table, r.Differences))
}

// folderName names a folder by the last part of its path.
func folderName(root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return filepath.Base(root)
}

// benchScenes cross-validates models on scenes with several labels and prints the paper's Table 1.
func (a *app) benchScenes(cmd *cobra.Command, e *configs.Experiment, o *benchOptions) error {
	if o.compare != "" {
		return usagef("--compare does not go with --scenes: its tests count every picture by itself, but frames of a film are alike")
	}
	ctx, root, foldsFile := cmd.Context(), o.scenes, cmp.Or(o.foldsFile, e.Dataset+"-folds.txt")
	if err := a.outFiles(nil, out{"--folds-file", absent(foldsFile), newFile}); err != nil {
		return err
	}
	s := newSummary("bench")
	scenes, err := pipeline.LoadScenes(ctx, e, root, o.labels, a.workers, a.stageProgress("images"))
	if err != nil {
		return err
	}
	s.skip(scenes.Skips)
	f, err := scenes.Folds(foldsFile, cmp.Or(o.folds, 5), e.Seed)
	if err != nil {
		return err
	}
	bench.SortByFold(scenes.Images, f)
	t := scenes.Trainer(e, a.workers)
	kept := a.keep(t, pipeline.NewKept(foldsFile+".models", a.warn))
	measured, _, err := a.measure(ctx, t, e.Bench.Specs(), scenes.Images, f, &s)
	if err != nil {
		return err
	}
	s.Read, s.Done = len(scenes.Images)+len(scenes.Skips), len(scenes.Images)
	oracle := bench.Oracle(scenes.Images, len(scenes.Labels))
	b, err := bench.NewTable(ctx, e.Dataset, bench.IDs(scenes.Images), e.Bench.Specs(), measured, oracle, e.Bench.Samples, e.Seed)
	if err != nil {
		return err
	}
	b.Made = pipeline.MadeFrom(e, "", bench.TruthDigest(scenes.Images))
	d, err := report.SceneDifferences(ctx, b, lscrf.Blocks(b.Test, f), e.Bench.Samples, e.Seed)
	if err != nil {
		return err
	}
	settings, err := yaml.Marshal(e)
	if err != nil {
		return err
	}
	page := &report.Page{
		Title: "Scenes: " + folderName(root), Studies: report.SceneSections(scenes.Labels, b, d), Settings: string(settings),
		Facts: []report.Fact{
			{Name: "command", Value: commandLine()}, {Name: "pictures", Value: fmt.Sprintf("%d of %s, %s", len(scenes.Images), root,
				scenes.Digest)}, {Name: "true labels", Value: string(b.Made.Truth)}, {Name: "folds", Value: foldsFile},
			{Name: "labels", Value: strings.Join(scenes.Labels, ", ")},
			{Name: "settings", Value: string(configs.Digest(e))}, {Name: "version", Value: manifests.Version},
			{Name: "seed", Value: strconv.FormatUint(e.Seed, 10)}, a.machine(),
		},
	}
	if err := o.files.write(page, b); err != nil {
		return err
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(&scenesResult{s, scenes.Labels, foldsFile, b, d})
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

type segmented struct {
	Image       string  `json:"image"`
	Mask        string  `json:"mask"`                  // file of the mask: 0 ground, 255 figure
	Overlay     string  `json:"overlay"`               // file of the picture with the mask in green
	Probability string  `json:"probability,omitempty"` // file of --probability, 16-bit gray
	Figure      float64 `json:"figure_share"`          // share of pixels that are figure, 0 to 1
	Proved      bool    `json:"optimal"`               // no labeling of superpixels has less energy
}

type segmentResult struct {
	summary
	Folder string           `json:"folder"`           // the folder of the results
	Masks  []segmented      `json:"masks"`            // one for every picture that was read
	Unread []manifests.Skip `json:"skipped_pictures"` // those that were not, with the reason
	Left   int              `json:"left"`             // pictures beyond --limit

	one, many string // in words, what there is of each picture
}

func (r *segmentResult) table(w *bytes.Buffer) {
	for _, m := range r.Masks {
		fmt.Fprintf(w, "%s %5.1f%% figure\n", m.Mask, 100*m.Figure)
	}
	fmt.Fprintf(w, "%s in %s%c\n", plural(len(r.Masks), r.one, r.many), strings.TrimRight(r.Folder, `/\`), filepath.Separator)
}

// A segmentRequest is what the flags of segment say.
type segmentRequest struct {
	model       string
	probability bool
	limit       int
	lim         raster.Limits
}

func (a *app) segmentCommand() *cobra.Command {
	q := segmentRequest{lim: raster.DefaultLimits()}
	cmd := &cobra.Command{
		Use: "segment PICTURE|FOLDER...", Short: "Segment pictures with a trained model",
		Long: `segment writes for every picture NAME a mask NAME.mask.png (0 ground, 255 figure) and an overlay NAME.overlay.png
into the folder -o. With --probability it also writes NAME.probability.png: 16-bit gray, the mean probability of figure in
each superpixel, times 65535. A model without a network may be too sure. Masks end at the picture's own edges, so they are
not exactly the pixels over one half.

A folder means all pictures in it and in its sub-folders, which are kept under -o. A pattern in quotes, such as "in/*.jpg",
is expanded. A name of nothing is an error; a picture that cannot be read is skipped and listed. Pictures are turned upright
by their EXIF tag.`,
		Example: `  hdseg segment --model horse.model -o masks photo1.jpg photo2.png
  hdseg segment --model horse.model -o masks photos "more/*.jpg" --probability`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("hdseg segment: want at least one picture or folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.segment(cmd, &q, args) },
	}
	a.withOut(cmd, "folder for the masks (required)")
	a.withDenseOf(cmd)
	f := cmd.Flags()
	f.StringVar(&q.model, "model", "", "model file (required)")
	f.BoolVar(&q.probability, "probability", false, "also write how probable figure is")
	f.IntVar(&q.limit, "limit", 0, "segment only the first N pictures; 0 for all")
	f.Int64Var(&q.lim.MaxPixels, "max-pixels", q.lim.MaxPixels, "skip pictures of more pixels than this; each takes about 30 "+
		"bytes of memory, below 10 million 50")
	return cmd
}

func (a *app) segment(cmd *cobra.Command, q *segmentRequest, args []string) error {
	switch {
	case q.limit < 0:
		return usagef("--limit %d: want 0 or more", q.limit)
	case q.lim.MaxPixels < 1:
		return usagef("--max-pixels %d: want 1 or more", q.lim.MaxPixels)
	}
	mod, err := a.readModel(q.model)
	if err != nil {
		return err
	}
	if n := len(mod.Labels); q.probability && n != 2 {
		return usagef("--probability: %s has %d labels, want a model of ground and figure", q.model, n)
	}
	todo, err := picturesOf(args, a.out)
	if err != nil {
		return err
	}
	r := &segmentResult{Folder: a.out, Unread: []manifests.Skip{}, Masks: []segmented{}, one: "mask and overlay", many: "masks and overlays"}
	ends := results[:2]
	if q.probability {
		r.one, r.many, ends = "mask, overlay and probability", "masks, overlays and probabilities", results
	}
	if q.limit > 0 && len(todo) > q.limit {
		r.Left, todo = len(todo)-q.limit, todo[:q.limit]
		a.warn(fmt.Sprintf("--limit %d: %s left", q.limit, plural(r.Left, "picture is", "pictures are")))
	}
	if err := outFolder(filepath.Join(a.out, ".")); err != nil {
		return err
	}
	if err := overInputs(q.model, todo, a.out, ends); err != nil {
		return err
	}
	var names []string
	for _, p := range todo {
		names = append(names, filepath.ToSlash(p.name))
	}
	if err := dense.Some(mod.Setup.Feature.Dense, names); err != nil {
		return err
	}
	show := a.stageProgress("segmenting pictures")
	err = manifests.Each(cmd.Context(), a.workers, len(todo),
		func(_ context.Context, i int) (segmented, error) {
			return q.segment(mod, todo[i], a.out)
		},
		func(i int, m segmented, err error) error {
			show(i+1, len(todo))
			if failed := new(writeError); errors.As(err, &failed) {
				return err
			} else if err != nil {
				r.Unread = append(r.Unread, lscrf.Skip(todo[i].file, inWords(err)))
				return nil
			}
			r.Masks = append(r.Masks, m)
			return nil
		})
	if err != nil {
		return err
	}
	a.skip(r.Unread...)
	empty := 0
	for _, m := range r.Masks {
		if m.Figure == 0 {
			empty++
		}
	}
	if empty > 0 {
		a.warn(fmt.Sprintf("%s no figure: the model sees none there", plural(empty, "mask has", "masks have")))
	}
	a.Read, a.Done = len(todo), len(r.Masks)
	a.listed = "--json"
	return a.report(r)
}

// A named picture is a file and the name of its results under -o, without an extension.
type named struct{ file, name string }

// results are the ends of the names of what segment writes.
var results = []string{".mask.png", ".overlay.png", ".probability.png"}

// pictureNames are the extensions whose files are told of where they are no pictures.
var pictureNames = []string{".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp"}

// picturesOf lists the pictures that the arguments of segment mean, each once, and refuses those
// that are missing and two whose results would overwrite each other. Those in folders are told by
// their bytes or names; what lies in the folder of the results, or is named like one, is none.
func picturesOf(args []string, out string) ([]named, error) {
	var all []named
	var missing []error
	for _, arg := range args {
		files := []string{arg}
		if strings.ContainsAny(arg, "*?[") && !exists(arg) {
			var err error
			if files, err = filepath.Glob(arg); err != nil || len(files) == 0 {
				return nil, usagef("%s: no file has such a name", arg)
			}
		}
		for _, f := range files {
			st, err := os.Stat(f)
			if err != nil {
				missing = append(missing, inWords(err))
				continue
			}
			if st.IsDir() {
				in, err := picturesIn(f, out)
				if err != nil {
					return nil, err
				}
				if len(in) == 0 {
					return nil, usagef("%s: the folder holds no picture, want JPEG, PNG, GIF, BMP or WebP files", f)
				}
				all = append(all, in...)
				continue
			}
			name := strings.Trim(filepath.Base(f), `/\`)
			if name == "" || name == "." || name == ".." {
				return nil, usagef("%s: want a picture", f)
			}
			all = append(all, named{f, unextended(name)})
		}
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	var once []named
	seen := map[string]string{}
	for _, p := range all {
		if old, ok := seen[p.name]; !ok {
			seen[p.name], once = p.file, append(once, p)
		} else if !sameFile(old, p.file) {
			return nil, usagef("%s and %s would both be written as %s.mask.png: segment them into different folders", old, p.file, p.name)
		}
	}
	return once, nil
}

// picturesIn lists the pictures of a folder and those below it. Two that differ by the extension
// alone keep it in their names.
func picturesIn(root, out string) ([]named, error) {
	var all []named
	seen := map[string]int{}                                 // names without extension
	root = filepath.Clean(root) + string(filepath.Separator) // a link to a folder is followed
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != root
		switch {
		case d.IsDir() && (hidden || name != root && sameFile(name, out)):
			return fs.SkipDir
		case d.IsDir(), hidden, slices.ContainsFunc(results, func(end string) bool { return strings.HasSuffix(name, end) }):
			return nil
		}
		if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
			return nil
		}
		if head, err := headOf(name, 512); err == nil && raster.Sniff(head) == "" && raster.ForeignPicture(head) == "" &&
			!slices.Contains(pictureNames, strings.ToLower(filepath.Ext(name))) {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		all = append(all, named{name, rel})
		seen[unextended(rel)]++
		return err
	})
	for i, p := range all {
		if short := unextended(p.name); seen[short] == 1 {
			all[i].name = short
		}
	}
	return all, err
}

// headOf returns the first bytes of a file, at most n.
func headOf(name string, n int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// unextended is a path without its extension; ".png" has no name but the whole.
func unextended(name string) string {
	dir, base := filepath.Split(name)
	switch stem := strings.TrimSuffix(base, filepath.Ext(base)); stem {
	case "", ".", "..":
		return name
	default:
		return dir + stem
	}
}

// overInputs refuses to write results of pictures, with these ends, over any of the inputs.
func overInputs(model string, todo []named, dir string, ends []string) error {
	type key struct{ size, at int64 } // of files that may be the same by another name
	inputs := map[key][]string{}
	of := func(st fs.FileInfo) key { return key{st.Size(), st.ModTime().UnixNano()} }
	for _, p := range append([]named{{file: model}}, todo...) {
		if st, err := os.Stat(p.file); err == nil {
			inputs[of(st)] = append(inputs[of(st)], p.file)
		}
	}
	for _, p := range todo {
		for _, end := range ends {
			out := filepath.Join(dir, p.name+end)
			st, err := os.Stat(out)
			if err != nil {
				continue
			}
			for _, f := range inputs[of(st)] {
				if sameFile(f, out) {
					return usagef("%s: its %s would be written over %s, which is an input: name another folder with -o",
						p.file, p.name+end, f)
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

// segment segments one picture and writes its results into a folder.
func (q *segmentRequest) segment(mod *lscrf.Model, p named, folder string) (segmented, error) {
	file, name, stem := p.file, filepath.ToSlash(p.name), filepath.Join(folder, p.name)
	out := segmented{Image: file, Mask: stem + ".mask.png", Overlay: stem + ".overlay.png"}
	data, err := os.ReadFile(file)
	if err != nil {
		return out, err
	}
	hold := raster.Hold{Work: raster.Segmenting}
	defer hold.Release()
	img, info, err := raster.Decode(data, q.lim.Within(&hold))
	if errors.Is(err, raster.ErrLimit) && int64(len(data)) <= q.lim.MaxBytes {
		err = fmt.Errorf("%w; --max-pixels N allows more", err)
	}
	if err != nil {
		return out, err
	}
	img = raster.Orient(img, info.Orientation)
	g, sp, array, err := lscrf.NewGraph(name, img, mod.Setup)
	if err != nil {
		return out, err
	}
	c, err := pipeline.Cut(mod, g, sp, img, array)
	if err != nil {
		return out, err
	}
	mask := c.Mask
	out.Proved = c.Optimal
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
	size := image.Rect(0, 0, mask.Width, mask.Height)
	files := map[string][]byte{
		out.Mask: raster.PNG(&image.Gray{Pix: mask.Pix, Stride: mask.Width, Rect: size}), out.Overlay: raster.EncodePNG(picture),
	}
	if q.probability {
		out.Probability = stem + ".probability.png"
		gray := image.NewGray16(size)
		for i, id := range sp.Labels {
			binary.BigEndian.PutUint16(gray.Pix[2*i:], uint16(math.Round(65535*c.Figure[id])))
		}
		files[out.Probability] = raster.PNG(gray)
	}
	if err := os.MkdirAll(filepath.Dir(stem), 0o777); err != nil {
		return out, &writeError{err}
	}
	for file, data := range files {
		if err := writeFile(file, data); err != nil {
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

func (r *scenesResult) table(w *bytes.Buffer) {
	report.Sections(w, report.Scenes(r.Labels, r.Table, r.Differences))
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
	scenes, err := pipeline.LoadScenes(ctx, e, root, o.labels, a.workers, a.stageProgress("cutting pictures into superpixels"))
	if err != nil {
		return err
	}
	a.skip(scenes.Skips...)
	f, err := scenes.Folds(foldsFile, cmp.Or(o.folds, 5), e.Seed)
	if err != nil {
		return err
	}
	bench.SortByFold(scenes.Images, f)
	t := scenes.Trainer(e, a.workers)
	kept := a.keep(t, pipeline.NewKept(foldsFile+".models", a.warn))
	measured, _, err := a.measure(ctx, t, e.Bench.Specs(), scenes.Images, f)
	if err != nil {
		return err
	}
	a.Read, a.Done = len(scenes.Images)+len(scenes.Skips), len(scenes.Images)
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
	abs, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	page := &report.Page{
		Title: "Scenes: " + filepath.Base(abs), Studies: report.SceneSections(scenes.Labels, b, d), Settings: string(configs.YAML(e)),
		Facts: report.Facts("command", commandLine(), "pictures", fmt.Sprintf("%d of %s, %s", len(scenes.Images), root, scenes.Digest),
			"true labels", string(b.Made.Truth), "folds", foldsFile, "labels", strings.Join(scenes.Labels, ", "),
			"settings", string(configs.Digest(e)), "version", manifests.Version, "seed", fmt.Sprint(e.Seed), "machine", a.machine()),
	}
	if err := o.files.write(page, b); err != nil {
		return err
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(&scenesResult{Labels: scenes.Labels, Folds: foldsFile, Table: b, Differences: d})
}

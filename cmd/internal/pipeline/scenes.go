package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// Scenes are pictures of which every pixel has one of several labels, ready to be trained on and
// scored.
type Scenes struct {
	Images []bench.Scored
	Labels []string // names
	Skips  []manifests.Skip
	Digest manifests.Digest // of the pictures: their ids, sizes and pixels, in their order
}

// LoadScenes reads a tree in the layout of Stanford Background and computes the features of its
// pictures. The labels 0, 1, ... are called by names, or else by the lines of root/labels.txt, or
// else as in the experiment if exactly its labels occur, or else "label 0" and so on. The feature
// set must be draft: words would be learned from the pictures that are measured on.
func LoadScenes(ctx context.Context, e *configs.Experiment, root string, names []string, workers int,
	progress func(done, total int)) (*Scenes, error) {
	if e.Feature.Set != feature.Draft {
		return nil, fmt.Errorf("scenes: feature.set: got %s, want %s", e.Feature.Set, feature.Draft)
	}
	var raw []ingest.Scene
	skips, err := ingest.Scenes(ctx, root, e.Ingest, workers, func(s ingest.Scene) error {
		raw = append(raw, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Scenes{Skips: skips}
	if s.Labels, err = labelNames(raw, names, e.Labels, filepath.Join(root, "labels.txt")); err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, r := range raw {
		fmt.Fprintf(h, "%s %d %d\n", r.ID, r.Image.Width, r.Image.Height)
		h.Write(r.Image.Pix)
	}
	s.Digest = manifests.Digest(hex.EncodeToString(h.Sum(nil)))
	err = manifests.Each(ctx, workers, len(raw),
		func(_ context.Context, i int) (bench.Scored, error) {
			r := raw[i]
			hold := raster.Hold{Work: raster.Segmenting}
			defer hold.Release()
			hold.Take(int64(r.Image.Width) * int64(r.Image.Height))
			return bench.NewScored(r.ID, r.Image, r.Labels.Pix, len(s.Labels), manifests.Manual, e.Setup())
		},
		func(i int, im bench.Scored, err error) error {
			progress(i+1, len(raw))
			s.Images = append(s.Images, im)
			return err
		})
	return s, err
}

// labelNames names the labels of scenes: by names, or else the lines of a file.
func labelNames(raw []ingest.Scene, names, known []string, file string) ([]string, error) {
	var occurs [256]bool
	for _, r := range raw {
		for _, l := range r.Labels.Pix {
			occurs[l] = true
		}
	}
	used := slices.Clone(occurs[:255]) // 255 is unknown
	for len(used) > 0 && !used[len(used)-1] {
		used = used[:len(used)-1]
	}
	from, count := "--labels", len(used)
	if len(names) == 0 {
		from = file
		data, err := os.ReadFile(file)
		// of an archive there is no such file
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		text, err := format.PlainText(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for line := range strings.Lines(strings.TrimSpace(string(text))) {
			names = append(names, strings.TrimSpace(line))
		}
	}
	for i, n := range names {
		if n == "" || slices.Contains(names[:i], n) {
			return nil, fmt.Errorf("%s: name %d: got %q, want one of its own for every label", from, i, n)
		}
	}
	switch {
	case len(names) > 0 && (len(names) < count || len(names) < 2 || len(names) > lscrf.MaxLabels):
		return nil, fmt.Errorf("%s: got %d names, want %d to %d: the pictures have labels 0 to %d", from, len(names), max(2, count),
			lscrf.MaxLabels, count-1)
	case len(names) > 0:
		return names, nil
	case count == len(known) && !slices.Contains(used, false):
		return slices.Clone(known), nil
	}
	for l := range max(2, count) {
		names = append(names, fmt.Sprintf("label %d", l))
	}
	return names, nil
}

// Folds returns which fold holds which picture, from a file that keeps them.
func (s *Scenes) Folds(file string, folds int, seed uint64) (lscrf.Folds, error) {
	f, _, err := ReadFolds(file, s.Images, func(ids []string) (lscrf.Folds, error) {
		if folds > len(ids) {
			return nil, fmt.Errorf("%d folds of %d scenes: want as many scenes or more", folds, len(ids))
		}
		return lscrf.SceneFolds(ids, folds, seed), nil
	})
	return f, err
}

// Trainer returns the trainer of an experiment on all scenes.
func (s *Scenes) Trainer(e *configs.Experiment, workers int) *lscrf.Trainer {
	return &lscrf.Trainer{
		Source: bench.Graphs(s.Images), Options: e.Train, Seed: e.Seed, Workers: workers,
		About: lscrf.Model{Labels: s.Labels, Setup: e.Setup()},
	}
}

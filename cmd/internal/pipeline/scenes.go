package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/feature"
	"hdseg/manifests"
)

// Scenes are pictures of which every pixel has one of several labels, ready to be trained on and scored.
type Scenes struct {
	Images []lscrf.Scored
	Labels []string // names
	Skips  []manifests.Skip
}

// LoadScenes reads a tree in the layout of Stanford Background and computes the features of its pictures. Labels
// beyond those that the experiment names are called "label 8" and so on. The set of features must be
// draft: words would be learned from the pictures that are measured on.
func LoadScenes(ctx context.Context, e *configs.Experiment, root string, workers int, progress func(done, total int)) (*Scenes, error) {
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
	s := &Scenes{Skips: skips, Labels: append([]string(nil), e.Labels...)}
	for _, r := range raw {
		for _, l := range r.Labels.Pix {
			for l != 255 && int(l) >= len(s.Labels) {
				s.Labels = append(s.Labels, fmt.Sprintf("label %d", len(s.Labels)))
			}
		}
	}
	err = manifests.Each(ctx, workers, len(raw),
		func(_ context.Context, i int) (lscrf.Scored, error) {
			r := raw[i]
			return lscrf.NewScored(r.ID, r.Image, r.Labels.Pix, len(s.Labels), manifests.Manual, e.Setup()), nil
		},
		func(i int, im lscrf.Scored, err error) error {
			progress(i+1, len(raw))
			s.Images = append(s.Images, im)
			return err
		})
	return s, err
}

// Folds reads which fold holds which picture from a file, or deals the pictures to folds and keeps the file if
// there is none.
func (s *Scenes) Folds(file string, folds int, seed uint64) (lscrf.Folds, error) {
	var f lscrf.Folds
	if data, err := os.ReadFile(file); err == nil {
		if err := f.UnmarshalText(data); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return f, nil
	} else if !readMissing(err) {
		return nil, err
	}
	var ids []string
	for _, im := range s.Images {
		ids = append(ids, im.ID)
	}
	f = lscrf.SceneFolds(ids, folds, seed)
	text, err := f.MarshalText()
	if err != nil {
		return nil, err
	}
	return f, manifests.WriteFile(file, filepath.Dir(file), text)
}

// Trainer returns the trainer of an experiment on all scenes.
func (s *Scenes) Trainer(e *configs.Experiment, workers int) lscrf.Trainer {
	return lscrf.Trainer{
		Source: lscrf.Memory(s.Images), Options: e.Train, Seed: e.Seed, Workers: workers,
		About: lscrf.Model{Labels: s.Labels, Setup: e.Setup()},
	}
}

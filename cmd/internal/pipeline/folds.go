package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/manifests"
)

// ReadFolds returns the folds of a cross-validation and the images that have one. The file, if one
// is named, keeps them: it is read if it exists, and else written with what deal makes. Images that
// it does not list are trained on in every fold, so that a file with one fold is a fixed split.
func ReadFolds(file string, images []bench.Scored, deal func(ids []string) (lscrf.Folds, error)) (lscrf.Folds, []bench.Scored, error) {
	var f lscrf.Folds
	data, err := os.ReadFile(file)
	if err == nil {
		if err := f.UnmarshalText(data); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		return f, slices.DeleteFunc(slices.Clone(images), func(im bench.Scored) bool { _, ok := f[im.ID]; return !ok }), nil
	}
	if file != "" && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if f, err = deal(bench.IDs(images)); err != nil || file == "" {
		return f, images, err
	}
	text, err := f.MarshalText()
	if err != nil {
		return nil, nil, err
	}
	return f, images, manifests.WriteFile(file, filepath.Dir(file), text)
}

// Sourced returns the tiers of some models of which a training mask was transferred from an image
// that folds hold out.
func Sourced(m *manifests.Manifest, folds lscrf.Folds, specs []lscrf.Spec) []manifests.Tier {
	var trained, out []manifests.Tier
	for _, s := range specs {
		trained = append(trained, s.Tiers...)
	}
	held := func(id string) bool { _, ok := folds[id]; return ok }
	for i := range m.Records {
		for _, k := range m.Records[i].Masks {
			if k.Transferred() && slices.Contains(trained, k.Tier) && !slices.Contains(out, k.Tier) &&
				slices.ContainsFunc(k.WasDerivedFrom, held) {
				out = append(out, k.Tier)
			}
		}
	}
	slices.Sort(out)
	return out
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hdseg/lscrf"
	"hdseg/manifests"
)

// heldOut returns the folds of a cross-validation on training images, and the images that have one. A file, if one is
// named, keeps them: it is read if it exists, and else written. What it does not list is trained on in every fold, so that a
// file with one fold is a fixed split. Images that are alike are dealt to one fold.
func heldOut(images []lscrf.Scored, alike lscrf.Alike, folds int, file string, seed uint64) (lscrf.Folds, []lscrf.Scored, error) {
	if file != "" {
		data, err := os.ReadFile(file)
		if err == nil {
			var f lscrf.Folds
			if err := f.UnmarshalText(data); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file, err)
			}
			kept := slices.DeleteFunc(slices.Clone(images), func(im lscrf.Scored) bool { _, ok := f[im.ID]; return !ok })
			if len(kept) != len(f) {
				return nil, nil, fmt.Errorf("%s: names %d images, of which %d are training images with a manual mask", file, len(f), len(kept))
			}
			return f, kept, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || folds == 0 {
			return nil, nil, err
		}
	}
	if n := alike.Count(lscrf.IDs(images)); n < folds {
		return nil, nil, usagef("--cross-validate %d: only %d training images have a manual mask, near duplicates counted as one", folds, n)
	}
	f := alike.Deal(lscrf.IDs(images), folds, seed)
	if file == "" {
		return f, images, nil
	}
	text, err := f.MarshalText()
	if err != nil {
		return nil, nil, err
	}
	return f, images, manifests.WriteFile(file, filepath.Dir(file), text)
}

// sourced returns the tiers of some models of which a training mask was transferred from an image that folds hold out.
func sourced(m *manifests.Manifest, folds lscrf.Folds, specs []lscrf.Spec) []manifests.Tier {
	var trained, out []manifests.Tier
	for _, s := range specs {
		trained = append(trained, s.Tiers.Unweighted()...)
	}
	held := func(id string) bool { _, ok := folds[id]; return ok }
	for i := range m.Records {
		for _, k := range m.Records[i].Masks {
			if k.Transferred() && slices.Contains(trained, k.Tier) && !slices.Contains(out, k.Tier) && slices.ContainsFunc(k.WasDerivedFrom, held) {
				out = append(out, k.Tier)
			}
		}
	}
	slices.Sort(out)
	return out
}

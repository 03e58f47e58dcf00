package manifests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"hdseg/manifests/canon"
)

// StagesDir is where a build keeps the manifests of its stages.
const StagesDir = "stages"

// A Stage is one manifest on the way from the sources to another one.
type Stage struct {
	Name     string `json:"name"`               // in its store
	Digest   Digest `json:"digest"`             // of its index
	Header   Header `json:"header"`             // without Skipped and Settings
	Settings string `json:"settings,omitempty"` // path in its store, "" for none
}

// StageOf returns what the index of a manifest says, without its records.
func StageOf(s *Store, name string) (Stage, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return Stage{}, err
	}
	return ix.stage(Sum(data)), nil
}

func (ix *index) stage(sum Digest) Stage {
	st := Stage{Name: ix.Name, Digest: sum, Header: ix.Header}
	for _, p := range ix.Options {
		st.Settings = p.Path
	}
	return st
}

// Lineage returns the manifests that m was made from and that the store still has, its parent
// first. missing is the digest of the first one that is not there, "" if all are.
func Lineage(s *Store, m *Manifest) (stages []Stage, missing Digest, err error) {
	byDigest, err := indexes(s)
	if err != nil {
		return nil, "", err
	}
	for d := m.Parent; d != ""; {
		st, ok := byDigest[d]
		if !ok {
			return stages, d, nil
		}
		stages = append(stages, st)
		d = st.Header.Parent // a digest cannot be its own ancestor's
	}
	return stages, "", nil
}

// indexes reads every index in the store's folder and in its stages.
func indexes(s *Store) (map[Digest]Stage, error) {
	out := map[Digest]Stage{}
	for _, dir := range []string{"", StagesDir} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 || !strings.HasSuffix(e.Name(), ".yaml") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(s.dir, dir, e.Name()))
			if err != nil {
				return nil, err
			}
			d := &canon.Decoder{}
			// another YAML file is none of our business
			if ix := decodeIndex(d, data); len(d.Faults) == 0 {
				out[Sum(data)] = ix.stage(Sum(data))
			}
		}
	}
	return out, nil
}

// Orphans lists the manifests beside the folder of stages, by name, whose parent the store does not
// have. A choice's parent lies elsewhere.
func Orphans(s *Store) (names []string) {
	byDigest, err := indexes(s)
	if err != nil {
		return nil // who reads them says why
	}
	for _, st := range byDigest {
		_, ok := byDigest[st.Header.Parent]
		if !ok && st.Header.Parent != "" && st.Header.Stage != StageChoice && !strings.Contains(st.Name, "/") {
			names = append(names, st.Name)
		}
	}
	slices.Sort(names)
	return names
}

// checkLineage reports what the manifests that m was made from have lost: a parent that is missing
// from a store with stages (that of a choice is elsewhere), parts with other bytes, and a data set,
// class or seed that is not the child's. sound are the digests of their files by path.
func checkLineage(ctx context.Context, s *Store, name string, m *Manifest, workers int) (faults []Fault,
	sound map[string]Digest, err error) {
	stages, missing, err := Lineage(s, m)
	if err != nil {
		return nil, nil, err
	}
	child, of := name, m.Header
	var parts []part
	sound = map[string]Digest{}
	for _, st := range stages {
		differs := func(key string, got, want any) {
			if !reflect.DeepEqual(got, want) {
				faults = append(faults, fault("", FaultParent, "%s.yaml: %s: got %v, want %v as in %s.yaml, which it was made from", child,
					key, got, want, st.Name))
			}
		}
		differs("dataset", of.Dataset, st.Header.Dataset)
		differs("class", of.Class, st.Header.Class)
		differs("seed", of.Seed, st.Header.Seed)
		if _, ix, err := readIndex(s, st.Name); err == nil { // else it lies elsewhere than it says
			parts = append(parts, ix.files()...)
		}
		sound[st.Name+".yaml"] = st.Digest
		child, of = st.Name, st.Header
	}
	// else it is a published data set
	if dir, err := os.Stat(filepath.Join(s.dir, StagesDir)); missing != "" && of.Stage != StageChoice && err == nil && dir.IsDir() {
		why := ""
		if len(s.Glob(StagesDir+"/*.yaml")) > 0 {
			why = ": a later build into this folder was not finished: run it again"
			if m.Stage == "annotate" {
				why = ": the data set was built anew since: make this manifest again from the new one"
			}
		}
		faults = append(faults, fault("", FaultParent, "%s.yaml: parent: no manifest in the store has sha256 %s%s", child,
			missing.Short(), why))
	}
	err = Each(ctx, workers, len(parts), func(_ context.Context, i int) (Digest, error) { return s.sum(parts[i].Path) },
		func(i int, got Digest, err error) error {
			p := parts[i]
			sound[p.Path] = p.SHA256 // whatever is wrong with it is said once
			faults = append(faults, s.partFault(p, got, err)...)
			return ctx.Err()
		})
	return faults, sound, err
}

// MayReplace fails if writing a manifest under name would replace what is not an earlier one of the
// same data set, or a SHA256SUMS that hdseg cannot read.
func MayReplace(s *Store, name, dataset string) error {
	data, err := s.Read(SumsFile, "")
	if err == nil {
		if _, err := ParseSums(data); err != nil {
			return fmt.Errorf("a list is there that hdseg did not write, and would be replaced: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, ix, err := readIndex(s, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s.yaml is there, cannot be read and would be replaced: %w", name, err)
	case ix.Name != name:
		return fmt.Errorf("%s.yaml is there and would be replaced: it is no manifest %s, but %s", name, name, ix.Name)
	case ix.Dataset != dataset:
		return fmt.Errorf("%s.yaml: the data set %q is there and would be replaced by %q", name, ix.Dataset, dataset)
	}
	return nil
}

// MayChange fails if replacing the manifest name by another, becomes, would take a parent from one
// in the store, or a whole set away for a choice of its records.
func MayChange(s *Store, name string, becomes Digest, choice bool) error {
	data, ix, err := readIndex(s, name)
	if err != nil || Sum(data) == becomes {
		return nil // there is none, or MayReplace was asked
	}
	if choice && ix.Stage != StageChoice {
		return fmt.Errorf("%s.yaml: the whole set is there, which that of some records would replace", name)
	}
	all, err := indexes(s)
	if err != nil {
		return err
	}
	for _, d := range slices.Sorted(maps.Keys(all)) {
		if st := all[d]; st.Name != name && st.Header.Parent == Sum(data) {
			return fmt.Errorf("%s.yaml: %s.yaml was made from it and would lose its parent", name, st.Name)
		}
	}
	return nil
}

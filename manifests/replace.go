package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// MayReplace fails if writing a manifest of a data set under name would replace what is not an earlier one of it: a file that is no such index, one of
// another version of the layout or of another data set, or a SHA256SUMS that hdseg cannot read.
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

// MayChange fails if the manifest of that name is another one than becomes, and replacing it would take a parent from one in the store, or
// a whole set away for a choice of its records.
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

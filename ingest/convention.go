package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"hdseg/manifests/format"
)

// A guess is what the values of a mask say of its convention.
type guess struct {
	// the narrowest convention that knows them; Values128 for 0 and 128, Values1 for 0 alone
	Values format.Values
	Origin string
	// the source that the mask is of, by its path: within one, all masks follow one convention
	Set    string
	Stated bool // the convention was stated, not read off the values
	Figure bool // the mask has figure under its convention
}

// conventions gathers the guesses of all masks, in the order of the tasks.
type conventions map[string]*maskSet // by source

// A maskSet is what the masks of a source have shown.
type maskSet struct {
	first  map[format.Values]string // the first mask of each convention
	figure bool                     // any mask has figure
	stated bool
}

// take refuses the first mask by which 255 means void in one of a source and may mean figure in
// another.
func (c conventions) take(g guess) error {
	s := c[g.Set]
	if s == nil {
		s = &maskSet{first: map[format.Values]string{}}
		c[g.Set] = s
	}
	s.figure = s.figure || g.Figure
	s.stated = g.Stated
	if _, ok := s.first[g.Values]; ok {
		return nil
	}
	s.first[g.Values] = g.Origin
	void, ok1 := s.first[format.ValuesVoid255]
	figure, ok2 := s.first[format.Values255]
	if g.Stated || !ok1 || !ok2 {
		return nil
	}
	return fmt.Errorf("ingest: masks: %s has the values %s, where 255 is void, and %s has %s, where it may be figure: "+
		"state the convention of all with --set ingest.maskValues=%s or --set ingest.maskValues=%s",
		void, format.ValuesVoid255, figure, format.Values255, format.ValuesVoid255, format.Values255)
}

// emptied refuses, when all masks were taken, a source whose masks all lose their figure to the
// stated convention, and one whose masks do not say whether 128 is void or figure.
func (c conventions) emptied(stated string) error {
	for _, set := range slices.Sorted(maps.Keys(c)) {
		s := c[set]
		only128 := s.first[format.Values128]
		lost, values := cmp.Or(s.first[format.Values255], only128), format.Values255
		if lost == only128 {
			values = format.Values128
		}
		switch {
		case s.stated && !s.figure && lost != "":
			return fmt.Errorf("ingest: masks: %s: no mask has figure with ingest.maskValues=%s, and %s has the values "+
				"%s: want --set ingest.maskValues=%s or other masks",
				filepath.Base(set), stated, lost, values, values)
		case !s.stated && only128 != "" && s.first[format.Values255] == "" && s.first[format.ValuesVoid128] == "":
			return fmt.Errorf("ingest: masks: %s has the values %s, and no mask of %s has a figure of 255 beside which "+
				"128 would be void: --set ingest.maskValues=%s takes 128 for figure; if it is void, nothing is left of "+
				"such masks: write the figure as 255",
				only128, format.Values128, filepath.Base(set), format.Values128)
		}
	}
	return nil
}

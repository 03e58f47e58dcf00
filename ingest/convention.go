package ingest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"hdseg/manifests/format"
)

// A guess is what the values of a mask say of its convention.
type guess struct {
	values format.Values
	origin string
	set    string // the source that the mask is of, by its path: within one, all masks follow one convention
	stated bool   // the convention was stated, not read off the values
	figure bool   // the mask has figure under the stated convention
}

// conventions gathers the guesses of all masks, in the order of the tasks.
type conventions struct {
	masks map[string]map[format.Values]string // by source: the first mask of each convention that auto found
	lost  map[string]guess                    // by source: a mask with figure under the stated convention, or else one of 0 and 255 without
}

// take refuses the first mask by which 255 means void in one of a source and may mean figure in another.
func (c *conventions) take(g guess) error {
	if c.masks == nil {
		c.masks, c.lost = map[string]map[format.Values]string{}, map[string]guess{}
	}
	if g.stated {
		if _, ok := c.lost[g.set]; g.figure || !ok && g.values == format.Values255 {
			c.lost[g.set] = g
		}
		return nil
	}
	seen := c.masks[g.set]
	if seen == nil {
		seen = map[format.Values]string{}
		c.masks[g.set] = seen
	}
	if _, ok := seen[g.values]; ok {
		return nil
	}
	seen[g.values] = g.origin
	void, ok1 := seen[format.ValuesVoid255]
	figure, ok2 := seen[format.Values255]
	if !ok1 || !ok2 {
		return nil
	}
	return fmt.Errorf("ingest: masks: %s has the values %s, where 255 is void, and %s has %s, where it may be figure: state the convention of all with --set ingest.maskValues=%s or --set ingest.maskValues=%s",
		void, format.ValuesVoid255, figure, format.Values255, format.ValuesVoid255, format.Values255)
}

// emptied refuses a source whose masks all lose their figure to the convention that was stated; that is known when all were taken.
func (c *conventions) emptied(stated string) error {
	for _, set := range slices.Sorted(maps.Keys(c.lost)) {
		if g := c.lost[set]; !g.figure {
			return fmt.Errorf("ingest: masks: %s: no mask has figure with ingest.maskValues=%s, and %s has the values %s: want --set ingest.maskValues=%s or auto",
				filepath.Base(set), stated, g.origin, g.values, g.values)
		}
	}
	return nil
}

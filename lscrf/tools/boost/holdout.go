package boost

import (
	"fmt"
	"slices"
)

// A FewError says that there are too few groups of rows, or rows, for an option.
type FewError struct {
	Option string // folds or heldOut
	Got    float64
	Have   int    // groups or rows
	Want   string // what Option may be with so many
}

func (e *FewError) Error() string {
	return fmt.Sprintf("boost: options: %s: got %v with %d groups of rows, want %s", e.Option, e.Got, e.Have, e.Want)
}

// HoldOut draws the fraction Options.HeldOut of the groups (group[i] of row i: its image), rounded to a whole number, with
// Options.Seed, and tells for each row whether its group was drawn: the HeldOut of Data whose rows are alike within
// groups. Rows drawn singly would be told by their neighbors when they measure. Groups without weight, which
// is nil for one each, are not drawn. Where none or all would be drawn it returns a *FewError; without Options.HeldOut, nil.
func HoldOut(group []int, weights []float32, opt Options) ([]bool, error) {
	if opt.HeldOut == 0 {
		return nil, nil
	}
	var names []int
	for i, g := range group {
		if weights == nil || weights[i] > 0 {
			names = append(names, g)
		}
	}
	names = shuffled(names, opt.Seed, streamHeldOut)
	n := int(opt.HeldOut*float64(len(names)) + 0.5)
	if n == 0 || n == len(names) {
		return nil, fewToHold(opt.HeldOut, len(names))
	}
	drawn := map[int]bool{}
	for _, g := range names[:n] {
		drawn[g] = true
	}
	out := make([]bool, len(group))
	for i, g := range group {
		out[i] = drawn[g]
	}
	return out, nil
}

// fewToHold is the error of a fraction that holds out none or all of n.
func fewToHold(got float64, n int) error {
	e := &FewError{"heldOut", got, n, "0: two are needed to hold one out"}
	if n > 1 {
		e.Want = fmt.Sprintf("%.2g..%.2g, so that one is held out and one is not, or 0", 1/float64(n), 1-1/float64(n))
	}
	return e
}

// shuffled returns the different names in a random order.
func shuffled(names []int, seed, stream uint64) []int {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	for i := len(names) - 1; i > 0; i-- {
		j := int(uniform(seed, stream, uint64(i)) * float64(i+1))
		names[i], names[j] = names[j], names[i]
	}
	return names
}

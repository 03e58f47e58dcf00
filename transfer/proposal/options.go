package proposal

import (
	"errors"
	"fmt"

	"hdseg/lscrf/tools/boost"
)

// Options of Train and Model. The zero value is not the default; see Defaults.
type Options struct {
	Grid      int           `yaml:"grid"`      // cells along each side of a picture, 4..32; default 16 (ours)
	MinCells  int           `yaml:"minCells"`  // shortest side of a window in cells, 1..grid; default 3 (ours)
	Count     int           `yaml:"count"`     // most windows that are proposed, 1..; default 100 (Kuettel and Ferrari 2012)
	Overlap   float64       `yaml:"overlap"`   // windows of so large an IoU with a better one are left out, above 0, to 1; default 0.8 (ours)
	Sharpness float64       `yaml:"sharpness"` // a window weighs exp(sharpness·(its predicted overlap - the best's)), 0..; default 16 (ours)
	Folds     int           `yaml:"folds"`     // of pictures, for models that have not seen one, 2..; default 3 (ours)
	Trees     boost.Options `yaml:"trees"`     // default 200 trees of depth 6, squared loss (ours)
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	t := boost.Defaults()
	t.Trees, t.Depth, t.Rate, t.Borders, t.ColumnSample, t.L2 = 200, 6, 0.08, 32, 0.4, 10
	return Options{Grid: 16, MinCells: 3, Count: 100, Overlap: 0.8, Sharpness: 16, Folds: 3, Trees: t}
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Grid >= 4 && o.Grid <= 32, "grid: got %d, want 4..32", o.Grid)
	bad(o.MinCells >= 1 && o.MinCells <= o.Grid, "minCells: got %d, want 1..%d", o.MinCells, o.Grid)
	bad(o.Count >= 1, "count: got %d, want 1 or more", o.Count)
	bad(o.Overlap > 0 && o.Overlap <= 1, "overlap: got %g, want more than 0, at most 1", o.Overlap)
	bad(o.Sharpness >= 0 && o.Sharpness <= 1000, "sharpness: got %g, want 0..1000", o.Sharpness)
	bad(o.Folds >= 2, "folds: got %d, want 2 or more", o.Folds)
	bad(o.Trees.Loss == boost.Squared, "trees: loss: got %q, want %s", o.Trees.Loss, boost.Squared)
	if err := o.Trees.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("trees: %w", err))
	}
	return errors.Join(errs...)
}

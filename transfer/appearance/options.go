package appearance

import (
	"errors"
	"fmt"
	"math"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/superpixel"
)

// Options of Train and Model. The zero value is not the default; see Defaults.
type Options struct {
	Side          int                `yaml:"side"`          // a window is scaled to side² pixels, 32..512; default 128 (ours)
	Margin        float64            `yaml:"margin"`        // share of a window's sides that is seen around it, 0..1; default 0.2 (ours)
	SuperpixelPx  float64            `yaml:"superpixelPx"`  // mean pixels of a superpixel in the scaled window, 4..; default 64 (ours)
	Superpixel    superpixel.Options `yaml:"superpixel"`    // how they are made; count follows from superpixelPx
	SIFTBins      [2]int             `yaml:"siftBins"`      // sides of spatial bins of the two texture descriptors, in scaled pixels, 2..32; default 6 and 12 (ours)
	ColorScales   [2]float64         `yaml:"colorScales"`   // standard deviations of the two colour kernels, in CIELAB units, 0.01..1000; default 6 and 14 (ours)
	SeedThreshold [2]float64         `yaml:"seedThreshold"` // prior up to which a superpixel is surely ground, and from which surely figure, 0..1; default 0.1 and 0.85 (ours)
	Folds         int                `yaml:"folds"`         // of pictures, for what the second stage learns from and for calibration, 2..; default 3 (ours)
	Trees         boost.Options      `yaml:"trees"`         // of both stages; default 150 logistic trees of depth 5 (ours)
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	t := boost.Defaults()
	t.Trees, t.Depth, t.Rate, t.Loss, t.ColumnSample, t.Borders, t.L2 = 150, 5, 0.1, boost.Logistic, 0.2, 32, 10
	return Options{
		Side:          128,
		Margin:        0.2,
		SuperpixelPx:  64,
		Superpixel:    superpixel.Defaults(),
		SIFTBins:      [2]int{6, 12},
		ColorScales:   [2]float64{6, 14},
		SeedThreshold: [2]float64{0.1, 0.85},
		Folds:         3,
		Trees:         t,
	}
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Side >= 32 && o.Side <= 512, "side: got %d, want 32..512", o.Side)
	bad(o.Margin >= 0 && o.Margin <= 1, "margin: got %g, want 0..1", o.Margin)
	bad(o.SuperpixelPx >= 4 && !math.IsInf(o.SuperpixelPx, 0), "superpixelPx: got %g, want 4 or more", o.SuperpixelPx)
	for i := range 2 {
		bad(o.SIFTBins[i] >= 2 && o.SIFTBins[i] <= 32, "siftBins: got %d, want 2..32", o.SIFTBins[i])
		bad(o.ColorScales[i] >= 0.01 && o.ColorScales[i] <= 1000, "colorScales: got %g, want 0.01..1000", o.ColorScales[i])
		bad(o.SeedThreshold[i] >= 0 && o.SeedThreshold[i] <= 1, "seedThreshold: got %g, want 0..1", o.SeedThreshold[i])
	}
	bad(o.Folds >= 2, "folds: got %d, want 2 or more", o.Folds)
	bad(o.Trees.Loss == boost.Logistic, "trees: loss: got %q, want %s", o.Trees.Loss, boost.Logistic)
	for name, err := range map[string]error{"superpixel": o.Superpixel.Validate(), "trees": o.Trees.Validate()} {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

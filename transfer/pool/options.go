package pool

import (
	"errors"
	"fmt"
)

// Ways to make a soft mask of sources.
const (
	VoteRidge   = "ridge"   // kernel ridge regression: Ridge
	VoteNearest = "nearest" // the weighted mean of the nearest: Pool.Nearest and Pool.Vote
)

// Descriptors of a window's look.
const (
	DescriptorHOG  = "hog"  // see hog
	DescriptorGIST = "gist" // see gist
	DescriptorBoth = "both" // hog and gist, each counting half
)

// Options of a Pool. The zero value is not the default; see Defaults.
type Options struct {
	Descriptor   string  `yaml:"descriptor"`   // DescriptorHOG, DescriptorGIST or DescriptorBoth; default hog (ours, see BENCHMARKS.md; Kuettel and Ferrari 2012 have GIST)
	Margin       float64 `yaml:"margin"`       // a descriptor sees the window grown by this share of its sides, 0..1; default 0.1 (ours)
	MaskSize     int     `yaml:"maskSize"`     // side in pixels of the stored masks and of soft masks, 8..256; default 64 (the transfer code of 2012 has 50)
	AspectWeight float64 `yaml:"aspectWeight"` // squared descriptor distance per unit of log(width/height) squared, 0..1e6; default 0.25 (ours)
	TouchWeight  float64 `yaml:"touchWeight"`  // squared descriptor distance per side that only one of two windows has on the picture's border, 0..1e6; default 0.15 (ours)
	Vote         string  `yaml:"vote"`         // VoteRidge or VoteNearest; default ridge (ours; the transfer code of 2012 has nearest)
	KernelWidth  float64 `yaml:"kernelWidth"`  // ridge: g of the kernel exp(-g·d²/d̄²), above 0, to 1e6; default 0.5 (ours)
	Lambda       float64 `yaml:"lambda"`       // ridge: λ, above 0, to 1e6; default 0.25 (ours)
	RidgeWindows int     `yaml:"ridgeWindows"` // ridge: most sources, evenly spaced ones of a larger pool, 1..; default 2000 (ours)
	Neighbors    int     `yaml:"neighbors"`    // windows that vote (nearest), records that are named as voters (ridge), 1..; default 30 (ours; the transfer code of 2012 has 50 or 100)
	Sharpness    float64 `yaml:"sharpness"`    // a neighbour's weight is exp(-sharpness·d²/d̄²), d̄² the mean squared distance of the voters, 0..1e6, 0 = equal weights; default 3 (ours)
	Mirror       bool    `yaml:"mirror"`       // every window is also a source with left and right exchanged; default true
	MinAreaPx    int     `yaml:"minAreaPx"`    // smallest figure, in pixels, that becomes a window, 1..; default 400 (ours)
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	return Options{
		Descriptor:   DescriptorHOG,
		Margin:       0.1,
		MaskSize:     64,
		AspectWeight: 0.25,
		TouchWeight:  0.15,
		Vote:         VoteRidge,
		KernelWidth:  0.5,
		Lambda:       0.25,
		RidgeWindows: 2000,
		Neighbors:    30,
		Sharpness:    3,
		Mirror:       true,
		MinAreaPx:    400,
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
	bad(o.Descriptor == DescriptorHOG || o.Descriptor == DescriptorGIST || o.Descriptor == DescriptorBoth,
		"descriptor: got %q, want %s, %s or %s", o.Descriptor, DescriptorHOG, DescriptorGIST, DescriptorBoth)
	bad(o.Margin >= 0 && o.Margin <= 1, "margin: got %g, want 0..1", o.Margin)
	bad(o.MaskSize >= 8 && o.MaskSize <= 256, "maskSize: got %d, want 8..256", o.MaskSize)
	bad(o.AspectWeight >= 0 && o.AspectWeight <= 1e6, "aspectWeight: got %g, want 0..1e6", o.AspectWeight)
	bad(o.TouchWeight >= 0 && o.TouchWeight <= 1e6, "touchWeight: got %g, want 0..1e6", o.TouchWeight)
	bad(o.Vote == VoteRidge || o.Vote == VoteNearest, "vote: got %q, want %s or %s", o.Vote, VoteRidge, VoteNearest)
	bad(o.KernelWidth > 0 && o.KernelWidth <= 1e6, "kernelWidth: got %g, want more than 0, at most 1e6", o.KernelWidth)
	bad(o.Lambda > 0 && o.Lambda <= 1e6, "lambda: got %g, want more than 0, at most 1e6", o.Lambda)
	bad(o.RidgeWindows >= 1, "ridgeWindows: got %d, want 1 or more", o.RidgeWindows)
	bad(o.Neighbors >= 1, "neighbors: got %d, want 1 or more", o.Neighbors)
	bad(o.Sharpness >= 0 && o.Sharpness <= 1e6, "sharpness: got %g, want 0..1e6", o.Sharpness)
	bad(o.MinAreaPx >= 1, "minAreaPx: got %d, want 1 or more", o.MinAreaPx)
	return errors.Join(errs...)
}

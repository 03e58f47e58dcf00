package pool

import (
	"errors"
	"fmt"
)

// Options of a Pool that a user may have a reason to change. The zero value is not the default.
type Options struct {
	// MinAreaPx is the smallest source in pixels, 1 or more; lower it for small pictures. Smaller
	// objects vote with less detail. Default 400 (ours).
	MinAreaPx int `yaml:"minAreaPx"`
	// RidgeWindows is the limit of sources that vote, 1 or more; more cost time. A larger pool gives
	// evenly spaced ones; the cost grows with the square. Default 2000 (ours).
	RidgeWindows int `yaml:"ridgeWindows"`
	// Neighbors is the limit of records that provenance names, 1 or more. It does not change the
	// mask. Default 30 (ours).
	Neighbors int `yaml:"neighbors"`
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options { return Options{MinAreaPx: 400, RidgeWindows: 2000, Neighbors: 30} }

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value int
	}{{"minAreaPx", o.MinAreaPx}, {"ridgeWindows", o.RidgeWindows}, {"neighbors", o.Neighbors}} {
		if f.value < 1 {
			errs = append(errs, fmt.Errorf("%s: got %d, want 1 or more", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// What was chosen once by leave-one-out transfer on the VOC training images; see BENCHMARKS.md.
const (
	margin = 0.1 // a descriptor sees the window grown by this share of its sides
	// side in pixels of the stored masks and of soft masks; the transfer code of 2012 has 50
	MaskSide     = 64
	aspectWeight = 0.25 // squared descriptor distance per unit of log(width/height) squared
	// squared descriptor distance per side that only one of two windows has on the picture's border
	touchWeight = 0.15
	kernelWidth = 0.5  // g of the kernel exp(-g·d²/d̄²)
	lambda      = 0.25 // λ of the ridge regression
)

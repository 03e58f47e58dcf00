package feature

import (
	"errors"
	"fmt"
)

// The feature sets.
const (
	Draft = "draft" // DraftDim values: mean RGB, center, rootSIFT (paper, section 6)
)

// DraftDim is the width of the draft set: 3 + 2 + 128.
const DraftDim = 133

// The ranges of rootSIFT, both 0..16; see Options.SIFTRange.
const (
	RangeA = "A"
	RangeB = "B"
)

// Options choose what Extract computes.
type Options struct {
	// Set is the feature set, Draft. Default Draft.
	Set string `yaml:"set"`
	// SIFTBin is the side of one of the 4 x 4 spatial bins in pixels, 2 to 32. Default 12 (ours; the paper gives no
	// scale): by five-fold cross-validation on the VOC horses and dogs, unary least squares gains three to six points of
	// per-class accuracy over bins of 4 px, the size of a superpixel.
	SIFTBin int `yaml:"siftBin"`
	// SIFTRange is RangeB, 16*sqrt(v/|v|1), which has L2 norm 16, or RangeA, the square root of
	// the usual byte descriptor min(255, 512 v), at most 15.97. Default RangeB (ours; the paper
	// gives only the range 0..16).
	SIFTRange string `yaml:"siftRange"`
	// SIFTSigma smooths the picture before SIFT by a Gaussian of so many pixels, 0 to 32; 0 does not. Default 1 (ours, chosen
	// like SIFTBin: worth about one point).
	SIFTSigma float64 `yaml:"siftSigma"`
}

// Defaults returns the draft set.
func Defaults() Options {
	return Options{Set: Draft, SIFTBin: 12, SIFTSigma: 1, SIFTRange: RangeB}
}

// Validate returns all faults of o.
func (o Options) Validate() error {
	var errs []error
	if o.Set != Draft {
		errs = append(errs, fmt.Errorf("set: got %q, want %q", o.Set, Draft))
	}
	if o.SIFTBin < 2 || o.SIFTBin > 32 {
		errs = append(errs, fmt.Errorf("siftBin: got %d, want 2 to 32", o.SIFTBin))
	}
	if o.SIFTRange != RangeA && o.SIFTRange != RangeB {
		errs = append(errs, fmt.Errorf("siftRange: got %q, want %q or %q", o.SIFTRange, RangeA, RangeB))
	}
	if !(o.SIFTSigma >= 0 && o.SIFTSigma <= 32) {
		errs = append(errs, fmt.Errorf("siftSigma: got %g, want 0 to 32", o.SIFTSigma))
	}
	return errors.Join(errs...)
}

// Dim returns the number of values per superpixel.
func Dim(o Options) int { return DraftDim }

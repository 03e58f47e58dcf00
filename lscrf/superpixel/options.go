package superpixel

import (
	"errors"
	"fmt"
)

// Options choose the number and the shape of superpixels.
type Options struct {
	// Count is the number of superpixels asked for; the number made differs by about a
	// tenth. 1 or more. Default 350, which the paper's point counts imply (306 to 386
	// superpixels per image).
	Count int `yaml:"count"`
	// Compactness weighs distance in the image against distance in colour: a step of one
	// grid cell counts as much as this many units of CIELAB. 0 or more; larger gives
	// squarer superpixels. Default 10, Achanta et al. 2012.
	Compactness float64 `yaml:"compactness"`
	// Iterations is the number of assignment passes, 1 or more. Default 10, Achanta et al. 2012.
	Iterations int `yaml:"iterations"`
}

// Defaults returns the options of the draft feature set.
func Defaults() Options {
	return Options{Count: 350, Compactness: 10, Iterations: 10}
}

// Validate returns all faults of o.
func (o Options) Validate() error {
	var errs []error
	if o.Count < 1 {
		errs = append(errs, fmt.Errorf("count: got %d, want 1 or more", o.Count))
	}
	if !(o.Compactness >= 0 && o.Compactness <= 1e4) {
		errs = append(errs, fmt.Errorf("compactness: got %g, want 0 to 1e4", o.Compactness))
	}
	if o.Iterations < 1 {
		errs = append(errs, fmt.Errorf("iterations: got %d, want 1 or more", o.Iterations))
	}
	return errors.Join(errs...)
}

package cut

import (
	"errors"
	"fmt"
)

// Options of Segment that a user may have a reason to change. The zero value is not the default;
// see Defaults.
type Options struct {
	// Gamma is the smoothness, 0..10000; more loses thin parts. It is the strength of the pairwise
	// term in nats. With arrays of a network a third of it counts. Default 30, 15 for the label tier
	// (ours, by leave-one-out on VOC; GrabCut has 50).
	Gamma float64 `yaml:"gamma"`
	// PriorWeight is the weight of the sources' votes, 0..100. It is the factor of the location
	// prior's log odds. Default 2 (ours; the transfer code of 2012 has 1).
	PriorWeight float64 `yaml:"priorWeight"`
	// ColorWeight is the weight of the picture's own colours, 0..100. It is the factor of the colour
	// models' log odds. With arrays of a network those of a pixel are at most 5 nats. Default 0.5
	// (ours; GrabCut has 1).
	ColorWeight float64 `yaml:"colorWeight"`
	// WorkPixels is the size at which colours are fitted, 0: full; more is slower, finer. A larger
	// picture is shrunk for it to so many pixels. Default 20000 (ours).
	WorkPixels int `yaml:"workPixels"`

	sure bool // see Surer
}

const (
	components = 5  // Gaussians per colour model (GrabCut; Kuettel and Ferrari 2012)
	maxRounds  = 20 // most rounds of refitting colours (transfer code of 2012)
	// prior from which a pixel starts as figure (ours; the transfer code of 2012 has 0.2)
	initThreshold = 0.5
	epsilon       = 0.001 // the prior is clamped to [epsilon, 1-epsilon] (ours)
	// width, in shrunk pixels, of the band around the border that is cut again at full size (ours)
	bandPx = 2
)

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	return Options{Gamma: 30, PriorWeight: 2, ColorWeight: 0.5, WorkPixels: 20000}
}

// Surer returns the options with a third of the smoothness and a bound on what colours say, for
// models that see arrays of a network. These tell thin parts better than contrast does, and a
// rider's dark cap from a dark horse. Figures: lscrf/NETWORKS.md.
func (o Options) Surer() Options {
	o.Gamma /= 3
	o.sure = true
	return o
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	for _, f := range []struct {
		name       string
		value, max float64
	}{{"gamma", o.Gamma, 1e4}, {"priorWeight", o.PriorWeight, 100}, {"colorWeight", o.ColorWeight, 100}} {
		if !(f.value >= 0 && f.value <= f.max) {
			errs = append(errs, fmt.Errorf("%s: got %g, want 0..%g", f.name, f.value, f.max))
		}
	}
	if o.WorkPixels < 0 {
		errs = append(errs, fmt.Errorf("workPixels: got %d, want 0 or more", o.WorkPixels))
	}
	return errors.Join(errs...)
}

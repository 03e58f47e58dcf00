package cut

import (
	"errors"
	"fmt"
	"math"
)

// Domains of the rounds.
const (
	Pixels      = "pixels"      // the finest border
	Superpixels = "superpixels" // a fraction of the time
)

// Options of Segment. The zero value is not the default; see Defaults.
type Options struct {
	Domain        string  `yaml:"domain"`        // what gets labels in the rounds: Pixels or Superpixels; default pixels
	SuperpixelPx  float64 `yaml:"superpixelPx"`  // mean pixels of a superpixel, of the shrunk picture, 4..; default 40 (ours)
	Components    int     `yaml:"components"`    // Gaussians per colour model, 1..; default 5 (GrabCut; Kuettel and Ferrari 2012)
	Gamma         float64 `yaml:"gamma"`         // strength of the pairwise term in nats, 0..; default 30 (ours, by leave-one-out on VOC; GrabCut has 50)
	Iterations    int     `yaml:"iterations"`    // most rounds of refitting colours, 1..; default 20 (transfer code of 2012)
	PriorWeight   float64 `yaml:"priorWeight"`   // factor of the location prior's log odds, 0..; default 2 (ours; the transfer code of 2012 has 1)
	ColorWeight   float64 `yaml:"colorWeight"`   // factor of the colour models' log odds, 0..; default 0.5 (ours; GrabCut has 1)
	InitThreshold float64 `yaml:"initThreshold"` // prior from which a pixel starts as figure, 0..1; default 0.5 (ours; the transfer code of 2012 has 0.2)
	Epsilon       float64 `yaml:"epsilon"`       // the prior is clamped to [epsilon, 1-epsilon], in (0, 0.5); default 0.001 (ours)
	WorkPixels    int     `yaml:"workPixels"`    // the rounds run on a picture shrunk until the free region has at most about this many pixels, 0 = never shrunk; default 20000 (ours)
	BandPx        int     `yaml:"bandPx"`        // width, in shrunk pixels, of the band around the border that is cut again at full size, 0..; default 2 (ours)
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	return Options{
		Domain:        Pixels,
		SuperpixelPx:  40,
		Components:    5,
		Gamma:         30,
		Iterations:    20,
		PriorWeight:   2,
		ColorWeight:   0.5,
		InitThreshold: 0.5,
		Epsilon:       0.001,
		WorkPixels:    20000,
		BandPx:        2,
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
	bad(o.Domain == Pixels || o.Domain == Superpixels, "domain: got %q, want %s or %s", o.Domain, Pixels, Superpixels)
	bad(o.SuperpixelPx >= 4 && !math.IsInf(o.SuperpixelPx, 0), "superpixelPx: got %g, want 4 or more", o.SuperpixelPx)
	bad(o.Components >= 1 && o.Components <= 64, "components: got %d, want 1..64", o.Components)
	bad(o.Gamma >= 0 && o.Gamma <= 1e4, "gamma: got %g, want 0..10000", o.Gamma)
	bad(o.Iterations >= 1, "iterations: got %d, want 1 or more", o.Iterations)
	bad(o.PriorWeight >= 0 && o.PriorWeight <= 100, "priorWeight: got %g, want 0..100", o.PriorWeight)
	bad(o.ColorWeight >= 0 && o.ColorWeight <= 100, "colorWeight: got %g, want 0..100", o.ColorWeight)
	bad(o.InitThreshold >= 0 && o.InitThreshold <= 1, "initThreshold: got %g, want 0..1", o.InitThreshold)
	bad(o.Epsilon > 0 && o.Epsilon < 0.5, "epsilon: got %g, want more than 0 and less than 0.5", o.Epsilon)
	bad(o.WorkPixels >= 0, "workPixels: got %d, want 0 or more", o.WorkPixels)
	bad(o.BandPx >= 0, "bandPx: got %d, want 0 or more", o.BandPx)
	return errors.Join(errs...)
}

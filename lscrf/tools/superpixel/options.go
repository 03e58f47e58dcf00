package superpixel

import (
	"encoding/json"
	"fmt"

	"hdseg/lscrf/internal/faults"
)

// The methods of Segment.
const (
	MethodSLIC = "slic" // SLIC: equal cells that follow colour
	MethodWard = "ward" // Ward: small SLIC cells, merged where they are alike
)

// Options choose the number and the shape of superpixels.
type Options struct {
	// Method is slic (the paper's) or ward, which keeps borders better. It does so at the same
	// count, and is what the annotation page paints with. Default slic.
	Method string `yaml:"method"`
	// Count is how many superpixels, 1..5000; more follow finer borders and cost time. Ward makes
	// exactly that many if the picture has enough colours and pixels; SLIC differs by about a tenth.
	// Default 350, which the paper's point counts imply (306 to 386 superpixels per image); 700 with
	// arrays of a network.
	Count int `yaml:"count"`
	// Compactness is the weight of distance, 0..10000; more: squarer. A step of one grid cell counts
	// as this many CIELAB units. Default 10 (Achanta et al. 2012).
	Compactness float64 `yaml:"compactness"`

	tuning `yaml:"-" json:"-"`
}

// tuning is what was chosen once on VOC training images (ours). Tests change it.
type tuning struct {
	// passes of SLIC's assignment; Achanta et al. 2012 use 10, and border sweeps make up for the
	// rest
	iterations        int
	fineness          float64 // SLIC cells per superpixel that Ward begins with
	sweeps            int     // passes in which single border pixels change sides
	borderCompactness float64 // Compactness of border sweeps and of Ward's merging
	// squared CIELAB units that a border pixel pays for each of its 8 neighbours in another
	// superpixel
	smoothness float64
}

var tuned = tuning{iterations: 4, fineness: 3, sweeps: 3, borderCompactness: 7, smoothness: 20}

// Defaults returns SLIC at the paper's number of superpixels.
func Defaults() Options {
	return Options{Method: MethodSLIC, Count: 350, Compactness: 10, tuning: tuned}
}

// UnmarshalJSON reads the options of a model. Those of version 0.2.0 also say what is constant now;
// where that had another value the superpixels would be others, which is an error.
func (o *Options) UnmarshalJSON(data []byte) error {
	v := struct {
		Method                                  string
		Count                                   int
		Compactness                             float64
		Iterations, Sweeps                      int
		Fineness, BorderCompactness, Smoothness float64
	}{Iterations: tuned.iterations, Sweeps: tuned.sweeps, Fineness: tuned.fineness,
		BorderCompactness: tuned.borderCompactness, Smoothness: tuned.smoothness}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if (tuning{v.Iterations, v.Fineness, v.Sweeps, v.BorderCompactness, v.Smoothness}) != tuned {
		return fmt.Errorf("superpixels of settings that this version does not have: %s", data)
	}
	*o = Options{v.Method, v.Count, v.Compactness, tuned}
	return nil
}

// maxCount bounds Count: more are smaller than the patches that describe them, and their sums would
// not be exact.
const maxCount = 5000

// Validate returns all faults of o.
func (o Options) Validate() error {
	var f faults.List
	f.Want(o.Method == MethodSLIC || o.Method == MethodWard, "method", o.Method, MethodSLIC+" or "+MethodWard)
	f.Want(o.Count >= 1 && o.Count <= maxCount, "count", o.Count, fmt.Sprintf("1 to %d", maxCount))
	f.Want(o.Compactness >= 0 && o.Compactness <= 1e4, "compactness", o.Compactness, "0 to 1e4")
	return f.Err()
}

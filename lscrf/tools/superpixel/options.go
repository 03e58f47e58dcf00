package superpixel

import (
	"fmt"

	"hdseg/lscrf/internal/faults"
)

// The methods of Segment.
const (
	MethodSLIC = "slic" // SLIC: equal cells that follow colour
	MethodWard = "ward" // Ward: small SLIC cells, merged where they are alike
)

// Options choose the number and the shape of superpixels. Distances are CIELAB units.
type Options struct {
	// Method is MethodSLIC, the paper's, or MethodWard, which keeps to object borders better at
	// the same count (see BENCHMARKS.md). Default slic.
	Method string `yaml:"method"`
	// Count is the number of superpixels asked for, 1..5000. Ward makes exactly that many if the
	// picture has enough colours and pixels; SLIC differs by about a tenth. Default 350, which the paper's point counts
	// imply (306 to 386 superpixels per image).
	Count int `yaml:"count"`
	// Compactness weighs distance in the picture against distance in colour while SLIC assigns
	// pixels: a step of one grid cell counts as this many units. 0 to 1e4; larger gives squarer superpixels.
	// Default 10 (Achanta et al. 2012).
	Compactness float64 `yaml:"compactness"`
	// Iterations is the number of SLIC's assignment passes, 1 or more. Default 4 (Achanta et al. 2012 use 10; on VOC
	// training images the border sweeps make up for the rest).
	Iterations int `yaml:"iterations"`
	// Fineness is the number of SLIC cells per superpixel that Ward begins with, at least 1; SLIC ignores it.
	// Default 3 (ours).
	Fineness float64 `yaml:"fineness"`
	// Sweeps is the number of passes in which single border pixels change sides, 0 or more; 0 leaves borders as
	// they are. Default 3 (ours).
	Sweeps int `yaml:"sweeps"`
	// BorderCompactness is the Compactness of border sweeps and of Ward's merging, 0 to 1e4. Default 7 (ours).
	BorderCompactness float64 `yaml:"borderCompactness"`
	// Smoothness is the price, in squared units, that a pixel in a border sweep pays for each of its 8 neighbours in another
	// superpixel, 0 to 1e4. Default 20 (ours).
	Smoothness float64 `yaml:"smoothness"`
}

// Defaults returns SLIC at the paper's number of superpixels.
func Defaults() Options {
	return Options{
		Method:            MethodSLIC,
		Count:             350,
		Compactness:       10,
		Iterations:        4,
		Fineness:          3,
		Sweeps:            3,
		BorderCompactness: 7,
		Smoothness:        20,
	}
}

// maxCount bounds Count: more are smaller than the patches that describe them, and their sums would not be exact.
const maxCount = 5000

// Validate returns all faults of o.
func (o Options) Validate() error {
	var f faults.List
	price := func(name string, v float64) { f.Want(v >= 0 && v <= 1e4, name, v, "0 to 1e4") }
	f.Want(o.Method == MethodSLIC || o.Method == MethodWard, "method", o.Method, MethodSLIC+" or "+MethodWard)
	f.Want(o.Count >= 1 && o.Count <= maxCount, "count", o.Count, fmt.Sprintf("1 to %d", maxCount))
	price("compactness", o.Compactness)
	f.Want(o.Iterations >= 1, "iterations", o.Iterations, "1 or more")
	f.Want(o.Fineness >= 1 && o.Fineness <= 1e4, "fineness", o.Fineness, "1 to 1e4")
	f.Want(o.Sweeps >= 0, "sweeps", o.Sweeps, "0 or more")
	price("borderCompactness", o.BorderCompactness)
	price("smoothness", o.Smoothness)
	return f.Err()
}

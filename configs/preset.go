package configs

import (
	"fmt"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/network"
)

// A Preset sets together what models are made of: their kind, the features and the trees. A config
// and --set go before it.
type Preset struct {
	Name string
	Text string // what it gives, in a few words
	Kind string // of the model, see lscrf.Kinds
	yaml string // settings
	with string // further ones, see WithArrays
}

// WithArrays returns the preset for models of arrays of a network, which tell thin parts that large
// superpixels and smoothness lose (lscrf/NETWORKS.md). Load takes it where there are some.
func (p Preset) WithArrays() Preset {
	p.with = "superpixel: {count: 700}\ntrain: {unaryWeight: 16}\n"
	return p
}

// Sees tells whether the preset names a network.
func (p Preset) Sees() bool { return strings.Contains(p.yaml, "dense:") }

// Presets returns all presets. Their figures stand in lscrf/RESULTS.md.
func Presets() []Preset {
	trees := "bench: {models: [trees]}\nfeature: {set: saliency}\ntrain: {trees: {leaves: shared, "
	return []Preset{
		{"network", "linear models that see what a network says of pictures", lscrf.Linear, "dense: {dir: " + network.Name + "}\n", ""},
		{"paper", "linear models without it, as in the paper's table", lscrf.Linear, "", ""},
		{"fast", "60 small boosted trees on saliency features, trained in seconds", lscrf.Trees,
			trees + "trees: 60, depth: 4, rate: 0.3}}\n", ""},
		{"best", "300 boosted trees on saliency features, the most accurate without a network", lscrf.Trees, trees + "trees: 300}}\n", ""},
	}
}

// FindPreset returns the preset of a name; "" is the first, network.
func FindPreset(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name || name == "" {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("--preset %s: want one of %s%s", name, strings.Join(names, ", "), Meant(name, names))
}

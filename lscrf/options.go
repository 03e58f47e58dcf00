package lscrf

import (
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf/internal/faults"
	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
)

// How regressed probabilities of label pairs become the potentials of edges; see Model.Energy.
const (
	EdgeSum = "edge-sum" // -log f_st (paper, Algorithm 2)
	// -log f_st/(f_s f_t), with the marginals f_s and f_t of the edge's own table
	Association = "association"
)

// TrainOptions choose how models are fitted, all kinds of them.
type TrainOptions struct {
	// Options are of least squares. Lambda and Balance serve the other kinds of models as well.
	regress.Options `yaml:",inline"`
	// Potentials is edge-sum (paper) or association, for many labels. Association is what an edge
	// says beyond its two ends. Default edge-sum.
	Potentials string `yaml:"potentials"`
	// EdgeShrink draws pairs towards their frequencies, 0..1; many labels want 0.5 or more. In
	// training p becomes (1-EdgeShrink) p + EdgeShrink f, as single pairs of many labels are learned
	// badly. Piecewise training and pseudolikelihood do not use it. Default 0 (paper).
	EdgeShrink float64 `yaml:"edgeShrink"`
	// UnaryWeight is the weight of superpixels' own evidence in pairwise models, 0..100. It is the
	// factor of the node regressor's cost -log f_s that is added to the energy; 0 is the paper's
	// energy. Default 4 (ours, by five-fold cross-validation on the manual tiers: linear pairwise
	// 81.6 to 83.9 for horses, 73.9 to 78.2 for dogs); 16 with arrays of a network.
	UnaryWeight float64 `yaml:"unaryWeight"`
	// Clamp is the least probability that a prediction counts as before the logarithm: 1e-9
	// (paper), or what ChooseFolds found.
	Clamp float64 `yaml:"-"`
	// ChooseFolds is how many folds choose potentials, edgeShrink and unaryWeight; 0: none. At least
	// 2. The training images of a pairwise model of probabilities are cut into so many parts, and
	// these and the clamp are chosen on parts that are held out. Linear models are fitted to all
	// parts but one in turn, the other kinds once, to all but the first. Default 0.
	ChooseFolds int `yaml:"chooseFolds"`
	// Iterative steers logistic, piecewise and pseudolikelihood.
	Iterative regress.IterOptions `yaml:"iterative"`
	// Trees are the boosted trees of the kind trees.
	Trees boost.Options `yaml:"trees"`
	// TreeFeatures are classifiers whose outputs become features of every kind of model.
	TreeFeatures TreeFeatureOptions `yaml:"treeFeatures"`
}

// TreeFeatureOptions choose the paper's φ_tree: boosted classifiers of superpixels whose outputs
// are features. Training images get theirs from classifiers that were trained on other images.
type TreeFeatureOptions struct {
	// Folds is how many folds make tree features, 2 or more; 0: none. Groups of images are dealt
	// into so many parts. Default 0.
	Folds int `yaml:"folds"`
	// AutoContext adds what tree features say around each superpixel. It looks near it, where its
	// color is, and where it lies on the object (feature.AutoContext). It needs a feature set that
	// begins with the draft set. Default false (paper).
	AutoContext bool `yaml:"autoContext"`
	// Options of the classifiers. Default: those of trees, with the logistic loss.
	boost.Options `yaml:",inline"`
}

// On tells whether there are tree features.
func (o TreeFeatureOptions) On() bool { return o.Folds > 0 }

// TrainDefaults returns the defaults of the fields.
func TrainDefaults() TrainOptions {
	o := TrainOptions{
		Options: regress.Defaults(), Potentials: EdgeSum, UnaryWeight: 4, Clamp: regress.ClampLow,
		Iterative: regress.IterDefaults(), Trees: boost.Defaults(),
	}
	o.TreeFeatures.Options = boost.Defaults()
	o.TreeFeatures.Loss = boost.Logistic
	return o
}

// Validate returns all faults of o.
func (o TrainOptions) Validate() error {
	f := faults.List{o.Options.Validate()}
	within := func(name string, got, low, high float64) {
		f.Want(low <= got && got <= high, name, got, fmt.Sprintf("%v to %v", low, high))
	}
	all := []string{EdgeSum, Association}
	f.Want(slices.Contains(all, o.Potentials), "potentials", o.Potentials, fmt.Sprintf("one of %q", all))
	within("edgeShrink", o.EdgeShrink, 0, 1)
	within("unaryWeight", o.UnaryWeight, 0, 100)
	within("clamp", o.Clamp, regress.ClampLow, 0.1)
	if o.EdgeShrink == 1 && o.UnaryWeight == 0 {
		f = append(f, errors.New("edgeShrink: got 1 with unaryWeight 0, which leaves nothing of the picture in the energy, want "+
			"less, or a unaryWeight above 0"))
	}
	if o.ChooseFolds != 0 {
		within("chooseFolds", float64(o.ChooseFolds), 2, 1000)
	}
	f.In("iterative", o.Iterative.Validate())
	f.In("trees", o.Trees.Validate())
	f.Want(o.Trees.Trees != 0, "trees.trees", 0, "at least 1") // treeFeatures may have none
	if o.TreeFeatures.Folds != 0 {
		within("treeFeatures.folds", float64(o.TreeFeatures.Folds), 2, 1000)
		f.In("treeFeatures", o.TreeFeatures.Options.Validate())
	} else if o.TreeFeatures.AutoContext {
		f = append(f, errors.New("treeFeatures: got autoContext without folds, where there are no tree features: want folds, 5 "+
			"for example"))
	}
	return f.Err()
}

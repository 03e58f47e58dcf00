package lscrf

import (
	"errors"
	"fmt"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
)

// How edges enter training.
const (
	OrientBoth    = "both"    // (s,t) and (t,s): the model does not depend on how superpixels are numbered
	OrientForward = "forward" // (s,t) with s < t only, the paper's reading
)

// How regressed probabilities become an energy; see Model.Energy.
const (
	EdgeSum    = "edge-sum"   // the sum over edges of -log f_st (paper, Algorithm 2)
	Reweighted = "reweighted" // -log f_s, and on edges -ρ log f_st/(f_s f_t): exact on trees with UnaryWeight 0
	// Association is -log f_st/(f_s f_t) on edges, f_s and f_t the marginals of the edge's own table: what an edge says beyond
	// its two ends. UnaryWeight then stands for 1/ρ.
	Association = "association"
)

// Which rows are trained on.
const (
	SampleAll   = "all"   // every superpixel and edge
	SamplePaper = "paper" // 25% of the superpixels and 10% of the edges, balanced (section 4.4)
)

// TrainOptions choose how models are fitted, all kinds of them.
type TrainOptions struct {
	// Options of the least squares, whose settings stand beside orientation in YAML. Lambda and Balance serve the
	// other kinds as well.
	regress.Options `yaml:",inline"`
	// Orientation is both or forward. Default forward, the paper's reading: ids ascend from the top, so the
	// order carries which superpixel is above (ours, by cross-validation on the manual tiers: 0.8 better).
	Orientation string `yaml:"orientation"`
	// Lambdas are the penalties among which linear models choose by k-fold over Folds parts of the images, on the
	// statistics. Default none: Lambda is taken as it is.
	Lambdas []float64 `yaml:"lambdas"`
	// Folds is the number of parts for Lambdas, at least 2; default 5.
	Folds int `yaml:"folds"`
	// Sampling is all, or paper to train on fewer rows. Default all (ours: statistics cost the same).
	Sampling string `yaml:"sampling"`
	// MinQuality is the least predicted IoU, 0..1, of the masks that are trained on; manual ones always are, whatever it is. Above 0
	// a mask of which nothing predicts the IoU is left out. Default 0, all masks; it is then not written, so that the digests of
	// settings are those of before there was a choice.
	MinQuality float64 `json:",omitempty" yaml:"minQuality,omitempty"`
	// Potentials is edge-sum, reweighted or association. Default edge-sum (paper).
	Potentials string `yaml:"potentials"`
	// EdgeShrink is the part, 0..1, by which predicted probabilities of label pairs are drawn towards the pairs' frequencies in
	// training (balanced as the rows are, each count half a row larger), whatever the potentials, for with many labels most of what single pairs' regressors say is noise. At 1 the frequencies alone
	// remain. Default 0 (paper); not for piecewise and pseudolikelihood.
	EdgeShrink float64 `yaml:"edgeShrink"`
	// UnaryWeight is the factor of -log f_s, from the nodes' own regressor, which is added to the energy of every node
	// of a pairwise model, 0 or more. 0 is the paper's energy. Default 4 (ours, by five-fold cross-validation on the
	// manual tiers: linear pairwise 81.6 to 83.9 for horses, 73.9 to 78.2 for dogs).
	UnaryWeight float64 `yaml:"unaryWeight"`
	// Clamp is the least probability that a prediction counts as before the logarithm, 1e-9..0.1. Default 1e-9 (paper).
	Clamp float64 `yaml:"clamp"`
	// Choose lets training choose potentials, edgeShrink, unaryWeight and clamp. Default: it does not.
	Choose ChooseOptions `yaml:"choose"`
	// Context is the number of rings of neighbors whose mean features are added to those of a superpixel, 0..3.
	// Default 0 (paper).
	Context int `yaml:"context"`
	// Iterative steers logistic, piecewise and pseudolikelihood.
	Iterative regress.IterOptions `yaml:"iterative"`
	// Trees are the boosted trees of the kind trees. What heldOut holds out are whole images, with all that are like them.
	Trees boost.Options `yaml:"trees"`
	// TreeFeatures are classifiers whose outputs become features of every kind of model.
	TreeFeatures TreeFeatureOptions `yaml:"treeFeatures"`
}

// TreeFeatureOptions choose the paper's φ_tree: boosted classifiers of superpixels whose outputs
// are features. Training images get theirs from classifiers that were trained on other images.
type TreeFeatureOptions struct {
	// Folds is the number of parts into which images are dealt, at least 2, those that are alike to one; 0, the default, turns tree
	// features off.
	Folds int `yaml:"folds"`
	// Keep is the number of the superpixel's own features that remain beside them, from the first; 0 keeps all. Default 0.
	// Classifiers always see all.
	Keep int `yaml:"keep"`
	// AutoContext adds what the tree features say around each superpixel: near it, where its color is, and where it lies on the
	// object (feature.AutoContext). Needs a feature set that begins with the draft set. Default false (paper).
	AutoContext bool `yaml:"autoContext"`
	// Options of the classifiers. Default: those of trees, with the logistic loss.
	boost.Options `yaml:",inline"`
}

// On tells whether there are tree features.
func (o TreeFeatureOptions) On() bool { return o.Folds > 0 }

func (o TreeFeatureOptions) kept(dim int) int {
	if o.Keep == 0 {
		return dim
	}
	return min(o.Keep, dim)
}

// TrainDefaults returns the defaults of the fields.
func TrainDefaults() TrainOptions {
	o := TrainOptions{
		Options: regress.Defaults(), Orientation: OrientForward, Folds: 5, Sampling: SampleAll, Potentials: EdgeSum,
		UnaryWeight: 4, Clamp: regress.ClampLow, Iterative: regress.IterDefaults(), Trees: boost.Defaults(),
	}
	o.TreeFeatures.Options = boost.Defaults()
	o.TreeFeatures.Loss = boost.Logistic
	return o
}

// Validate returns all faults of o.
func (o TrainOptions) Validate() error {
	var errs []error
	oneOf := func(name, got string, want ...string) {
		for _, w := range want {
			if got == w {
				return
			}
		}
		errs = append(errs, fmt.Errorf("%s: got %q, want one of %q", name, got, want))
	}
	within := func(name string, got, low, high float64) {
		if !(low <= got && got <= high) {
			errs = append(errs, fmt.Errorf("%s: got %v, want %v to %v", name, got, low, high))
		}
	}
	named := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	errs = append(errs, o.Options.Validate())
	oneOf("orientation", o.Orientation, OrientBoth, OrientForward)
	oneOf("sampling", o.Sampling, SampleAll, SamplePaper)
	oneOf("potentials", o.Potentials, EdgeSum, Reweighted, Association)
	within("edgeShrink", o.EdgeShrink, 0, 1)
	within("minQuality", o.MinQuality, 0, 1)
	for i, l := range o.Lambdas {
		within(fmt.Sprintf("lambdas[%d]", i), l, 0, 1e9)
	}
	within("folds", float64(o.Folds), 2, 1000)
	within("clamp", o.Clamp, regress.ClampLow, 0.1)
	within("unaryWeight", o.UnaryWeight, 0, 100)
	if o.EdgeShrink == 1 && o.UnaryWeight == 0 {
		errs = append(errs, errors.New("edgeShrink: got 1 with unaryWeight 0, which leaves nothing of the picture in the energy, want less, or a unaryWeight above 0"))
	}
	named("choose", o.Choose.validate(o))
	within("context", float64(o.Context), 0, 3)
	named("iterative", o.Iterative.Validate())
	named("trees", o.Trees.Validate())
	within("treeFeatures.keep", float64(o.TreeFeatures.Keep), 0, 1e6)
	if o.TreeFeatures.Folds != 0 {
		within("treeFeatures.folds", float64(o.TreeFeatures.Folds), 2, 1000)
		named("treeFeatures", o.TreeFeatures.Options.Validate())
	} else if o.TreeFeatures.AutoContext || o.TreeFeatures.Keep > 0 {
		errs = append(errs, errors.New("treeFeatures: got autoContext or keep without folds, where there are no tree features: want folds, 5 for example"))
	}
	return errors.Join(errs...)
}

// kind returns the orientation as package regress names it.
func (o *TrainOptions) kind() regress.Kind {
	if o.Orientation == OrientBoth {
		return regress.Edges
	}
	return regress.Forward
}

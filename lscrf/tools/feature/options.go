package feature

import "hdseg/lscrf/internal/faults"

// The feature sets.
const (
	Draft = "draft" // DraftDim values: mean RGB, center, rootSIFT (paper, section 6)
	HDSeg = "hdseg" // HDSegDim values: the histograms of the published HDSeg data
	Full  = "full"  // FullDim values: both, the draft set first
	// Saliency has SaliencyDim values: the draft set, and what tells a superpixel from its picture,
	// for trees
	Saliency = "saliency"
)

// DraftDim is the width of the draft set: 3 + 2 + 128.
const DraftDim = 133

// HDSegDim is the width of the published set: 1 + 3*(16 + 128 + 512).
const HDSegDim = 1969

// FullDim is the width of both sets together.
const FullDim = DraftDim + HDSegDim

// SaliencyDim is the width of the draft set with the cues of saliency.
const SaliencyDim = DraftDim + cues

// The ranges of rootSIFT, both 0..16; see Options.SIFTRange.
const (
	RangeA = "A"
	RangeB = "B"
)

// Options choose what Extract computes.
type Options struct {
	// Set is draft, saliency (best for trees), hdseg (published histograms) or full (draft, hdseg).
	// draft: 133 numbers of colour, place and gradients; saliency: also how the superpixel differs
	// from its picture; hdseg: 1969 numbers. Default draft (paper).
	Set string `yaml:"set"`
	// SIFTBin is the side of one of the 4 x 4 spatial bins in pixels, 2 to 32. Default 12 (ours;
	// the paper gives no scale): by five-fold cross-validation on the VOC horses and dogs, unary
	// least squares gains three to six points of per-class accuracy over bins of 4 px, the size of
	// a superpixel. It and the next four are no settings; models of version 0.2.0 may have others.
	SIFTBin int `yaml:"-"`
	// SIFTRange is RangeB, 16*sqrt(v/|v|1), which has L2 norm 16, or RangeA, the square root of the
	// usual byte descriptor min(255, 512 v), at most 15.97. Default RangeB (ours; the paper gives
	// only the range 0..16).
	SIFTRange string `yaml:"-"`
	// SIFTSigma smooths the picture before SIFT by a Gaussian of so many pixels, 0 to 32; 0 does
	// not. Default 1 (ours, chosen like SIFTBin: worth about one point).
	SIFTSigma float64 `yaml:"-"`
	// WordBin is the SIFTBin of the descriptors that the set HDSeg counts, 2 to 32. Default 4
	// (ours: better than 3, 5, 6 or 12 in cross-validation on the VOC horses, for neighbourhoods
	// already look far).
	WordBin int `yaml:"-"`
	// WordStep is the distance in pixels between those descriptors, 1 to 64. Default 4 (ours).
	WordStep int `yaml:"-"`
	// Vocabulary holds the words of the set HDSeg; Draft needs none. It is trained, so it comes
	// from the caller and not from a configuration.
	Vocabulary *Vocabulary `yaml:"-" json:"-"`
	// Dense are the arrays of a network that are pooled beside the set; nil for none. The settings
	// dense.dir and dense.by lead to it.
	Dense *Dense `yaml:"dense,omitempty" json:",omitempty"`
}

// Defaults returns the draft set.
func Defaults() Options {
	return Options{Set: Draft, SIFTBin: 12, SIFTRange: RangeB, SIFTSigma: 1, WordBin: 4, WordStep: 4}
}

// Validate returns all faults of o; the vocabulary, which comes later, is none of them.
func (o Options) Validate() error {
	var f faults.List
	known := o.Set == Draft || o.Set == HDSeg || o.Set == Full || o.Set == Saliency
	f.Want(known, "set", o.Set, Draft+", "+HDSeg+", "+Full+" or "+Saliency)
	f.Want(o.SIFTBin >= 2 && o.SIFTBin <= 32, "siftBin", o.SIFTBin, "2 to 32")
	f.Want(o.SIFTRange == RangeA || o.SIFTRange == RangeB, "siftRange", o.SIFTRange, RangeA+" or "+RangeB)
	f.Want(o.SIFTSigma >= 0 && o.SIFTSigma <= 32, "siftSigma", o.SIFTSigma, "0 to 32")
	f.Want(o.WordBin >= 2 && o.WordBin <= 32, "wordBin", o.WordBin, "2 to 32")
	f.Want(o.Dense == nil || o.Dense.Channels >= 1 && o.Dense.Channels <= MaxChannels, "dense", o.Dense, "1 to 4096 channels")
	f.Want(o.WordStep >= 1 && o.WordStep <= 64, "wordStep", o.WordStep, "1 to 64")
	return f.Err()
}

// words returns the options of the descriptors that become words.
func (o Options) words() Options {
	o.SIFTBin = o.WordBin
	return o
}

func (o Options) check() {
	if err := o.Validate(); err != nil {
		panic("feature: " + err.Error())
	}
}

// Dim returns the number of values per superpixel.
func Dim(o Options) int {
	dim := DraftDim
	switch o.Set {
	case HDSeg:
		dim = HDSegDim
	case Full:
		dim = FullDim
	case Saliency:
		dim = SaliencyDim
	}
	if o.Dense != nil {
		dim += o.Dense.Channels
	}
	return dim
}

// NeedsVocabulary tells whether the set counts words, which have to be learned.
func (o Options) NeedsVocabulary() bool { return o.Set == HDSeg || o.Set == Full }

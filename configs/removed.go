package configs

import "strings"

// removed says what became of settings that earlier versions had: a dotted path, which stands for
// everything below it too, and one sentence. A config or --set that names one is refused with it.
var removed = map[string]string{
	"ingest.folderExif":              "plain folders are always turned by their EXIF tag; strip the tag from pictures that must not be",
	"ingest.maxUnpacked":             "the archives of a run may hold 1 GiB or 20 times their size; unpack larger ones yourself",
	"transfer.pool.descriptor":       "windows are described by HOG; GIST was worse at eighty times the cost",
	"transfer.pool.vote":             "sources vote by kernel ridge regression, which was better than nearest neighbours",
	"transfer.pool.sharpness":        "it belonged to the vote of nearest neighbours, which is gone",
	"transfer.pool.mirror":           "windows are always mirrored",
	"transfer.proposals":             "object proposals gained 0.015 and 0.005 of IoU at five to seven times the cost",
	"transfer.proposal":              "object proposals gained 0.015 and 0.005 of IoU at five to seven times the cost",
	"transfer.sceneWeight":           "it belonged to object proposals, which are gone",
	"transfer.windowWeight":          "it belonged to object proposals, which are gone",
	"transfer.secondLook":            "the second look is always on",
	"transfer.lean":                  "the label tier always divides where the expected IoU is largest",
	"transfer.cut.domain":            "cuts are of pixels; lower transfer.cut.workPixels to save time",
	"transfer.cut.superpixelPx":      "cuts are of pixels; lower transfer.cut.workPixels to save time",
	"transfer.sceneCut.domain":       "cuts are of pixels; lower transfer.sceneCut.workPixels to save time",
	"transfer.sceneCut.superpixelPx": "cuts are of pixels; lower transfer.sceneCut.workPixels to save time",
	"train.orientation":              "edges are always taken once, in the order of superpixel ids, which was 0.8 points better",
	"train.lambdas":                  "all linear models have the penalty train.lambda; choose it with hdseg bench --cross-validate",
	"train.folds":                    "it served train.lambdas, which is removed",
	"train.sampling":                 "every superpixel and edge is trained on, which costs the same",
	"train.standardize":              "columns are always standardized",
	"train.trees.sampling":           sampled,
	"train.trees.loss":               "trees of the kind trees have the squared loss, as in the paper",
	"train.trees.heldOut":            stopping,
	"train.trees.patience":           stopping,
	"train.treeFeatures.sampling":    sampled,
	"train.treeFeatures.loss":        "tree features have the logistic loss",
	"train.treeFeatures.heldOut":     stopping,
	"train.treeFeatures.patience":    stopping,
	"train.minQuality":               "models are trained on all masks: leaving out those of low predicted IoU changed no result",
	"train.choose":                   "it is train.chooseFolds now, the number of parts, with its own lists of what to choose from",
	"train.clamp":                    "the least probability is 1e-9, as in the paper, or what train.chooseFolds finds",
	"train.context": "features of rings of neighbors are removed; train.treeFeatures.autoContext looks around " +
		"a superpixel",
	"train.treeFeatures.keep": "tree features stand beside all features of the set",
}

// Numbers that were tuned once and needed no setting are built in, by section.
func init() {
	for section, names := range map[string]string{
		"ingest":            "nearBits",
		"superpixel":        "iterations fineness sweeps borderCompactness smoothness",
		"feature":           "siftBin siftRange siftSigma wordBin wordStep",
		"transfer.pool":     "margin maskSize aspectWeight touchWeight kernelWidth lambda",
		"transfer":          "appearance scene",
		"transfer.cut":      "components iterations initThreshold epsilon bandPx",
		"transfer.sceneCut": "components iterations initThreshold epsilon bandPx",
	} {
		for name := range strings.FieldsSeq(names) {
			removed[section+"."+name] = "its best value is built in now"
		}
	}
}

const (
	sampled  = "rows are drawn by their gradients, CatBoost's default"
	stopping = "trees are all grown, as in the paper: set trees to fewer"
)

// Package bench measures models and makes the results table: which models are trained on which
// tiers, how their labelings are scored, by a test split or by cross-validation on training images,
// and the rows with their intervals. Package report prints the table, package study asks what it
// does not.
package bench

import (
	"context"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Measured is a model of the table with its score.
type Measured struct {
	Spec         lscrf.Spec `json:"spec"`
	Images       int        `json:"images"` // trained on
	Score        *Score     `json:"score"`
	TrainSeconds float64    `json:"-"`
	// Choices are what the folds of a cross-validation chose; none where nothing was to be chosen.
	Choices []FoldChoice `json:"choices,omitempty"`
}

// A FoldChoice is what training without a fold chose.
type FoldChoice struct {
	Fold int `json:"fold"`
	lscrf.Choice
}

// A Table is the results table of one data set.
type Table struct {
	// ids of the measured images, in the order of counts
	Test          []string `json:"test,omitempty"`
	Rows          []Row    `json:"rows"`           // under the first balance
	OtherBalances []Row    `json:"other_balances"` // the same under the others
	// every superpixel with its true majority. No labeling of superpixels has more pixels right
	Oracle Row `json:"oracle"`
	// Best is the most that any labeling of the superpixels reaches in each pooled score,
	// accuracies in percent; nil in tables of versions that did not compute it.
	Best *metric.Best `json:"best,omitempty"`
	Made Made         `json:"made_from"`
	// mixes without a row. They have no images, or too few for the settings
	Missing []lscrf.Mix `json:"missing_tiers"`
}

// Made says from what a table was made, so that it can be told whether two are comparable; "" is
// not known.
type Made struct {
	Manifest manifests.Digest `json:"manifest"` // index that was trained on and tested with
	// of all masks that were measured on, see TruthDigest
	Truth    manifests.Digest `json:"truth"`
	Setup    manifests.Digest `json:"setup"`    // of the settings of superpixels and features
	Train    manifests.Digest `json:"train"`    // of the settings of training
	Settings manifests.Digest `json:"settings"` // of all settings
	Seed     uint64           `json:"seed"`
}

// All returns the rows of all balances.
func (t *Table) All() []Row { return slices.Concat(t.Rows, t.OtherBalances) }

// NewTable makes the table of a class from measured models in the order of specs, of which the
// first gives the main balance. Mixes without a measured model are listed as missing. test are the
// ids of the images measured on, samples and seed those of the intervals. The only error is that of
// ctx.
func NewTable(ctx context.Context, class string, test []string, specs []lscrf.Spec, models []Measured, oracle *Score, samples int,
	seed uint64) (*Table, error) {
	often := Resampling(ctx, samples)
	t := &Table{Test: test, Oracle: rowOf(oracle, often, seed), Rows: []Row{}, OtherBalances: []Row{}, Missing: []lscrf.Mix{}}
	t.Oracle.Class, t.Oracle.Model = class, "oracle"
	if m := oracle.Best; m != nil {
		t.Best = &metric.Best{PerClass: m.PerClass.Scale(100), Pixel: m.Pixel.Scale(100), IoU: m.IoU}
	}
	have := map[string]bool{}
	for _, m := range models {
		have[m.Spec.Tiers.Key()] = true
		row := rowOf(m.Score, often, seed)
		row.Class, row.Tiers, row.Model, row.Terms = class, m.Spec.Tiers, m.Spec.Model, m.Spec.Terms
		row.Balance, row.Images, row.TrainSeconds = m.Spec.Balance, m.Images, m.TrainSeconds
		row.choose(m.Choices)
		if m.Spec.Balance == specs[0].Balance {
			t.Rows = append(t.Rows, row)
		} else {
			t.OtherBalances = append(t.OtherBalances, row)
		}
	}
	for _, s := range specs {
		if key := s.Tiers.Key(); !have[key] {
			have[key] = true
			t.Missing = append(t.Missing, s.Tiers)
		}
	}
	return t, ctx.Err()
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/regress"
)

// table2a is part (a) of the paper's Table 2, manual masks of VOC alone: the only part whose training images a
// build without ImageNet has. Per-class accuracy in % by model and terms.
var table2a = map[string]struct {
	images int
	score  map[string][2]string // unary, pairwise
}{
	"horse": {147, map[string][2]string{lscrf.Linear: {"81.4", "82.2"}, lscrf.Trees: {"81.6", "83.8"}}},
	"dog":   {249, map[string][2]string{lscrf.Linear: {"77.8", "79.1"}, lscrf.Trees: {"78.5", "80.8"}}},
}

// paperTest is the number of the paper's test images.
var paperTest = map[string]int{"horse": 241, "dog": 306}

// Paper returns a section that puts the paper's figures for manual masks beside ours, under every balance, with what
// differs between them above it; nil if the training images are not those of VOC. c are the settings of ours.
func Paper(b *lscrf.Bench, c Conditions) *Section {
	class := b.Oracle.Class
	ref := table2a[class]
	s := &Section{Title: "Beside the paper's Table 2 (a): " + class, Head: []string{"model, balance", "unary", "the paper's", "pairwise", "the paper's"}}
	all := slices.Concat(b.Rows, b.OtherBalances)
	balances := distinct([][]lscrf.Row{all}, func(r lscrf.Row) string { return r.Balance })
	for _, model := range []string{lscrf.Linear, lscrf.Trees} {
		for _, balance := range balances {
			rows := keep(all, func(r lscrf.Row) bool { return r.Balance == balance })
			line := []string{model + ", " + balance}
			for i, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
				r, ok := find(rows, "manual", model, terms)
				if !ok || r.Images != ref.images {
					break
				}
				line = append(line, r.PerClassPooled.Format(1)+" "+interval(r.PerClassPooledCI, 1), ref.score[model][i])
			}
			if len(line) == len(s.Head) {
				s.Rows = append(s.Rows, line)
			}
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	if kinds := distinct([][]lscrf.Row{all}, func(r lscrf.Row) string { return r.Model }); len(kinds) == 1 {
		s.Title += ", " + kinds[0] // of tables that were joined, each has a section
	}
	s.Text = []string{
		fmt.Sprintf("Per-class accuracy in %%. The training images are the same %d of VOC 2012. What differs: %s. So a difference of a point or two says nothing. "+
			"The paper's parts (b) and (c) used ImageNet images and have no figures that could stand here.", ref.images, strings.Join(c.differ(class, b.Oracle.TestImages), "; ")),
		`For this part the paper trains on all superpixels and all pairs and says nothing of a balance, which is our "none"; it balances the samples of (b) and (c), as our "paper" does by weights. ` +
			"Rows under every balance that was run stand beside its figures; those under none are trained as its words say.",
	}
	if !slices.Contains(balances, regress.BalanceNone) {
		s.Text[1] += " This run has no rows under none."
	}
	return s
}

// Conditions are the settings of a table, as far as the paper's differ.
type Conditions struct {
	Train lscrf.TrainOptions
	Setup lscrf.Setup
}

// differ lists what is not as in the paper.
func (c Conditions) differ(class string, test int) []string {
	out := []string{
		fmt.Sprintf("the paper's %d test images are not published in a form that is used here, ours are %d others", paperTest[class], test),
		"its features have the outputs of classifiers trained on Stanford Background, ours (set " + c.Setup.Feature.Set + ") do not",
		"its trees are MatrixNet's and its linear models Vowpal Wabbit's",
	}
	o := c.Train
	if o.TreeFeatures.On() {
		out[1] = "its features have the outputs of classifiers trained on Stanford Background, ours (set " + c.Setup.Feature.Set + ") those of classifiers trained on the same images, cross-fitted"
	}
	add := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	add(o.UnaryWeight > 0, fmt.Sprintf("our pairwise energy adds %g times the node regressor's cost to the sum over edges (train.unaryWeight), which the paper's has not", o.UnaryWeight))
	add(o.Potentials != lscrf.EdgeSum, "our edges are "+o.Potentials+" and not the paper's sum (train.potentials)")
	add(o.EdgeShrink > 0, fmt.Sprintf("our edges are drawn to the frequencies of pairs by %g (train.edgeShrink)", o.EdgeShrink))
	add(o.Orientation != lscrf.OrientBoth, "our edges are taken once, in the order of superpixel ids, not in both orientations (train.orientation); the paper names no order")
	add(o.Clamp != regress.ClampLow, fmt.Sprintf("our probabilities are at least %g and not %g (train.clamp)", o.Clamp, regress.ClampLow))
	add(o.Context > 0, fmt.Sprintf("our features have those of %d rings of neighbors (train.context)", o.Context))
	add(o.Choose.Folds > 0, "our potentials were chosen by cross-validation in training (train.choose)")
	return out
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
)

// table2a is part (a) of the paper's Table 2: per-class accuracy in % by model and terms, trained
// on the manual masks of VOC. Other parts need ImageNet images.
var table2a = map[string]struct {
	images int
	score  map[string][2]string // unary, pairwise
}{
	"horse": {147, map[string][2]string{lscrf.Linear: {"81.4", "82.2"}, lscrf.Trees: {"81.6", "83.8"}}},
	"dog":   {249, map[string][2]string{lscrf.Linear: {"77.8", "79.1"}, lscrf.Trees: {"78.5", "80.8"}}},
}

// paperTest is the number of the paper's test images.
var paperTest = map[string]int{"horse": 241, "dog": 306}

// A Beside is a table that may stand beside the paper's, and the settings that it was made with.
type Beside struct {
	*bench.Table
	Conditions
}

// Paper returns a section that puts the paper's figures for manual masks beside ours, under every
// balance, and says above them what differs. It is nil if no table has rows that were trained on
// the paper's images.
func Paper(all ...Beside) *Section {
	s := &Section{Title: "Beside the paper's Table 2 (a)", Head: []string{"model, balance", "unary", "the paper's", "pairwise",
		"the paper's"}}
	var tables []Beside // those with rows
	none := false
	class := ""
	for _, t := range all {
		rows := t.besidePaper(len(s.Head))
		if len(rows) == 0 {
			continue
		}
		if tables = append(tables, t); t.Oracle.Class != class {
			class = t.Oracle.Class
			s.Rows = append(s.Rows, []string{class})
		}
		s.Rows = append(s.Rows, rows...)
		none = none || slices.ContainsFunc(t.All(), func(r bench.Row) bool { return r.Balance == regress.BalanceNone })
	}
	if len(tables) == 0 {
		return nil
	}
	var images []string
	for _, t := range tables {
		if text := fmt.Sprintf("%d (%s)", table2a[t.Oracle.Class].images, t.Oracle.Class); !slices.Contains(images, text) {
			images = append(images, text)
		}
	}
	if len(images) == 1 {
		s.Title += ": " + class
		s.Rows = s.Rows[1:]
	}
	s.Text = []string{
		fmt.Sprintf("Per-class accuracy in %%. The training images are the same %s of VOC 2012. What differs: %s. So a difference of a "+
			"point or two says nothing. "+
			"The paper's parts (b) and (c) used ImageNet images and have no figures that could stand here.", strings.Join(images, " and "),
			differing(tables)),
		`For this part the paper trains on all superpixels and all pairs and says nothing of a balance, which is our "none"; it ` +
			`balances the samples of (b) and (c), as our "paper" does by weights. ` +
			"Rows under every balance that was run stand beside its figures; those under none are trained as its words say.",
	}
	if !none {
		s.Text[1] += " This run has no rows under none."
	}
	return s
}

// besidePaper returns the lines of a table that stand beside the paper's, of so many cells.
func (t Beside) besidePaper(cells int) [][]string {
	var out [][]string
	ref := table2a[t.Oracle.Class]
	for _, model := range []string{lscrf.Linear, lscrf.Trees} {
		for _, balance := range distinct(t.All(), func(r bench.Row) string { return r.Balance }) {
			rows := under(t.All(), balance)
			line := []string{model + ", " + balance}
			for i, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
				r := find(rows, "manual", model, terms)
				if r == nil || r.Images != ref.images {
					break
				}
				line = append(line, r.PerClassPooled.Format(1)+" "+interval(r.PerClassPooledCI, 1), ref.score[model][i])
			}
			if len(line) == cells {
				out = append(out, line)
			}
		}
	}
	return out
}

// kinds names the models of a table.
func (t Beside) kinds() string { return strings.Join(distinct(t.All(), modelOf), " and ") }

// differing says what differs from the paper, first what all tables have in common, and of the rest
// which tables have it.
func differing(tables []Beside) string {
	of := map[string][]string{} // the tables by what differs
	var items []string
	for _, t := range tables {
		for _, item := range t.differ() {
			if of[item] == nil {
				items = append(items, item)
			}
			of[item] = append(of[item], t.Oracle.Class+", "+t.kinds())
		}
	}
	slices.SortStableFunc(items, func(a, b string) int { return len(of[b]) - len(of[a]) })
	for i, item := range items {
		if len(of[item]) < len(tables) {
			items[i] = strings.Join(slices.Compact(of[item]), " and ") + ": " + item
		}
	}
	return strings.Join(items, "; ")
}

// Conditions are the settings of a table, as far as the paper's differ.
type Conditions struct {
	Train lscrf.TrainOptions
	Setup lscrf.Setup
}

// sets says how the values of a feature set differ from the paper's; the draft set has the paper's.
var sets = map[string]string{
	feature.Saliency: "our features are the draft set and 42 values more, which tell a superpixel from its picture and which the " +
		"paper's have not (feature.set saliency)",
	feature.HDSeg: "our features are the 1,969 histograms of the published HDSeg data and not the paper's color, position and " +
		"SIFT (feature.set hdseg)",
	feature.Full: "our features have the 1,969 histograms of the published HDSeg data as well, which the paper's have not " +
		"(feature.set full)",
}

// differ lists what is not as in the paper.
func (t Beside) differ() []string {
	out := []string{fmt.Sprintf("the paper's %d test images are not published in a form that is used here, ours are %d others",
		paperTest[t.Oracle.Class], t.Oracle.TestImages)}
	add := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	o := t.Train
	add(true, "its trees are MatrixNet's and its linear models Vowpal Wabbit's")
	own := "do not"
	if o.TreeFeatures.On() {
		own = "have those of classifiers trained on the same images, cross-fitted"
	}
	add(true, "its features have the outputs of classifiers trained on Stanford Background, ours "+own)
	add(sets[t.Setup.Feature.Set] != "", sets[t.Setup.Feature.Set])
	if strings.Contains(t.kinds(), lscrf.Trees) {
		is := boost.Defaults() // the paper's
		add(o.Trees.Leaves == boost.Shared, fmt.Sprintf("our trees are %d that all labels or label pairs share and not the paper's %d "+
			"for each (train.trees.leaves, train.trees.trees), which cost dogs 1.2 points, pairwise, on the draft "+
			"set", o.Trees.Trees, is.Trees))
		add(o.Trees.Leaves != boost.Shared && o.Trees.Trees != is.Trees, fmt.Sprintf("our trees are %d for each label or label pair, "+
			"the paper's %d (train.trees.trees)", o.Trees.Trees, is.Trees))
		add(o.Trees.Depth != is.Depth || o.Trees.Rate != is.Rate, fmt.Sprintf("our trees have depth %d and rate %g, the paper's %d and "+
			"%g (train.trees)", o.Trees.Depth, o.Trees.Rate, is.Depth, is.Rate))
	}
	add(o.UnaryWeight > 0, fmt.Sprintf("our pairwise energy adds %g times the node regressor's cost to the sum over edges "+
		"(train.unaryWeight), which the paper's has not", o.UnaryWeight))
	add(o.Potentials != lscrf.EdgeSum, "our edges are "+o.Potentials+" and not the paper's sum (train.potentials)")
	add(o.EdgeShrink > 0, fmt.Sprintf("our edges are drawn to the frequencies of pairs by %g (train.edgeShrink)", o.EdgeShrink))
	add(true, "our edges are taken once, in the order of superpixel ids, not in both orientations; the paper names no order")
	add(o.ChooseFolds > 0, "our potentials were chosen by cross-validation in training (train.chooseFolds)")
	return out
}

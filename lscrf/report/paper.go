package report

import (
	"fmt"

	"hdseg/lscrf"
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

// Paper returns a section that puts the paper's figures for manual masks beside ours, with what differs between them above
// it; nil if the training images are not those of VOC.
func Paper(b *lscrf.Bench) *Section {
	class := b.Oracle.Class
	ref := table2a[class]
	s := &Section{Title: "Beside the paper's Table 2 (a): " + class, Head: []string{"model", "unary", "the paper's", "pairwise", "the paper's"}}
	for _, model := range []string{lscrf.Linear, lscrf.Trees} {
		line := []string{model}
		for i, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
			r, ok := find(b.Rows, "manual", model, terms)
			if !ok || r.Images != ref.images {
				break
			}
			line = append(line, r.PerClassPooled.Format(1)+" "+interval(r.PerClassPooledCI, 1), ref.score[model][i])
		}
		if len(line) == len(s.Head) {
			s.Rows = append(s.Rows, line)
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Text = []string{fmt.Sprintf(`Per-class accuracy in %%. The training images are the same %d of VOC 2012; these conditions differ: the paper's %d test images
are not published in a form that is used here, ours are %d others; the paper's features have the outputs of classifiers trained on Stanford Background, ours
do not; its trees are MatrixNet's and its linear models Vowpal Wabbit's; its balance for this part is none, ours is %s; ours add the
node regressor's cost to the edge sum (train.unaryWeight). So a difference of a point or two says nothing. Its parts (b) and (c) used ImageNet
images and have no figures that could stand here.`, ref.images, paperTest[class], b.Oracle.TestImages, b.Rows[0].Balance)}
	return s
}

package lscrf

import (
	"fmt"
	"strings"

	"hdseg/lscrf/tools/regress"
)

// Notes says what a user should know of a fit: dependent columns of linear functions, and of these and of trees the labels and
// pairs that are too rare to learn.
func (t *Trained) Notes() []string {
	return append(t.notes("superpixels", t.Node, t.Model.Node), t.notes("edges", t.Edge, t.Model.Edge)...)
}

// notes are those of one regressor; report is nil for trees and the iterative kinds, and r for unary models.
func (t *Trained) notes(rows string, report *regress.Report, r *Regressor) (out []string) {
	if r == nil {
		return nil
	}
	rare := r.Rare
	if report != nil {
		rare = report.Rare
		if report.Ridge > 0 {
			out = append(out, fmt.Sprintf("the features of %s are linearly dependent: a ridge of %.2g was added to the penalty %.2g", rows, report.Ridge, report.Lambda))
		}
	}
	if len(rare) == 0 {
		return out
	}
	var names []string
	n := len(t.Labels)
	for _, o := range rare {
		name := t.Labels[o%n]
		if r.Outputs == n*n {
			name = t.Labels[o/n] + "-" + name
		}
		names = append(names, name)
	}
	return append(out, fmt.Sprintf("too few rows of %s to learn %s: each is predicted by a constant", rows, strings.Join(names, ", ")))
}

package report

import (
	"fmt"
	"strings"
)

// otherwise says on how many comparisons the balances of a list disagree; "" where there is one balance.
func otherwise(list []Difference) string {
	pairs, turned, changed := 0, 0, 0
	underBoth(list, func(d, o Difference) {
		pairs++
		switch {
		case d.Verdict == o.Verdict:
		case d.Verdict != Unclear && o.Verdict != Unclear:
			turned++
		default:
			changed++
		}
	})
	switch {
	case pairs == 0:
		return ""
	case turned+changed == 0:
		return fmt.Sprintf("The verdicts of the %d comparisons made under both balances are the same.", pairs)
	}
	return fmt.Sprintf("What is better depends on the balance: of %d comparisons made under both, %d are reversed, and %d more are shown under one balance alone.", pairs, turned, changed)
}

// reversed lists the comparisons that are better under one balance and worse under the other; nil without any.
func reversed(list []Difference) *Section {
	s := &Section{Title: "What another balance reverses", Text: []string{"Comparisons of the list above that are better under one balance and worse under the other."}}
	question := ""
	underBoth(list, func(d, o Difference) {
		if d.Verdict == o.Verdict || d.Verdict == Unclear || o.Verdict == Unclear {
			return
		}
		if s.Head == nil {
			s.Head = []string{"row", d.Balance, o.Balance}
		}
		q := strings.ReplaceAll(d.Question, " - ", " minus ")
		if several(list) {
			q = d.Class + ": " + q
		}
		if q != question {
			s.Rows = append(s.Rows, []string{q})
			question = q
		}
		s.Rows = append(s.Rows, []string{d.A, strings.TrimSpace(signed(d.Difference, 2) + " " + interval(d.CI, 2)), strings.TrimSpace(signed(o.Difference, 2) + " " + interval(o.CI, 2))})
	})
	if s.Head == nil {
		return nil
	}
	return s
}

// underBoth calls each for all comparisons that were made under two balances, in the order of the first.
func underBoth(list []Difference, each func(d, o Difference)) {
	for i, d := range list {
		for _, o := range list[i+1:] {
			if o.Class == d.Class && o.Question == d.Question && o.A == d.A && o.B == d.B && o.Balance != d.Balance {
				each(d, o)
			}
		}
	}
}

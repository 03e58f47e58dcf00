package regress

import "fmt"

// Balance names.
const (
	BalanceNone  = "none"  // every row counts alike
	BalancePaper = "paper" // classes of rows count alike, as the paper samples them
)

// Balanced returns the factor by which the rows of each output are weighted, given the sum of
// weights of each; the total stays as it is.
//
// For Nodes, "paper" gives all labels the same total. For edges it keeps the ratio of equal to
// different label pairs and gives all pairs of equal labels the same total, and all pairs of
// different labels (section 4.4: fg-fg as likely as bg-bg, fg-bg as bg-fg). Outputs that are not
// learned (see Options.MinRows) and those without rows are left out of the sharing: a pair seen
// twice must not weigh as much as one seen a million times; their rows keep factor 1.
func Balanced(balance string, kind Kind, labels int, weights []float64, learned []bool) []float64 {
	f := make([]float64, len(weights))
	for p := range f {
		f[p] = 1
	}
	switch balance {
	case BalanceNone:
		return f
	case BalancePaper:
	default:
		panic(fmt.Sprintf("regress: balance %q, want %q or %q", balance, BalanceNone, BalancePaper))
	}
	group := func(p int) int {
		if kind != Nodes && p/labels != p%labels {
			return 1
		}
		return 0
	}
	var total, members [2]float64
	for p, w := range weights {
		if learned[p] && w > 0 {
			total[group(p)] += w
			members[group(p)]++
		}
	}
	for p, w := range weights {
		if learned[p] && w > 0 {
			f[p] = total[group(p)] / members[group(p)] / w
		}
	}
	return f
}

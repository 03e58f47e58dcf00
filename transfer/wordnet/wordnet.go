// Package wordnet knows how the synsets of horses and dogs hang together.
package wordnet

import (
	_ "embed"
	"strings"
)

//go:embed hypernyms.txt
var table string

// parents lists the hypernyms of every synset of the table.
var parents = func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		if child, parent, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			out[child] = append(out[child], parent)
		}
	}
	return out
}()

// Far is the distance of synsets of which one is not in the table; it is more than any other.
const Far = 1000

// Distance returns the number of hypernym and hyponym steps between two synsets, through the
// ancestor that makes it shortest: 0 for a synset and itself, 1 for one and its hypernym, 2 for
// siblings.
func Distance(a, b string) int {
	if a == b {
		return 0
	}
	best := Far
	up := above(b)
	for s, da := range above(a) {
		if db, ok := up[s]; ok {
			best = min(best, da+db)
		}
	}
	return best
}

// above returns a synset and all its ancestors with the fewest steps to each.
func above(s string) map[string]int {
	steps := map[string]int{s: 0}
	for queue := []string{s}; len(queue) > 0; queue = queue[1:] {
		for _, p := range parents[queue[0]] {
			if _, seen := steps[p]; !seen {
				steps[p] = steps[queue[0]] + 1
				queue = append(queue, p)
			}
		}
	}
	return steps
}

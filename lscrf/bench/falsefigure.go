package bench

import (
	"cmp"
	"slices"
)

// A FalseFigure says how much of what is true ground masks call figure, of one kind of object.
// Shares are from 0 to 1, OfAll of all false figure.
type FalseFigure struct {
	Object string  `json:"object"`       // its name; "nothing named" where no object is
	Pixels int     `json:"pixels"`       // of the test pictures that are such objects and no figure
	False  int     `json:"false_figure"` // of these, that are figure in the masks
	Share  float64 `json:"share"`        // of Pixels, 0 to 1
	// of all false figure
	OfAll float64 `json:"of_all_false_figure"`
}

// A FalseCount counts on what the false figure of masks lies, by the numbers of objects: 0 is
// nothing, 255 is unknown and does not count.
type FalseCount struct{ pixels, wrong [255]int }

// Add counts a picture: the labels of its pixels, which Truth has in the same order, and the
// numbers of what they show.
func (c *FalseCount) Add(im *Scored, labels, objects []uint8) {
	for i, k := range objects {
		if k == 255 || im.Truth[i] != 0 {
			continue
		}
		c.pixels[k]++
		if labels[i] == 1 {
			c.wrong[k]++
		}
	}
}

// Table returns the counts of every object that was seen, the most false figure first. name names a
// number.
func (c *FalseCount) Table(name func(number uint8) string) []FalseFigure {
	all := 0
	for _, n := range c.wrong {
		all += n
	}
	out := []FalseFigure{}
	for k, n := range c.pixels {
		if n > 0 {
			out = append(out, FalseFigure{name(uint8(k)), n, c.wrong[k], float64(c.wrong[k]) / float64(n),
				float64(c.wrong[k]) / float64(max(all, 1))})
		}
	}
	slices.SortStableFunc(out, func(a, b FalseFigure) int { return cmp.Compare(b.False, a.False) })
	return out
}

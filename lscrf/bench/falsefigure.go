package bench

import (
	"cmp"
	"fmt"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/mrf"
)

// A FalseFigure says how much of what is true ground a model calls figure, of one kind of object.
type FalseFigure struct {
	Object string  `json:"object"`        // its name; "nothing named" where no object is
	Pixels int     `json:"pixels"`        // of the test pictures that are such objects and no figure
	False  int     `json:"false_figure"`  // of these, that the model calls figure
	Share  float64 `json:"share"`         // of Pixels, 0 to 1
	OfAll  float64 `json:"of_all_figure"` // of all false figure, 0 to 1
}

// FalseFigures tells what the false figure of a model lies on, the most of it first. objects gives
// the numbers of the objects in a picture, a value per pixel: 0 is nothing, 255 is unknown and does
// not count. name names a number.
func FalseFigures(m *lscrf.Model, images []Scored, objects func(id string) ([]uint8, error),
	name func(number uint8) string) ([]FalseFigure, error) {
	var pixels, wrong [255]int
	solver := new(mrf.Solver)
	for _, im := range images {
		p, err := m.Predict(im.Graph, solver)
		if err != nil {
			return nil, err
		}
		of, err := objects(im.ID)
		if err != nil {
			return nil, err
		}
		if len(of) != len(im.Truth) {
			return nil, fmt.Errorf("%s: got labels of %d pixels, want %d", im.ID, len(of), len(im.Truth))
		}
		for i, k := range of {
			if k == 255 || im.Truth[i] != 0 {
				continue
			}
			pixels[k]++
			if p.Labels[im.Map.Labels[i]] == 1 {
				wrong[k]++
			}
		}
	}
	all := 0
	for _, n := range wrong {
		all += n
	}
	out := []FalseFigure{}
	for k, n := range pixels {
		if n > 0 {
			out = append(out, FalseFigure{name(uint8(k)), n, wrong[k], float64(wrong[k]) / float64(n), float64(wrong[k]) / float64(max(all, 1))})
		}
	}
	slices.SortStableFunc(out, func(a, b FalseFigure) int { return cmp.Compare(b.False, a.False) })
	return out, nil
}

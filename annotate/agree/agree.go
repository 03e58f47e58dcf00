// Package agree measures how far two people agree who drew the same picture: intersection over
// union, the boundary F measure, and Cohen's kappa.
package agree

import (
	"cmp"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests/raster"
)

// Scores compare two masks. Pixels that either left void are not scored, except by Boundary, which
// knows void.
type Scores struct {
	// of the figure, 0..1; undefined where neither drew any
	IoU metric.Value `json:"iou"`
	// mean of both directions, at metric.BoundaryTolerance of the diagonal
	Boundary metric.Value `json:"boundary_f"`
	// -1..1; undefined where chance alone would agree everywhere
	Kappa metric.Value `json:"kappa"`
}

// Table counts the pixels by what a and b called them: Table[a][b], 0 ground and 1 figure.
type Table [2][2]int64

// Count tabulates two masks of one size.
func Count(a, b *raster.Mask) (t Table) {
	for i, v := range a.Pix {
		if w := b.Pix[i]; v != raster.Void && w != raster.Void {
			t[v][w]++
		}
	}
	return t
}

// IoU is figure for both over figure for either.
func (t Table) IoU() metric.Value { return metric.Ratio(t[1][1], t[1][1]+t[0][1]+t[1][0]) }

// Kappa is (p - e) / (1 - e), where p is the share of pixels on which both agree and e the share on
// which they would by chance, given how much each calls figure (Cohen, "A coefficient of agreement
// for nominal scales", 1960).
func (t Table) Kappa() metric.Value {
	n := float64(t[0][0] + t[0][1] + t[1][0] + t[1][1])
	if n == 0 {
		return metric.Value{}
	}
	a, b := float64(t[1][0]+t[1][1])/n, float64(t[0][1]+t[1][1])/n
	p, e := float64(t[0][0]+t[1][1])/n, float64(a*b)+float64((1-a)*(1-b))
	if e >= 1 {
		return metric.Value{}
	}
	return metric.Of((p - e) / (1 - e))
}

// Compare scores two masks of one size.
func Compare(a, b *raster.Mask) Scores {
	t := Count(a, b)
	tol := metric.Diagonal(a.Width, a.Height, metric.BoundaryTolerance)
	ab := metric.BoundaryF(a.Pix, b.Pix, a.Width, a.Height, raster.Figure, tol).F
	ba := metric.BoundaryF(b.Pix, a.Pix, a.Width, a.Height, raster.Figure, tol).F
	f, _ := metric.Mean([]metric.Value{ab, ba})
	return Scores{t.IoU(), f, t.Kappa()}
}

// An Image is one picture that two people drew.
type Image struct {
	ID  string `json:"id"`
	Key string `json:"key"` // in the page's addresses
	A   string `json:"a"`   // one annotator
	B   string `json:"b"`   // the other
	Scores
}

// A Row sums up a pair of people: means over the images where a score is defined.
type Row struct {
	A      string `json:"a"` // one annotator
	B      string `json:"b"` // the other
	Images int    `json:"images"`
	Scores
}

// Rows returns one row per pair of people, sorted by name.
func Rows(images []Image) []Row {
	type pair struct{ a, b string }
	of := map[pair][]Image{}
	for _, im := range images {
		p := pair{im.A, im.B}
		of[p] = append(of[p], im)
	}
	out := []Row{}
	for p, list := range of {
		r := Row{A: p.a, B: p.b, Images: len(list)}
		mean := func(pick func(*Image) metric.Value) metric.Value {
			var v []metric.Value
			for i := range list {
				v = append(v, pick(&list[i]))
			}
			m, _ := metric.Mean(v)
			return m
		}
		r.IoU = mean(func(im *Image) metric.Value { return im.IoU })
		r.Boundary = mean(func(im *Image) metric.Value { return im.Boundary })
		r.Kappa = mean(func(im *Image) metric.Value { return im.Kappa })
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y Row) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out
}

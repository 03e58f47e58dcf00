package format

import (
	"fmt"
	"math"

	"hdseg/manifests/raster"
)

// FillPolygons returns the union of polygons, each x0, y0, x1, y1, ... in pixels, as the figure of
// a mask, to the very pixels of COCO's tools: the border is walked on a grid five times as fine,
// and each step that crosses the center of a pixel column ends or begins a run there. A polygon of
// fewer than three points or of no area is no error. An odd number of coordinates, no number, or
// one further away than 200 million pixels (COCO's tools count grid points in 32 bits) is one.
//
// Cost for each polygon: a step for every 64 pixels of the picture, and for every column of it that
// an edge crosses, be it above or below.
//
// Reference: rleFrPoly and rleMerge in cocodataset/cocoapi, common/maskApi.c.
func FillPolygons(polygons [][]float64, height, width int) (*raster.Mask, error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return nil, err
	}
	all := newColumnMask(height, width)
	if err := addPolygons(all, polygons); err != nil {
		return nil, err
	}
	m := raster.NewMask(width, height)
	all.paint(m, raster.Figure)
	return m, nil
}

// maxCoordinate keeps the grid points and their differences inside of 32 bits.
const maxCoordinate = 2e8

// addPolygons joins the pixels of polygons to a mask.
func addPolygons(m *columnMask, polygons [][]float64) error {
	for i, p := range polygons {
		if len(p)%2 != 0 {
			return fmt.Errorf("polygon %d: got %d coordinates, want pairs", i, len(p))
		}
		for _, v := range p {
			if !(math.Abs(v) <= maxCoordinate) {
				return fmt.Errorf("polygon %d: coordinate %g: want -2e8..2e8", i, v)
			}
		}
	}
	one := newColumnMask(m.height, m.width)
	for _, p := range polygons {
		clear(one.bits)
		cutPolygon(one, p)
		one.fill()
		m.add(one)
	}
	return nil
}

// fine is the number of grid steps per pixel.
const fine = 5

// cutPolygon flips every place at which the polygon's ground and figure change: two changes at one
// place cancel. Only steps of the walk from grid column 5k+2 to 5k+3 or back count, where k is a
// pixel column of the picture, and consecutive edges meet in a point, so that each edge can be
// taken by itself.
func cutPolygon(m *columnMask, p []float64) {
	n := len(p) / 2
	// the conversion to float64 forbids fused arithmetic, which would round differently
	point := func(i int) (x, y int) {
		i %= n
		return int(float64(fine*p[2*i]) + .5), int(float64(fine*p[2*i+1]) + .5)
	}
	for i := range n {
		xs, ys := point(i)
		xe, ye := point(i + 1)
		first := max(0, ceilDiv(min(xs, xe)-2, fine))
		end := min(m.width, ceilDiv(max(xs, xe)-2, fine)) // the last k with 5k+3 <= max, plus one
		e := newEdge(xs, ys, xe, ye)
		for k := first; k < end; k++ {
			m.flip(k*m.height + row(e.y(fine*k+2), m.height))
		}
	}
}

func ceilDiv(a, b int) int { return int(math.Ceil(float64(a) / float64(b))) }

// row is the row of a change at grid row y: the first or the end of the column for one outside.
func row(y, height int) int {
	cy := (float64(y)+.5)/fine - .5
	return int(math.Ceil(min(max(cy, 0), float64(height))))
}

// An edge is walked one step of its longer side at a time. The points between are computed from the
// end with the smaller coordinate, whichever way the edge runs.
type edge struct {
	xs, ys int
	steps  int     // of the longer side
	steep  bool    // which is y
	slope  float64 // of the other side, a step
}

func newEdge(xs, ys, xe, ye int) edge {
	dx, dy := max(xe-xs, xs-xe), max(ye-ys, ys-ye)
	steep := dx < dy
	if !steep && xs > xe || steep && ys > ye {
		xs, ys, xe, ye = xe, ye, xs, ys
	}
	if steep {
		return edge{xs, ys, dy, true, float64(xe-xs) / float64(dy)}
	}
	return edge{xs, ys, dx, false, float64(ye-ys) / float64(dx)}
}

// at is the other coordinate after t steps.
func (e *edge) at(t int) int {
	start := e.ys
	if e.steep {
		start = e.xs
	}
	return int(float64(float64(start)+float64(e.slope*float64(t))) + .5)
}

// y is the smaller of the rows of the two points between which the walk passes from grid column x
// to x+1 or back; the edge does.
func (e *edge) y(x int) int {
	if !e.steep {
		t := x - e.xs
		return min(e.at(t), e.at(t+1))
	}
	// The first step that is past the line between the columns: the columns never turn back, and
	// the estimate is off by the rounding of at.
	past := func(t int) bool { return (e.at(t) > x) == (e.slope > 0) }
	t := min(max(int((float64(x)+.5-float64(e.xs))/e.slope), 1), e.steps)
	for t < e.steps && !past(t) {
		t++
	}
	for t > 1 && past(t-1) {
		t--
	}
	return e.ys + t - 1
}

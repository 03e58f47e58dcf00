package format

import (
	"fmt"
	"math"
	"slices"

	"hdseg/ingest/raster"
)

// RLEOfPolygons fills polygons, each x0, y0, x1, y1, ... in pixels, as COCO's tools do: the union of the polygons.
// A pixel belongs to a polygon by COCO's own rule, which is not that of other fillers: the border is walked on a
// grid five times as fine, and each step between columns that crosses the center of a pixel column ends or begins
// a run there. The pixels are those of COCO's tools; the runs are those of RLEOf, without empty ones at the end.
// A polygon of fewer than three points or of no area gives few or no pixels and is no error: whether empty
// annotations are one is for the reader to say. An odd number of coordinates, no number, or one further away than a
// million pixels is an error.
//
// Reference: rleFrPoly and rleMerge in cocodataset/cocoapi, common/maskApi.c.
func RLEOfPolygons(polygons [][]float64, height, width int) (RLE, error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return RLE{}, err
	}
	for i, p := range polygons {
		if len(p)%2 != 0 {
			return RLE{}, fmt.Errorf("polygon %d: got %d coordinates, want pairs", i, len(p))
		}
		for _, v := range p {
			if !(math.Abs(v) <= 1e6) {
				return RLE{}, fmt.Errorf("polygon %d: coordinate %g: want -1e6..1e6", i, v)
			}
		}
	}
	all := raster.NewMask(width, height)
	for _, p := range polygons {
		if len(p) == 0 {
			continue
		}
		one := rleOfPolygon(p, height, width).Mask()
		for k, v := range one.Pix {
			all.Pix[k] |= v
		}
	}
	return RLEOf(all, raster.Figure), nil
}

// fine is the number of grid steps per pixel.
const fine = 5

// rleOfPolygon fills one polygon. Of the walk it keeps only the last point, since the rule looks at two.
func rleOfPolygon(p []float64, height, width int) RLE {
	k := len(p) / 2
	point := func(i int) (x, y int) { // the conversion to float64 forbids fused arithmetic, which would round differently
		i %= k
		return int(float64(fine*p[2*i]) + .5), int(float64(fine*p[2*i+1]) + .5)
	}
	var cuts []int // indices, down the columns, at which ground and figure change
	lastX, lastY, begun := 0, 0, false
	for i := range k {
		xs, ys := point(i)
		xe, ye := point(i + 1)
		walk(xs, ys, xe, ye, func(x, y int) {
			if begun && x != lastX {
				if c, ok := cut(lastX, lastY, x, y, height, width); ok {
					cuts = append(cuts, c)
				}
			}
			lastX, lastY, begun = x, y, true
		})
	}
	cuts = append(cuts, height*width)
	slices.Sort(cuts)
	r := RLE{Height: height, Width: width}
	last := 0
	for i := 0; i < len(cuts); i++ {
		run := cuts[i] - last
		last = cuts[i]
		if run > 0 || i == 0 {
			r.Counts = append(r.Counts, run)
			continue
		}
		// Two cuts at one place cancel: the run before goes on.
		if i++; i < len(cuts) {
			r.Counts[len(r.Counts)-1] += cuts[i] - last
			last = cuts[i]
		}
	}
	return r
}

// walk visits the grid points of an edge from start to end, one per step of its longer side. The points between are
// computed from the end with the smaller coordinate, whichever way the edge runs.
func walk(xs, ys, xe, ye int, visit func(x, y int)) {
	dx, dy := max(xe-xs, xs-xe), max(ye-ys, ys-ye)
	steep := dx < dy
	back := !steep && xs > xe || steep && ys > ye
	if back {
		xs, ys, xe, ye = xe, ye, xs, ys
	}
	n := max(dx, dy)
	for d := range n + 1 {
		t := d
		if back {
			t = n - d
		}
		switch {
		case n == 0:
			visit(xs, ys)
		case steep:
			visit(int(float64(float64(xs)+float64(float64(xe-xs)/float64(dy)*float64(t)))+.5), ys+t)
		default:
			visit(xs+t, int(float64(float64(ys)+float64(float64(ye-ys)/float64(dx)*float64(t)))+.5))
		}
	}
}

// cut returns where a step of the walk from (x0, y0) to (x, y) changes ground and figure, if it crosses the center of
// a pixel column of the picture.
func cut(x0, y0, x, y, height, width int) (int, bool) {
	column := min(x, x0)
	if x > x0 {
		column = x - 1
	}
	cx := (float64(column)+.5)/fine - .5
	if math.Floor(cx) != cx || cx < 0 || cx > float64(width-1) {
		return 0, false
	}
	cy := (float64(min(y, y0))+.5)/fine - .5
	cy = math.Ceil(min(max(cy, 0), float64(height)))
	return int(cx)*height + int(cy), true
}

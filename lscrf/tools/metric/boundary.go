package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hdseg/manifests/arith"
)

// BoundaryTolerance is the usual tolerance of BoundaryF as a fraction of the picture's diagonal
// (Csurka, Larlus and Perronnin, "What is a good evaluation measure for semantic
// segmentation?", BMVC 2013, section 3.2). DAVIS (Perazzi et al., CVPR 2016) takes 0.008.
const BoundaryTolerance = 0.0075

// Diagonal returns fraction times the length of a picture's diagonal, in pixels.
func Diagonal(width, height int, fraction float64) float64 {
	return fraction * arith.Hypot(float64(width), float64(height))
}

// A Boundary compares two contours: Precision is the fraction of the predicted contour's
// pixels within the tolerance of the true contour, Recall the fraction of the true one's
// within the tolerance of the predicted one, F = 2PR/(P+R). With only one contour F is 0, with
// neither it is undefined.
type Boundary struct{ Precision, Recall, F Value }

// BoundaryF scores the contour of one label. Both maps are width*height, pixel (x, y) at
// y*width+x; distances are Euclidean, at most tolerancePx >= 0 counts as met.
//
// The contour of a map is its pixels of the label with a 4-neighbor, inside the picture, that is
// not of the label; the picture's frame is no contour. A void pixel of truth counts as the nearest
// labeled pixel's label (a tie is not the label), so that the contour runs along the middle of the
// void band that VOC draws around objects; contour pixels of either map that lie in void farther
// than the tolerance from any labeled pixel are left out. A void pixel of predicted is not the
// label. The cost is a pass over both maps, the tolerance for each pixel of the contours, and its
// square for each pixel of void wider than it.
func BoundaryF(truth, predicted []uint8, width, height int, label uint8, tolerancePx float64) Boundary {
	n := width * height
	if width < 1 || height < 1 || len(truth) != n || len(predicted) != n {
		panic(fmt.Sprintf("metric: maps of %d and %d pixels, want %d x %d", len(truth), len(predicted), width, height))
	}
	if label == Void || !(tolerancePx >= 0) {
		panic(fmt.Sprintf("metric: label %d with tolerance %v px, want a label and 0 or more", label, tolerancePx))
	}
	limit := int64(math.Min(tolerancePx*tolerancePx, 1<<40))
	in, deep := fillVoid(truth, width, height, label, limit)
	a := contourOf(in, deep, width, height)
	for i, v := range predicted {
		in[i] = v == label
	}
	b := contourOf(in, deep, width, height)
	recall, precision := a.met(b, limit), b.met(a, limit)
	out := Boundary{Precision: precision, Recall: recall}
	switch {
	case precision.OK && recall.OK && precision.V+recall.V > 0:
		out.F = Of(2 * precision.V * recall.V / (precision.V + recall.V))
	case precision.OK || recall.OK:
		out.F = Of(0)
	}
	return out
}

// A contour lists the columns of its pixels in ascending order, row by row.
type contour [][]int

// contourOf returns the pixels of a set, but for deep ones, that have a 4-neighbor, inside the
// picture, outside the set.
func contourOf(in, deep []bool, width, height int) contour {
	c := make(contour, height)
	for y := range height {
		row := in[y*width : (y+1)*width]
		above, below := row, row
		if y > 0 {
			above = in[(y-1)*width:][:width]
		}
		if y+1 < height {
			below = in[(y+1)*width:][:width]
		}
		for x, v := range row {
			if v && !(above[x] && below[x] && row[max(x-1, 0)] && row[min(x+1, width-1)]) && !deep[y*width+x] {
				c[y] = append(c[y], x)
			}
		}
	}
	return c
}

// met returns the fraction of c's pixels within the squared limit of o; undefined if c is empty.
func (c contour) met(o contour, limit int64) Value {
	var near, all int64
	for y, row := range c {
		all += int64(len(row))
		for _, x := range row {
			if o.within(x, y, limit) {
				near++
			}
		}
	}
	return Ratio(near, all)
}

// within tells whether a pixel lies within the squared limit of the contour. It looks at the rows
// around, nearest first.
func (c contour) within(x, y int, limit int64) bool {
	for d := 0; d < len(c) && int64(d)*int64(d) <= limit; d++ {
		for _, row := range [2]int{y - d, y + d} {
			if row < 0 || row >= len(c) {
				continue
			}
			at, found := slices.BinarySearch(c[row], x)
			room := limit - int64(d)*int64(d)
			if found || at > 0 && square(x-c[row][at-1]) <= room || at < len(c[row]) && square(c[row][at]-x) <= room {
				return true
			}
		}
	}
	return false
}

func square(d int) int64 { return int64(d) * int64(d) }

// fillVoid returns the pixels of a label, with those void pixels that are nearer to one of them
// than to other labeled pixels (a tie is not nearer), and as deep the void pixels whose squared
// distance to all labeled pixels is above limit. One pixel beyond the limit it stops: nothing is
// scored there.
func fillVoid(truth []uint8, width, height int, label uint8, limit int64) (in, deep []bool) {
	in, deep = make([]bool, len(truth)), make([]bool, len(truth))
	var near []offset
	for i, v := range truth {
		if in[i] = v == label; v != Void {
			continue
		}
		if near == nil {
			beyond := math.Ceil(math.Sqrt(float64(limit)) + 1)
			near = offsets(width, height, int64(beyond*beyond))
		}
		x, y := i%width, i/width
		deep[i] = true
		found := int64(0) // squared distance of the nearest labeled pixels
		for _, o := range near {
			if found > 0 && o.squared > found {
				break
			}
			u, v := x+o.x, y+o.y
			if u < 0 || v < 0 || u >= width || v >= height || truth[v*width+u] == Void {
				continue
			}
			found, deep[i] = o.squared, o.squared > limit
			if in[i] = truth[v*width+u] == label; !in[i] {
				break
			}
		}
	}
	return in, deep
}

// An offset leads to another pixel.
type offset struct {
	x, y    int
	squared int64
}

// offsets returns those inside a picture with squared lengths of 1..most, nearest first.
func offsets(width, height int, most int64) []offset {
	reach := func(size int) int { return int(min(math.Sqrt(float64(most)), float64(size-1))) }
	w, h := reach(width), reach(height)
	var all []offset
	for y := -h; y <= h; y++ {
		for x := -w; x <= w; x++ {
			if s := square(x) + square(y); s > 0 && s <= most {
				all = append(all, offset{x, y, s})
			}
		}
	}
	slices.SortFunc(all, func(a, b offset) int { return cmp.Compare(a.squared, b.squared) })
	return all
}

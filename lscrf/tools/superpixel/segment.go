// Package superpixel cuts a picture into a few hundred connected regions of similar
// colour, the nodes of the model's graph, and carries pixel labels to regions and back.
//
// It is pure: no files, clock, log or randomness. Equal input gives equal output.
package superpixel

import (
	"math"

	"hdseg/manifests/raster"
)

// Segment is SLIC or Ward, as o.Method says.
func Segment(img *raster.RGB, o Options) *Map {
	if o.Method == MethodWard {
		return Ward(img, o)
	}
	return SLIC(img, o)
}

// SLIC cuts img into about o.Count superpixels of similar size by k-means in colour and
// position, where a pixel looks only at the centers about one grid step away (Achanta et
// al., SLIC superpixels compared to state-of-the-art superpixel methods, PAMI 34(11), 2012).
//
// It differs from the paper in what follows k-means: a piece smaller than a quarter of a cell
// joins the neighbour that is most alike, not the one met first, and o.sweeps border sweeps
// come last. Cost: about 14 ms for 500 x 333 pixels, 5 MB. It panics if o is not valid.
func SLIC(img *raster.RGB, o Options) *Map {
	o.check()
	p := newPlanes(img)
	r, labels, step := cells(p, o.Count, 0, o)
	return r.finish(p, labels, step, o)
}

// Ward cuts img into o.Count superpixels: o.fineness times as many SLIC cells are merged, each time
// those two neighbours whose union adds least to the sum of squared distances, in colour and
// position, of pixels to the mean of their superpixel (Ward, J. Am. Stat. Assoc. 58, 1963, held to
// neighbours). Border sweeps come last. Superpixels are large where the picture is flat and small
// where it is not. Where there are fewer cells than o.Count, so are the superpixels. Cost: about
// that of SLIC. It panics if o is not valid.
func Ward(img *raster.RGB, o Options) *Map {
	o.check()
	p := newPlanes(img)
	fine := int(math.Ceil(float64(o.Count) * o.fineness))
	step := math.Sqrt(float64(p.w) * float64(p.h) / float64(o.Count))
	r, labels, _ := cells(p, fine, o.spatial(step), o)
	r.mergeTo(o.Count)
	return r.finish(p, labels, step, o)
}

// cells returns about count connected regions by k-means, and the side of a grid cell in pixels.
// Regions smaller than a quarter of a cell are merged into others already; spatial is the weight
// of a squared pixel distance in that.
func cells(p *planes, count int, spatial float64, o Options) (r *regions, labels []int32, step float64) {
	labels, step = kmeans(p, count, o)
	r = newRegions(p, labels, Components(labels, p.w, p.h), spatial)
	r.absorb(int(step * step / 4))
	return r, labels, step
}

// finish writes the merged regions into labels, sweeps their borders and numbers them.
func (r *regions) finish(p *planes, labels []int32, step float64, o Options) *Map {
	sums := r.relabel(labels)
	if o.sweeps > 0 {
		raster.Collect(len(labels)) // what k-means had
		sweep(p, labels, sums, float32(o.spatial(step)), o)
	}
	number(labels, len(sums))
	return &Map{Labels: labels, Width: p.w, Height: p.h, N: len(sums)}
}

// spatial returns the weight of a squared pixel distance beside a squared colour distance.
func (o Options) spatial(step float64) float64 {
	return o.borderCompactness * o.borderCompactness / (step * step)
}

func (o Options) check() {
	if err := o.Validate(); err != nil {
		panic("superpixel: " + err.Error())
	}
}

// number renames the labels 0..n-1, all in use, in the order of their first pixels.
func number(labels []int32, n int) {
	id := make([]int32, n)
	next := int32(0)
	last, now := int32(-1), int32(-1)
	for i, l := range labels {
		if l != last {
			if id[l] == 0 {
				next++
				id[l] = next
			}
			last, now = l, id[l]-1
		}
		labels[i] = now
	}
}

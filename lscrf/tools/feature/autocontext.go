package feature

import (
	"fmt"
	"math"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// AutoContextDim is the number of values of AutoContext per superpixel and output.
const AutoContextDim = 20 + gridSide*gridSide - 1

const (
	gridSide = 5 // points of the grid across
	gridBlur = 0.075
	gridStep = 2 * gridBlur // between points, in sizes of the object
)

// A Place is where a superpixel lies and what color it has.
type Place struct {
	X, Y float64    // its center, 0..1
	Lab  [3]float64 // mean color in CIELAB
}

// PlaceDim is the number of first columns of the draft set that Places reads.
const PlaceDim = 5

// Places reads the places from the rows of a feature set that begins with the draft set; see
// HasPlaces.
func Places(x []float32, dim int) []Place {
	out := make([]Place, len(x)/dim)
	var rgb [3]uint8
	var lab [3]float32
	for i := range out {
		row := x[i*dim : (i+1)*dim]
		for c := range rgb {
			rgb[c] = uint8(row[c] + 0.5)
		}
		raster.LabTo(lab[:], rgb[:])
		out[i] = Place{float64(row[3]), float64(row[4]), [3]float64{float64(lab[0]), float64(lab[1]), float64(lab[2])}}
	}
	return out
}

// HasPlaces tells whether the set begins with the draft set, whose rows say where superpixels are.
func (o Options) HasPlaces() bool { return o.Set != HDSeg }

// AutoContext returns what a map of probabilities says around every superpixel (auto-context, Tu,
// CVPR 2008), p row-major n x outputs: n x outputs*AutoContextDim. For each output a row has
//
//	0..2    mean of p over the superpixels at distance 1, 2, 3 in the graph; at none that of the
//	        distance before
//	3       largest p of a neighbor
//	4..6    mean of p over the others, by likeness of color: Gaussian kernels of 4, 8, 16 CIELAB
//	        units
//	7..9    over all, by nearness: kernels of 0.05, 0.1, 0.2 of the picture's sides
//	10..12  over the others, by both: each of these times the color kernel of 8
//	13      mean of p in the picture
//	14..17  center from the middle of the object, in units of the object's deviations, and of the
//	        picture
//	18, 19  these deviations across and down, where the object is p^2 as a mass
//	20..43  p at the points of a 5 x 5 grid around the superpixel without its middle, row by row
//	        from the upper left: Gaussian means of 0.075 at steps of 0.15 object sizes, a
//	        size being twice the sum of both deviations; 0 beyond the picture
//
// Cost: about 6 exponentials per pair of superpixels.
func AutoContext(p []float32, outputs int, at []Place, edges [][2]int32) []float32 {
	n := len(at)
	if len(p) != n*outputs {
		panic(fmt.Sprintf("feature: len(p) = %d, want %d superpixels x %d outputs", len(p), n, outputs))
	}
	out := make([]float32, n*outputs*AutoContextDim)
	ringContext(out, p, outputs, n, edges)
	kernelContext(out, p, outputs, at)
	one := make([]float64, n)
	for k := range outputs {
		for i := range one {
			one[i] = float64(p[i*outputs+k])
		}
		objectContext(out[k*AutoContextDim:], outputs*AutoContextDim, one, at)
	}
	return out
}

// ringContext writes values 0..3.
func ringContext(out, p []float32, outputs, n int, edges [][2]int32) {
	superpixel.Rings(n, edges, 3, func(i, distance int, ring []int32) {
		r := distance - 1
		for k := range outputs {
			to := out[(i*outputs+k)*AutoContextDim:]
			if len(ring) == 0 {
				if to[r] = p[i*outputs+k]; r > 0 {
					to[r] = to[r-1]
				}
				continue
			}
			sum := 0.0
			for _, t := range ring {
				v := p[int(t)*outputs+k]
				sum += float64(v)
				if r == 0 {
					to[3] = max(to[3], v)
				}
			}
			to[r] = float32(sum / float64(len(ring)))
		}
	})
}

// kernelContext writes values 4..12.
func kernelContext(out, p []float32, outputs int, at []Place) {
	const kernels = 9
	sums := make([]float64, outputs*kernels)
	for i := range at {
		clear(sums)
		var weights [kernels]float64
		for j := range at {
			var w [kernels]float64
			w[5] = kernel(away(at[i].X-at[j].X, at[i].Y-at[j].Y), 0.2)
			w[4] = fourth(w[5]) // a kernel of half the width
			w[3] = fourth(w[4])
			if i != j {
				w[2] = kernel(away(at[i].Lab[0]-at[j].Lab[0], away(at[i].Lab[1]-at[j].Lab[1], at[i].Lab[2]-at[j].Lab[2])), 16)
				w[1] = fourth(w[2])
				w[0] = fourth(w[1])
				w[6], w[7], w[8] = w[3]*w[1], w[4]*w[1], w[5]*w[1]
			}
			for c, v := range w {
				weights[c] += v
			}
			for k, v := range p[j*outputs : (j+1)*outputs] {
				to := sums[k*kernels : (k+1)*kernels]
				for c, w := range w {
					to[c] += float64(w * float64(v))
				}
			}
		}
		for k := range outputs {
			to := out[(i*outputs+k)*AutoContextDim+4:]
			for c, w := range weights {
				// where nothing is like it, the superpixel itself
				if to[c] = p[i*outputs+k]; w > 1e-30 {
					to[c] = float32(sums[k*kernels+c] / w)
				}
			}
		}
	}
}

func fourth(v float64) float64 { return (v * v) * (v * v) }

// objectContext writes values 13..43 of one output at out[i*stride].
func objectContext(out []float32, stride int, p []float64, at []Place) {
	var mean average
	var object scatter
	for i, v := range p {
		mean.add(v, 1)
		object.add(at[i].X, at[i].Y, v*v)
	}
	middleX, middleY, xx, yy := object.moments()
	const least = 0.01 // of a deviation
	sideX, sideY := max(least, math.Sqrt(xx)), max(least, math.Sqrt(yy))
	size := 2 * (sideX + sideY)
	for i := range at {
		dx, dy := at[i].X-middleX, at[i].Y-middleY
		to := out[i*stride:]
		write(to[13:], mean.mean(), dx/sideX, dy/sideY, dx, dy, sideX, sideY)
		grid := gridContext(p, at, i, size)
		middle := len(grid) / 2
		write(to[20:], grid[:middle]...)
		write(to[20+middle:], grid[middle+1:]...)
	}
}

// gridContext returns p around superpixel i.
func gridContext(p []float64, at []Place, i int, size float64) [gridSide * gridSide]float64 {
	var sums, weights [gridSide * gridSide]float64
	reach := size * (gridStep*float64(gridSide/2) + 4*gridBlur)
	for j := range at {
		dx, dy := at[j].X-at[i].X, at[j].Y-at[i].Y
		if math.Abs(dx) > reach || math.Abs(dy) > reach {
			continue
		}
		across, down := gridKernels(dx/(size*gridBlur)), gridKernels(dy/(size*gridBlur))
		for r, v := range down {
			for c, w := range across {
				w = float64(w * v)
				sums[r*gridSide+c] += float64(w * p[j])
				weights[r*gridSide+c] += w
			}
		}
	}
	for k, w := range weights {
		sums[k] /= w + 1e-3 // far from all superpixels it fades to 0
	}
	return sums
}

// gridKernels returns exp(-(u-2k)^2/2) for k = -2..2: a step of the grid is two deviations, in
// which u is measured.
func gridKernels(u float64) [gridSide]float64 {
	const one, two = 0.1353352832366127, 0.00033546262790251185 // exp(-2k^2)
	e, q := arith.Exp(-u*u/2), arith.Exp(2*u)
	return [gridSide]float64{e / (q * q) * two, e / q * one, e, e * q * one, e * q * q * two}
}

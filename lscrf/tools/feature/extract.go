package feature

import (
	"math"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// Extract returns the features of every superpixel, sp.N x Dim(o) row-major. A row of the
// draft set is
//
//	0..2    mean red, green and blue, 0..255
//	3, 4    center x and y, 0..1: the mean of (pixel + 1/2) / size
//	5..132  rootSIFT at the pixel nearest to the center, 0..16
//
// (paper, section 6); for the set HDSeg see histograms, and the set Full has a row of the one
// followed by a row of the other; Saliency has a row of the draft set followed by one of saliency.
// It panics if o is not valid, sp is not of img's size, or a vocabulary is missing or was trained
// with other SIFT options.
func Extract(img *raster.RGB, sp *superpixel.Map, o Options) []float32 {
	o.check()
	if sp.Width != img.Width || sp.Height != img.Height {
		panic("feature: superpixels of another size than the picture's")
	}
	switch o.Set {
	case HDSeg:
		return histograms(img, sp, o)
	case Full:
		return beside(draft(img, sp, o), DraftDim, histograms(img, sp, o), HDSegDim)
	case Saliency:
		return beside(draft(img, sp, o), DraftDim, saliency(img, sp), cues)
	}
	return draft(img, sp, o)
}

// beside joins the rows of two matrices.
func beside(a []float32, dimA int, b []float32, dimB int) []float32 {
	out := make([]float32, 0, len(a)+len(b))
	for len(a) > 0 {
		out = append(append(out, a[:dimA]...), b[:dimB]...)
		a, b = a[dimA:], b[dimB:]
	}
	return out
}

// draft returns the draft set.
func draft(img *raster.RGB, sp *superpixel.Map, o Options) []float32 {
	out := make([]float32, sp.N*DraftDim)
	sizes, centers := sp.Sizes(), sp.Centers()
	colors := meanColors(img, sp, sizes)
	at := make([]point, sp.N)
	for i := range sp.N {
		row := out[i*DraftDim : (i+1)*DraftDim]
		copy(row, colors[3*i:3*i+3])
		x, y := centers[2*i], centers[2*i+1]
		row[3] = float32((x + 0.5) / float64(img.Width))
		row[4] = float32((y + 0.5) / float64(img.Height))
		at[i] = point{int(math.Round(x)), int(math.Round(y))}
	}
	sift(out[5:], DraftDim, raster.Gray(img), img.Width, img.Height, at, o)
	return out
}

// meanColors returns the mean red, green and blue of every superpixel, N x 3.
func meanColors(img *raster.RGB, sp *superpixel.Map, sizes []int32) []float32 {
	sums := make([][3]uint64, sp.N)
	pix := img.Pix
	for i, l := range sp.Labels {
		s, p := &sums[l], pix[3*i:3*i+3:3*i+3]
		s[0] += uint64(p[0])
		s[1] += uint64(p[1])
		s[2] += uint64(p[2])
	}
	out := make([]float32, 3*sp.N)
	for i, s := range sums {
		for c, v := range s {
			out[3*i+c] = float32(float64(v) / float64(sizes[i]))
		}
	}
	return out
}

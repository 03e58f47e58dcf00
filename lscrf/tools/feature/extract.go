package feature

import (
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// Extract returns the features of every superpixel, sp.N x Dim(o) row-major without o.Dense. A row
// of the draft set is
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
		return Beside(draft(img, sp, o), DraftDim, histograms(img, sp, o), HDSegDim)
	case Saliency:
		return Beside(draft(img, sp, o), DraftDim, saliency(img, sp), cues)
	}
	return draft(img, sp, o)
}

// Beside joins the rows of two matrices of dimA and dimB columns.
func Beside(a []float32, dimA int, b []float32, dimB int) []float32 {
	out := make([]float32, 0, len(a)+len(b))
	for len(a) > 0 {
		out = append(append(out, a[:dimA]...), b[:dimB]...)
		a, b = a[dimA:], b[dimB:]
	}
	return out
}

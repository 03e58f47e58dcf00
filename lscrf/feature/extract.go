package feature

import (
	"math"

	"hdseg/ingest/raster"
	"hdseg/lscrf/superpixel"
)

// Extract returns the features of every superpixel, sp.N x Dim(o) row-major. A row of the
// draft set is
//
//	0..2    mean red, green and blue, 0..255
//	3, 4    center x and y, 0..1: the mean of (pixel + 1/2) / size
//	5..132  rootSIFT at the pixel nearest to the center, 0..16, as SIFT orders it
//
// It panics if o is not valid or sp is not of img's size.
func Extract(img *raster.RGB, sp *superpixel.Map, o Options) []float32 {
	if err := o.Validate(); err != nil {
		panic("feature: " + err.Error())
	}
	if sp.Width != img.Width || sp.Height != img.Height {
		panic("feature: superpixels of another size than the picture's")
	}
	out := make([]float32, sp.N*DraftDim)
	colors := make([]float64, 3*sp.N)
	for i, l := range sp.Labels {
		for c := range 3 {
			colors[3*int(l)+c] += float64(img.Pix[3*i+c])
		}
	}
	sizes, centers := sp.Sizes(), sp.Centers()
	gray := toGray(img)
	for i := range sp.N {
		row := out[i*DraftDim : (i+1)*DraftDim]
		for c := range 3 {
			row[c] = float32(colors[3*i+c] / float64(sizes[i]))
		}
		x, y := centers[2*i], centers[2*i+1]
		row[3] = float32((x + 0.5) / float64(img.Width))
		row[4] = float32((y + 0.5) / float64(img.Height))
		sift(row[5:], gray, img.Width, img.Height, int(math.Round(x)), int(math.Round(y)), o)
	}
	return out
}

// toGray returns luma in 0..255 with the weights of ITU-R BT.601.
func toGray(img *raster.RGB) []float32 {
	g := make([]float32, img.Width*img.Height)
	for i := range g {
		p := img.Pix[3*i : 3*i+3]
		g[i] = 0.299*float32(p[0]) + 0.587*float32(p[1]) + 0.114*float32(p[2])
	}
	return g
}

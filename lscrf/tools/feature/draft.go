package feature

import (
	"math"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

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
	raster.Collect(len(sp.Labels)) // what sift had: other features may follow
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

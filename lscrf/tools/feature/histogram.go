package feature

import (
	"math"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// histograms returns the published set, sp.N x HDSegDim row-major. With S0 a superpixel, S1 it and
// its neighbours, and S2 those and theirs, a row is
//
//	0            1
//	1..48        position of S0, S1, S2, 16 each: pixels in each cell of a 4 x 4 grid over the
//	             picture
//	49..432      colour of S0, S1, S2, 128 each: pixels of each colour word
//	433..1968    rootSIFT of S0, S1, S2, 512 each: descriptors of each word, on a grid of
//	             o.WordStep px
//
// A block is the square root of the histogram over its sum, so its L2 norm is 1, or 0 where nothing
// was counted. (The order and the norms are the consumer's, method facts 1.5; grid, words and
// neighbourhoods were not published and are ours.) Cost: about 40 ms for 500 x 333 pixels.
func histograms(img *raster.RGB, sp *superpixel.Map, o Options) []float32 {
	v := o.Vocabulary
	if v == nil {
		panic("feature: the hdseg set needs a vocabulary")
	}
	if v.Bin != o.WordBin || v.Sigma != o.SIFTSigma || v.Range != o.SIFTRange {
		panic("feature: the vocabulary was trained with other SIFT options")
	}
	v.index()
	const width = positionBins + colorWords + siftWords
	counts := make([]float32, sp.N*width)
	w, h := sp.Width, sp.Height
	for y := range h {
		for x := range w {
			i := y*w + x
			c := counts[int(sp.Labels[i])*width:]
			c[4*(4*y/h)+4*x/w]++
			p := img.Pix[3*i : 3*i+3 : 3*i+3]
			c[positionBins+int(v.colors[int(p[0])>>3<<10|int(p[1])>>3<<5|int(p[2])>>3])]++
		}
	}
	at := gridPoints(w, h, o.WordStep)
	words := make([]float32, 128*len(at))
	sift(words, 128, raster.Gray(img), w, h, at, o.words())
	for i, p := range at {
		word, _ := v.sift.nearest(words[128*i : 128*i+128])
		counts[int(sp.Labels[p.y*w+p.x])*width+positionBins+colorWords+word]++
	}
	out := make([]float32, sp.N*HDSegDim)
	sum := make([]float32, width)
	// add adds superpixels to sum and writes its blocks as those of S0, S1 or S2 of superpixel i.
	add := func(i, s int, superpixels []int32) {
		for _, j := range superpixels {
			for k, c := range counts[int(j)*width : (int(j)+1)*width] {
				sum[k] += c // counts are whole, so that order does not matter (below 2^24)
			}
		}
		row := out[i*HDSegDim : (i+1)*HDSegDim]
		unit(row[1+s*positionBins:], sum[:positionBins])
		unit(row[1+3*positionBins+s*colorWords:], sum[positionBins:positionBins+colorWords])
		unit(row[1+3*(positionBins+colorWords)+s*siftWords:], sum[positionBins+colorWords:])
	}
	superpixel.Rings(sp.N, sp.Edges(), 2, func(i, distance int, ring []int32) {
		if distance == 1 {
			out[i*HDSegDim] = 1
			clear(sum)
			add(i, 0, []int32{int32(i)})
		}
		add(i, distance, ring)
	})
	return out
}

// unit writes the square root of a histogram over its sum.
func unit(to, hist []float32) {
	sum := float32(0)
	for _, c := range hist {
		sum += c
	}
	if sum == 0 {
		return
	}
	for k, c := range hist {
		if c > 0 {
			to[k] = float32(math.Sqrt(float64(c / sum)))
		}
	}
}

// gridPoints returns the points of a grid in the middle of a picture, at least one.
func gridPoints(w, h, step int) []point {
	x0, y0 := (w-1)%step/2, (h-1)%step/2
	var at []point
	for y := y0; y < h; y += step {
		for x := x0; x < w; x += step {
			at = append(at, point{x, y})
		}
	}
	return at
}

package feature

import (
	"math/rand/v2"
	"testing"

	"hdseg/ingest/raster"
	"hdseg/lscrf/superpixel"
)

// scene draws a picture of disks with noise.
func scene(w, h int, seed uint64) *raster.RGB {
	rng := rand.New(rand.NewPCG(seed, 2))
	img := raster.NewRGB(w, h)
	type disk struct{ x, y, r, c int }
	ds := make([]disk, 40)
	for i := range ds {
		ds[i] = disk{rng.IntN(w), rng.IntN(h), 2 + rng.IntN(max(3, h/5)), rng.IntN(1 << 24)}
	}
	for y := range h {
		for x := range w {
			c := 0x406080 + x*64/w
			for _, d := range ds {
				if (x-d.x)*(x-d.x)+(y-d.y)*(y-d.y) < d.r*d.r {
					c = d.c
				}
			}
			n := func(v int) uint8 { return uint8(min(255, max(0, v&255+rng.IntN(17)-8))) }
			img.Set(x, y, n(c>>16), n(c>>8), n(c))
		}
	}
	return img
}

// BenchmarkSIFT describes 342 points.
func BenchmarkSIFT(b *testing.B) {
	img := scene(500, 333, 1)
	gray := raster.Gray(img)
	at := clip(gridPoints(380, 360, 20), img)
	out := make([]float32, 128*len(at))
	b.ReportAllocs()
	for b.Loop() {
		sift(out, 128, gray, img.Width, img.Height, at, Defaults())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	b.ReportMetric(float64(b.N)*float64(len(at))/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkDraft(b *testing.B) {
	img := scene(500, 333, 1)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	b.ReportAllocs()
	for b.Loop() {
		Extract(img, sp, Defaults())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	b.ReportMetric(float64(b.N)*float64(sp.N)/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkHistograms(b *testing.B) {
	img := scene(500, 333, 1)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	o := Defaults()
	o.Set, o.Vocabulary = HDSeg, vocabulary(1)
	b.ReportAllocs()
	for b.Loop() {
		Extract(img, sp, o)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

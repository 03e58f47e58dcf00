package feature

import (
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// BenchmarkSIFT describes 342 points.
func BenchmarkSIFT(b *testing.B) {
	img := peer.Scene(500, 333, 1)
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
	img := peer.Scene(500, 333, 1)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	b.ReportAllocs()
	for b.Loop() {
		Extract(img, sp, Defaults())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	b.ReportMetric(float64(b.N)*float64(sp.N)/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkSaliency(b *testing.B) {
	img := peer.Scene(500, 333, 1)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	b.ReportAllocs()
	for b.Loop() {
		saliency(img, sp)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkHistograms(b *testing.B) {
	img := peer.Scene(500, 333, 1)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	o := Defaults()
	o.Set, o.Vocabulary = HDSeg, vocabulary(1)
	b.ReportAllocs()
	for b.Loop() {
		Extract(img, sp, o)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

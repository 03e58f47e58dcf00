package superpixel

import (
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/manifests/raster"
)

func benchmark(b *testing.B, f func(img *raster.RGB)) {
	img := peer.Scene(500, 333, 1)
	b.ReportAllocs()
	for b.Loop() {
		f(img)
	}
	b.ReportMetric(float64(b.N)*500*333/b.Elapsed().Seconds(), "px/s")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkSLIC(b *testing.B) {
	benchmark(b, func(img *raster.RGB) { SLIC(img, Defaults()) })
}

func BenchmarkWard(b *testing.B) {
	benchmark(b, func(img *raster.RGB) { Ward(img, Defaults()) })
}

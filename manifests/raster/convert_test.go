package raster

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// Every subsampling ratio and an offset rectangle agree with the standard library's colour conversion.
func TestFromYCbCr(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		img := image.NewYCbCr(image.Rect(0, 0, 19, 13), ratio)
		for _, plane := range [][]uint8{img.Y, img.Cb, img.Cr} {
			for i := range plane {
				plane[i] = uint8(rng.IntN(256))
			}
		}
		for _, r := range []image.Rectangle{img.Rect, image.Rect(0, 4, 19, 13), image.Rect(4, 4, 18, 11)} {
			sub := img.SubImage(r).(*image.YCbCr)
			m := FromImage(sub)
			for y := range m.Height {
				for x := range m.Width {
					c := sub.YCbCrAt(r.Min.X+x, r.Min.Y+y)
					wr, wg, wb := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
					if gr, gg, gb := m.At(x, y); gr != wr || gg != wg || gb != wb {
						t.Fatalf("%v %v (%d, %d): got %d,%d,%d, want %d,%d,%d", ratio, r, x, y, gr, gg, gb, wr, wg, wb)
					}
				}
			}
		}
	}
}

func BenchmarkFromYCbCr420(b *testing.B) {
	img := image.NewYCbCr(image.Rect(0, 0, 500, 375), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = uint8(i * 7)
	}
	b.ReportAllocs()
	for b.Loop() {
		FromImage(img)
	}
	b.ReportMetric(500*375*float64(b.N)/b.Elapsed().Seconds(), "px/s")
}

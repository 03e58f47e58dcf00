package cut

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/manifests/raster"
)

// painted is a picture of 160 x 120 of one channel's levels, the other two of 90.
func painted(level func(x, y int) float64) *raster.RGB {
	im := raster.NewRGB(160, 120)
	for y := range im.Height {
		for x := range im.Width {
			im.Set(x, y, 90, uint8(math.Round(min(max(level(x, y), 0), 255))), 90)
		}
	}
	return im
}

// A checkerboard of 100±a has the standard deviation a around every surface, of which it holds no part; a disc of 800 of the 19,200
// pixels that is 40 levels darker has 40·√(1/24·23/24) = 8 before a surface takes a little of it.
func TestFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	whole := image.Rect(0, 0, 160, 120)
	board := func(a float64) *raster.RGB {
		return painted(func(x, y int) float64 { return 100 + a*float64(1-2*((x+y)%2)) })
	}
	disc := painted(func(x, y int) float64 {
		if (x-80)*(x-80)+(y-60)*(y-60) <= 255 {
			return 60
		}
		return 100
	})
	halves := painted(func(x, y int) float64 { return float64(x/80) * 40 })
	for name, c := range map[string]struct {
		im   *raster.RGB
		r    image.Rectangle
		want bool
	}{
		"one colour":                 {painted(func(int, int) float64 { return 128 }), whole, true},
		"black":                      {raster.NewRGB(7, 5), image.Rect(0, 0, 7, 5), true},
		"one pixel":                  {board(100), image.Rect(9, 9, 10, 10), true},
		"noise of 1":                 {painted(func(int, int) float64 { return 128 + float64(r.IntN(3)-1) }), whole, true},
		"a row, noise of 1":          {painted(func(int, int) float64 { return 128 + float64(r.IntN(3)-1) }), image.Rect(0, 50, 160, 51), true},
		"board of 2":                 {board(2), image.Rect(3, 5, 33, 25), true},
		"board of 4":                 {board(4), image.Rect(3, 5, 33, 25), false},
		"all levels across":          {painted(func(x, y int) float64 { return float64(x) * 255 / 159 }), whole, true},
		"slope and noise":            {painted(func(x, y int) float64 { return float64(x+y) + float64(r.IntN(3)-1)/2 }), image.Rect(2, 3, 150, 100), true},
		"from the middle outward":    {painted(func(x, y int) float64 { return 250 - float64((x-70)*(x-70)+(y-50)*(y-50))/80 }), whole, true},
		"saddle":                     {painted(func(x, y int) float64 { return float64(x*y) / 80 }), whole, true},
		"disc":                       {disc, whole, false},
		"outside of the disc":        {disc, image.Rect(0, 0, 60, 120), true},
		"two halves":                 {halves, whole, false},
		"two halves, two columns":    {halves, image.Rect(79, 0, 81, 120), true},
		"two halves, in many pixels": {big(halves, 5), image.Rect(0, 0, 800, 600), false},
	} {
		if got := Flat(c.im, c.r); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func big(im *raster.RGB, n int) *raster.RGB {
	out := raster.NewRGB(n*im.Width, n*im.Height)
	for y := range out.Height {
		for x := range out.Width {
			r, g, b := im.At(x/n, y/n)
			out.Set(x, y, r, g, b)
		}
	}
	return out
}

package superpixel_test

import (
	"fmt"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// A picture of a dark and a bright half becomes two superpixels.
func ExampleSegment() {
	im := raster.NewRGB(40, 20)
	for y := range 20 {
		for x := 20; x < 40; x++ {
			im.Set(x, y, 200, 200, 200)
		}
	}
	o := superpixel.Defaults()
	o.Count = 2
	sp := superpixel.Segment(im, o)
	fmt.Println(sp.N, sp.Labels[0] != sp.Labels[39], sp.Edges())
	// Output: 2 true [[0 1]]
}

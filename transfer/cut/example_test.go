package cut_test

import (
	"fmt"

	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// A red square on green is cut out of a box, given a prior that only says "near the middle".
func ExampleSegment() {
	im, fixed := raster.NewRGB(30, 30), raster.NewMask(30, 30)
	soft := make([]float32, 30*30)
	for y := range 30 {
		for x := range 30 {
			im.Set(x, y, 40, 160, 40)
			if x >= 10 && x < 20 && y >= 10 && y < 20 {
				im.Set(x, y, 200, 40, 40)
			}
			if x >= 6 && x < 24 && y >= 6 && y < 24 { // the box; outside all is ground
				fixed.Set(x, y, raster.Void)
				soft[y*30+x] = 0.3
			}
			if x >= 12 && x < 18 && y >= 12 && y < 18 {
				soft[y*30+x] = 0.8
			}
		}
	}
	res := cut.Segment(im, soft, fixed, cut.Defaults())
	_, figure, _ := res.Mask.Areas()
	fmt.Println(figure, res.Status == "")
	// Output: 100 true
}

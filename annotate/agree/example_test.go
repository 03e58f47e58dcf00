package agree_test

import (
	"fmt"

	"hdseg/annotate/agree"
	"hdseg/manifests/raster"
)

// Two people agree on one figure pixel and differ on one.
func ExampleCount() {
	a := &raster.Mask{Width: 4, Height: 1, Pix: []uint8{1, 1, 0, 0}}
	b := &raster.Mask{Width: 4, Height: 1, Pix: []uint8{1, 0, 0, 0}}
	t := agree.Count(a, b)
	fmt.Println(t.IoU().Format(2), t.Kappa().Format(2))
	// Output: 0.50 0.50
}

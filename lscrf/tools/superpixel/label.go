package superpixel

import (
	"fmt"

	"hdseg/manifests/raster"
)

// Majority returns the label of every superpixel: raster.Figure where more than half of
// its pixels that are not void are figure, raster.Ground where not (so a tie is ground),
// and raster.Void where all its pixels are void (method of the HDSeg consumers: such
// nodes are neither trained on nor scored).
func Majority(sp *Map, m *raster.Mask) []uint8 {
	checkMask(sp, m.Width, m.Height, len(m.Pix))
	n := make([][2]int32, sp.N)
	for i, l := range sp.Labels {
		switch m.Pix[i] {
		case raster.Ground:
			n[l][0]++
		case raster.Figure:
			n[l][1]++
		}
	}
	out := make([]uint8, sp.N)
	for i, c := range n {
		switch {
		case c[0]+c[1] == 0:
			out[i] = raster.Void
		case c[1] > c[0]:
			out[i] = raster.Figure
		default:
			out[i] = raster.Ground
		}
	}
	return out
}

// A Class is a pixel's or superpixel's class number; a negative one is void.
type Class interface{ ~int8 | ~int16 | ~int32 | ~int }

// MajorityClass is Majority for any number of classes: class[y*Width+x] is in
// 0..classes-1, or negative for void. A tie goes to the lowest class; a superpixel
// that is void everywhere gets -1.
func MajorityClass[C Class](sp *Map, class []C, classes int) []C {
	checkMask(sp, sp.Width, sp.Height, len(class))
	n := make([]int32, sp.N*classes)
	for i, l := range sp.Labels {
		if c := class[i]; c >= 0 {
			if int(c) >= classes {
				panic(fmt.Sprintf("superpixel: class %d at pixel %d, want below %d", c, i, classes))
			}
			n[int(l)*classes+int(c)]++
		}
	}
	out := make([]C, sp.N)
	for i := range out {
		best, most := -1, int32(0)
		for c, k := range n[i*classes : (i+1)*classes] {
			if k > most {
				best, most = c, k
			}
		}
		out[i] = C(best)
	}
	return out
}

// Paint returns the mask in which every pixel has its superpixel's label, one of the
// three values of a raster.Mask. len(labels) = sp.N.
func Paint(sp *Map, labels []uint8) *raster.Mask {
	m := raster.NewMask(sp.Width, sp.Height)
	paint(sp, labels, m.Pix)
	return m
}

// PaintClass returns the class of every pixel, that of its superpixel. len(labels) = sp.N.
func PaintClass[C Class](sp *Map, labels []C) []C {
	out := make([]C, len(sp.Labels))
	paint(sp, labels, out)
	return out
}

func paint[T any](sp *Map, labels, to []T) {
	if len(labels) != sp.N {
		panic(fmt.Sprintf("superpixel: len(labels) = %d, want %d", len(labels), sp.N))
	}
	for i, l := range sp.Labels {
		to[i] = labels[l]
	}
}

func checkMask(sp *Map, width, height, n int) {
	if width != sp.Width || height != sp.Height || n != len(sp.Labels) {
		panic(fmt.Sprintf("superpixel: mask of %d pixels for %d x %d, want %d x %d", n, height, width, sp.Height, sp.Width))
	}
}

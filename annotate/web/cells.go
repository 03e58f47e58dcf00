package web

import (
	"encoding/binary"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// CellCounts are the numbers of superpixels that the painting tool offers, from coarse to fine.
var CellCounts = [...]int{30, 120, 600}

// cellPixels is the size above which superpixels are made on a shrunk picture and enlarged: a few
// tenths of a second.
const cellPixels = 1_500_000

// Cells cuts a picture into superpixels for painting: those that follow object borders best. size
// is an index of CellCounts.
func Cells(im *raster.RGB, size int) *superpixel.Map {
	o := superpixel.Defaults()
	o.Method, o.Count = superpixel.MethodWard, CellCounts[size]
	small := raster.Shrink(im, cellPixels)
	sp := superpixel.Segment(small, o)
	if small == im {
		return sp
	}
	out := &superpixel.Map{Labels: make([]int32, im.Width*im.Height), Width: im.Width, Height: im.Height, N: sp.N}
	for y := range im.Height {
		row := sp.Labels[y*small.Height/im.Height*small.Width:]
		for x := range im.Width {
			out.Labels[y*im.Width+x] = row[x*small.Width/im.Width]
		}
	}
	return out
}

// encodeCells writes a map as varints: width, height, N, and then, row-major, for every run the
// difference of its label to that of the run before (signed, zigzag) and its length.
func encodeCells(sp *superpixel.Map) []byte {
	b := binary.AppendUvarint(nil, uint64(sp.Width))
	b = binary.AppendUvarint(b, uint64(sp.Height))
	b = binary.AppendUvarint(b, uint64(sp.N))
	var last int32
	for i := 0; i < len(sp.Labels); {
		j := i + 1
		for j < len(sp.Labels) && sp.Labels[j] == sp.Labels[i] {
			j++
		}
		b = binary.AppendVarint(b, int64(sp.Labels[i]-last))
		b = binary.AppendUvarint(b, uint64(j-i))
		last, i = sp.Labels[i], j
	}
	return b
}

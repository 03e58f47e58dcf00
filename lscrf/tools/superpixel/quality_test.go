package superpixel

import "hdseg/manifests/raster"

// Oracle counts the pixels that are right when every superpixel gets its majority label,
// and the pixels that are not void: right/seen is the best accuracy that any labeling of
// whole superpixels reaches (achievable segmentation accuracy, ASA).
func Oracle(sp *Map, m *raster.Mask) (right, seen int) {
	labels := Majority(sp, m)
	for i, l := range sp.Labels {
		if v := m.Pix[i]; v != raster.Void {
			seen++
			if v == labels[l] {
				right++
			}
		}
	}
	return right, seen
}

// Recall counts the mask's border pixels that have a superpixel border within radius
// pixels in both x and y, and all the mask's border pixels: near/border is boundary
// recall. A border pixel is one whose right or lower neighbour has another value; pairs
// in which one is void do not count.
func Recall(sp *Map, m *raster.Mask, radius int) (near, border int) {
	checkMask(sp, m.Width, m.Height, len(m.Pix))
	w, h := sp.Width, sp.Height
	// cuts[y*w+x]: some superpixel border in the columns x-radius..x+radius of row y.
	cuts := make([]bool, w*h)
	differ := func(x, y int) bool {
		i := y*w + x
		return x+1 < w && sp.Labels[i] != sp.Labels[i+1] || y+1 < h && sp.Labels[i] != sp.Labels[i+w]
	}
	for y := range h {
		for x := range w {
			if differ(x, y) {
				for u := max(0, x-radius); u <= min(w-1, x+radius); u++ {
					cuts[y*w+u] = true
				}
			}
		}
	}
	other := func(a, b uint8) bool { return a != b && a != raster.Void && b != raster.Void }
	for y := range h {
		for x := range w {
			i := y*w + x
			if !(x+1 < w && other(m.Pix[i], m.Pix[i+1]) || y+1 < h && other(m.Pix[i], m.Pix[i+w])) {
				continue
			}
			border++
			for v := max(0, y-radius); v <= min(h-1, y+radius); v++ {
				if cuts[v*w+x] {
					near++
					break
				}
			}
		}
	}
	return near, border
}

package boost

import (
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// Real pairs: superpixels of the VOC 2012 images with a manual mask of a horse or a dog.

// A world is a set of graphs side by side.
type world struct {
	n     int
	x     []float32 // n x feature.DraftDim
	label []uint8   // per node: raster.Ground, Figure or Void
	image []int     // per node
	edges [][2]int32
}

// add appends another world's nodes and edges.
func (w *world) add(o *world) {
	for _, e := range o.edges {
		w.edges = append(w.edges, [2]int32{e[0] + int32(w.n), e[1] + int32(w.n)})
	}
	w.n += o.n
	w.x, w.label, w.image = append(w.x, o.x...), append(w.label, o.label...), append(w.image, o.image...)
}

// realWorlds returns a training and a test world without images in common (every sixth is for testing), with
// edges between labeled nodes in both directions; every copy segments the training images in another way.
func realWorlds(t testing.TB, copies int) (train, test *world) {
	any := func(int, bool) bool { return true }
	train, test = &world{}, &world{}
	for i, p := range peer.VOC(t, any, peer.Dog, peer.Horse) {
		if i%6 == 0 {
			test.add(oneWorld(p, i, 0))
			continue
		}
		for c := range copies {
			train.add(oneWorld(p, i, c))
		}
	}
	return train, test
}

// oneWorld segments one image; odd copies mirror it and later ones vary the superpixels.
func oneWorld(p peer.Picture, index, copy int) *world {
	img, mask := p.Image, p.Mask
	if copy%2 == 1 {
		img, mask = img.Mirror(), mask.Mirror()
	}
	o := superpixel.Defaults()
	o.Count += 60 * (copy / 2)
	sp := superpixel.SLIC(img, o)
	w := &world{n: sp.N, x: feature.Extract(img, sp, feature.Defaults()), label: superpixel.Majority(sp, mask)}
	for range sp.N {
		w.image = append(w.image, index)
	}
	for _, e := range sp.Edges() {
		if w.label[e[0]] != raster.Void && w.label[e[1]] != raster.Void {
			w.edges = append(w.edges, e, [2]int32{e[1], e[0]})
		}
	}
	return w
}

// targets returns four outputs per edge, label pairs 00, 01, 10, 11 in this order.
func (w *world) targets() []float32 {
	y := make([]float32, 4*len(w.edges))
	for i, e := range w.edges {
		y[4*i+int(2*w.label[e[0]]+w.label[e[1]])] = 1
	}
	return y
}

// output takes one of several outputs.
func output(y []float32, outputs, k int) []float32 {
	out := make([]float32, len(y)/outputs)
	for i := range out {
		out[i] = y[i*outputs+k]
	}
	return out
}

// first keeps the first n edges and the nodes up to the last of them.
func (w *world) first(n int) {
	w.edges = w.edges[:min(n, len(w.edges))]
	last := int32(0)
	for _, e := range w.edges {
		last = max(last, e[0], e[1])
	}
	w.n = int(last) + 1
	w.x, w.label, w.image = w.x[:w.n*feature.DraftDim], w.label[:w.n], w.image[:w.n]
}

// build returns the pair rows that the design stands for.
func (w *world) build() []float32 {
	const dim = feature.DraftDim
	x := make([]float32, 0, len(w.edges)*2*dim)
	for _, e := range w.edges {
		x = append(append(x, w.x[int(e[0])*dim:][:dim]...), w.x[int(e[1])*dim:][:dim]...)
	}
	return x
}

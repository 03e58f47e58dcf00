package boost

import (
	"bytes"
	"image"
	_ "image/png" // masks
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hdseg/ingest/raster"
	"hdseg/lscrf/feature"
	"hdseg/lscrf/superpixel"
)

// Real pairs: superpixels of the VOC 2012 images with a manual mask of a horse or a dog.

// dataDir returns the folder of the shared real data, or skips.
func dataDir(t testing.TB) string {
	t.Helper()
	if os.Getenv("HDSEG_REAL") != "1" {
		t.Skip("takes minutes: runs when HDSEG_REAL=1 is set")
	}
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "VOCdevkit")); err != nil {
		t.Skipf("needs the shared real data in $HDSEG_DATA or beside the repository: %v", err)
	}
	return dir
}

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

// realWorlds returns a training and a test world without images in common, with edges
// between labeled nodes in both directions; every copy segments the images in another way.
func realWorlds(t testing.TB, copies int) (train, test *world) {
	dir := dataDir(t)
	voc := filepath.Join(dir, "VOCdevkit", "VOC2012")
	masks, err := filepath.Glob(filepath.Join(voc, "SegmentationClass", "*.png"))
	if err != nil || len(masks) == 0 {
		t.Fatalf("no masks in %s: %v", voc, err)
	}
	slices.Sort(masks)
	parts := make([][]*world, len(masks))
	var wg sync.WaitGroup
	gate := make(chan struct{}, 2)
	for i, m := range masks {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			id := strings.TrimSuffix(filepath.Base(m), ".png")
			img, mask := readVOC(t, filepath.Join(voc, "JPEGImages", id+".jpg"), m)
			if img == nil {
				return
			}
			for c := range copies {
				if i%6 == 0 && c > 0 {
					break // test images are not copied
				}
				parts[i] = append(parts[i], oneWorld(img, mask, i, c))
			}
		})
	}
	wg.Wait()
	train, test = &world{}, &world{}
	for c := range copies {
		for i, p := range parts {
			if c >= len(p) {
				continue
			}
			if i%6 == 0 {
				test.add(p[c])
			} else {
				train.add(p[c])
			}
		}
	}
	return train, test
}

// readVOC reads an image and the figure of horses and dogs in its mask.
func readVOC(t testing.TB, jpg, png string) (*raster.RGB, *raster.Mask) {
	data, err := os.ReadFile(jpg)
	if err != nil {
		t.Errorf("%v", err)
		return nil, nil
	}
	img, _, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil {
		t.Errorf("%s: %v", jpg, err)
		return nil, nil
	}
	if data, err = os.ReadFile(png); err != nil {
		t.Errorf("%v", err)
		return nil, nil
	}
	pic, _, err := image.Decode(bytes.NewReader(data))
	pal, ok := pic.(*image.Paletted)
	if err != nil || !ok {
		t.Errorf("%s: not a palette image: %v", png, err)
		return nil, nil
	}
	mask := raster.NewMask(img.Width, img.Height)
	for i, v := range pal.Pix {
		switch v {
		case 12, 13: // dog, horse
			mask.Pix[i] = raster.Figure
		case 255:
			mask.Pix[i] = raster.Void
		}
	}
	return img, mask
}

// oneWorld segments one image; odd copies mirror it and later ones vary the superpixels.
func oneWorld(img *raster.RGB, mask *raster.Mask, index, copy int) *world {
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

package cut

import (
	"fmt"
	"math"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// A Labeling is what a model says of a picture's superpixels.
type Labeling struct {
	Map    *superpixel.Map
	Figure []float64 // probability of figure, 0 to 1, per superpixel
	Labels []uint8   // best labeling as a whole, Ground or Figure per superpixel
	// Cells are log odds of figure in the cells of a network's array, in a channel; nil without one.
	Cells *feature.Array
}

// What Regions goes by, chosen by cross-validation on VOC (lscrf/RESULTS.md, and for Cells
// lscrf/NETWORKS.md).
const (
	labelOdds    = 3 // added to a superpixel's log odds for its label
	regionGamma  = 30
	regionPrior  = 1
	regionColor  = 1
	cellGamma    = 8         // with Cells: thin parts are kept
	cellWeight   = 5         // of their odds
	speckShare   = 8         // a mean superpixel has the pixels of so many specks
	regionPixels = 1_000_000 // size of picture above which it is cut shrunk: 60 MB
)

// Regions returns the mask of a picture, of Ground and Figure, that ends at the picture's own edges
// instead of those of superpixels. It is what Segment makes, with all pixels free, of the prior
//
//	log odds of pixel i = log(p/(1-p)) + labelOdds for figure, - labelOdds for ground
//
// of the superpixel with i, without specks: 4-connected pieces of either label that are smaller
// than an eighth of the mean superpixel. With Cells the prior is cellWeight times their odds alone,
// interpolated at i, and it is smoothed less. A picture of more than a
// million pixels is cut at that size, and the mask magnified. Where the prior starts no figure, or
// no ground, the mask has none either. A labeling of another picture panics.
func Regions(im *raster.RGB, l Labeling) *raster.Mask {
	if m := l.Map; m.Width != im.Width || m.Height != im.Height || len(l.Figure) != m.N || len(l.Labels) != m.N {
		panic(fmt.Sprintf("cut: picture of %d x %d with %d probabilities and %d labels for %d superpixels of %d x %d", im.Width,
			im.Height, len(l.Figure), len(l.Labels), m.N, m.Width, m.Height))
	}
	prior := make([]float64, l.Map.N)
	for i, p := range l.Figure {
		p = math.Min(math.Max(p, epsilon), 1-epsilon)
		prior[i] = arith.Log(p/(1-p)) - labelOdds
		if l.Labels[i] == raster.Figure {
			prior[i] += 2 * labelOdds
		}
	}
	small := raster.Shrink(im, regionPixels)
	free := raster.NewMask(small.Width, small.Height)
	soft := make([]float32, len(free.Pix))
	o := Defaults()
	o.Gamma, o.PriorWeight, o.ColorWeight = regionGamma, regionPrior, regionColor
	if l.Cells != nil {
		soft = l.Cells.Resize(small.Height, small.Width).Values
		o = o.Surer()
		o.Gamma = cellGamma
	}
	for y := range small.Height {
		row := l.Map.Labels[(2*y+1)*im.Height/(2*small.Height)*im.Width:]
		for x := range small.Width {
			i := y*small.Width + x
			odds := cellWeight * float64(soft[i])
			if l.Cells == nil {
				odds = prior[row[(2*x+1)*im.Width/(2*small.Width)]]
			}
			soft[i] = float32(1 / (1 + arith.Exp(-odds)))
			free.Pix[i] = raster.Void
		}
	}
	mask := Segment(small, soft, free, o).Mask
	clearSpecks(mask, len(mask.Pix)/(speckShare*l.Map.N))
	if small != im {
		mask = raster.ResizeNearest(mask, im.Width, im.Height)
	}
	return mask
}

// clearSpecks gives the other label to all pieces of figure that have fewer pixels than least, and
// then to those of ground.
func clearSpecks(m *raster.Mask, least int) {
	pieces := &superpixel.Map{Labels: make([]int32, len(m.Pix))}
	for _, label := range []uint8{raster.Figure, raster.Ground} {
		for i, v := range m.Pix {
			pieces.Labels[i] = int32(v)
		}
		pieces.N = superpixel.Components(pieces.Labels, m.Width, m.Height)
		sizes := pieces.Sizes()
		for i, id := range pieces.Labels {
			if m.Pix[i] == label && int(sizes[id]) < least {
				m.Pix[i] = raster.Ground + raster.Figure - label
			}
		}
	}
}

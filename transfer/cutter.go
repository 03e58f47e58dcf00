package transfer

import (
	"image"

	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// A Cutter cuts out the figure that a person points at, by what transfer learns from manual masks.
// It is only read. The nil Cutter goes by the picture's colors alone.
type Cutter struct {
	scenes *expert // of whole pictures; its second is one of boxes
}

// A Pointing is what a person says of a picture's figure. All is in its pixels.
type Pointing struct {
	Boxes  []image.Rectangle // the figure lies in these; none: anywhere
	Clicks []image.Point     // on objects; what grows from them if there is no box
	Marks  *raster.Mask      // Ground and Figure are sure, Void is open; nil for none
	Dense  *feature.Array    // of a network, if the cutter learned with arrays
	// the mask to correct: it changes only around marks that it contradicts; nil to cut anew
	Was *raster.Mask
}

// cutPixels is the size above which a cut runs on a shrunk picture: so many take about half a
// second.
const cutPixels = 500_000

// markPx is the radius of what a click marks as figure.
const markPx = 3

// Cut returns the best cut that a person can mean. exclude (may be nil) names the records that must
// not vote, as the picture's own.
func (c *Cutter) Cut(im *raster.RGB, p Pointing, exclude func(id string) bool) *raster.Mask {
	if small := raster.Shrink(im, cutPixels); small != im {
		return raster.ResizeNearest(c.Cut(small, p.shrunk(im, small), exclude), im.Width, im.Height)
	}
	marks := p.marks(im)
	soft, fixed, energy := c.believe(c.see(im, p.Dense), p, exclude)
	if p.Was != nil {
		return correct(im, soft, p.Was, marks, energy)
	}
	for i, v := range marks.Pix {
		if v != raster.Void {
			fixed.Pix[i] = v
		}
	}
	return cut.Segment(im, soft, fixed, energy).Mask
}

// see returns a picture as the class models see it.
func (c *Cutter) see(im *raster.RGB, array *feature.Array) picture {
	if c == nil {
		return picture{RGB: im}
	}
	return picture{im, array}.seenBy(c.scenes.head)
}

// Array returns what Pointing.Dense wants for a record and its picture, nil if the cutter learned
// without arrays.
func (c *Cutter) Array(r *manifests.Record, im *raster.RGB) (*feature.Array, error) {
	if c == nil {
		return nil, nil
	}
	return dense.Read(c.scenes.o.Dense, r.ID, im)
}

// shrunk returns the pointing for a smaller copy of the picture.
func (p Pointing) shrunk(im, small *raster.RGB) Pointing {
	at := func(q image.Point) image.Point {
		return image.Pt(q.X*small.Width/im.Width, q.Y*small.Height/im.Height)
	}
	out := Pointing{Dense: p.Dense}
	for _, b := range p.Boxes {
		r := image.Rectangle{at(b.Min), at(b.Max)}
		r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X+1), max(r.Max.Y, r.Min.Y+1)
		out.Boxes = append(out.Boxes, r)
	}
	for _, q := range p.Clicks {
		out.Clicks = append(out.Clicks, at(q))
	}
	if p.Was != nil {
		out.Was = raster.ResizeNearest(p.Was, small.Width, small.Height)
	}
	if p.Marks != nil { // every marked pixel marks the one that it lies in
		out.Marks = open(small)
		for i, v := range p.Marks.Pix {
			if v != raster.Void {
				q := at(image.Pt(i%im.Width, i/im.Width))
				out.Marks.Set(q.X, q.Y, v)
			}
		}
	}
	return out
}

// open returns a mask of a picture that is void everywhere.
func open(im *raster.RGB) *raster.Mask {
	m := raster.NewMask(im.Width, im.Height)
	for i := range m.Pix {
		m.Pix[i] = raster.Void
	}
	return m
}

// marks returns what is sure: the marks, and a disc around each click, as far as they leave it
// open.
func (p Pointing) marks(im *raster.RGB) *raster.Mask {
	out := open(im)
	for _, c := range p.Clicks {
		for y := max(0, c.Y-markPx); y <= min(im.Height-1, c.Y+markPx); y++ {
			for x := max(0, c.X-markPx); x <= min(im.Width-1, c.X+markPx); x++ {
				if (x-c.X)*(x-c.X)+(y-c.Y)*(y-c.Y) <= markPx*markPx {
					out.Set(x, y, raster.Figure)
				}
			}
		}
	}
	if p.Marks != nil {
		for i, v := range p.Marks.Pix {
			if v != raster.Void {
				out.Pix[i] = v
			}
		}
	}
	return out
}

// believe returns the probability of figure without the marks, the pixels that may be figure
// (Void), and the energy of the cut.
func (c *Cutter) believe(im picture, p Pointing, exclude func(id string) bool) ([]float32, *raster.Mask, cut.Options) {
	soft := make([]float32, im.Width*im.Height)
	all := image.Rect(0, 0, im.Width, im.Height)
	switch {
	case c == nil && len(p.Boxes) == 0:
		p.Boxes = []image.Rectangle{all}
		fallthrough
	case c == nil:
		fixed := raster.NewMask(im.Width, im.Height)
		for _, b := range p.Boxes {
			g := guess{box: b, soft: middle(b)}
			g.spread(soft, fixed)
		}
		return soft, fixed, cut.Defaults()
	case len(p.Boxes) > 0:
		fixed := raster.NewMask(im.Width, im.Height)
		for _, g := range c.scenes.second.guess(im, p.Boxes, exclude) {
			g.spread(soft, fixed)
		}
		return soft, fixed, c.scenes.o.energyOf(manifests.BBox)
	}
	scene := c.scenes.guess(im, []image.Rectangle{all}, exclude)[0]
	if len(p.Clicks) == 0 || c.scenes.clicks == nil {
		return lean(scene.soft, border(scene.soft, open(im.RGB))), open(im.RGB), c.scenes.o.energyOf(manifests.Label)
	}
	for _, at := range p.Clicks {
		for i, v := range c.pointed(im, scene, at) {
			soft[i] = max(soft[i], v)
		}
	}
	energy := c.scenes.o.energyOf(manifests.Label)
	energy.ColorWeight = clickColor
	return soft, open(im.RGB), energy
}

// clickColor is the weight of the colors where a click is cut, chosen by cross-validation on the
// training masks of both classes.
const clickColor = 0.75

// pointed returns the probability of figure of whole pictures with a click on an object.
func (c *Cutter) pointed(im picture, scene guess, at image.Point) []float32 {
	w := window(im, scene.box, scene.prior)
	w.Click = at
	soft := c.scenes.clicks.Judge(w)
	return lean(soft, border(soft, open(im.RGB)))
}

// Probabilities of figure in the middle and at the border of a box, before colors are known (ours).
const (
	priorMiddle = 0.85
	priorEdge   = 0.35
)

// middle returns probabilities that fall from the middle of a box to its border.
func middle(box image.Rectangle) []float32 {
	out := make([]float32, 0, box.Dx()*box.Dy())
	for y := range box.Dy() {
		for x := range box.Dx() {
			dx, dy := float32(2*x-box.Dx())/float32(box.Dx()), float32(2*y-box.Dy())/float32(box.Dy())
			out = append(out, priorMiddle-float32((priorMiddle-priorEdge)*min(1, max(dx*dx, dy*dy))))
		}
	}
	return out
}

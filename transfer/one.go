package transfer

import (
	"fmt"
	"image"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
)

// A draft is what transfer makes of one image.
type draft struct {
	mask    *raster.Mask
	status  string
	quality float64
	signs   []float64 // what quality is predicted from
	voters  []pool.Voter
}

// windowsOf returns where the figure is looked for: the record's boxes clipped to the image, or the
// whole image.
func windowsOf(r *manifests.Record) ([]image.Rectangle, error) {
	w, h := r.Image.Width, r.Image.Height
	if r.Tier != manifests.BBox {
		return []image.Rectangle{image.Rect(0, 0, w, h)}, nil
	}
	var out []image.Rectangle
	for _, b := range r.Boxes {
		if c := b.Clip(w, h); !c.Empty() {
			out = append(out, image.Rect(c.XMin, c.YMin, c.XMax, c.YMax))
		}
	}
	if len(out) == 0 {
		return nil, &skipError{SkipNoBox, fmt.Errorf("transfer: %s: boxes: got none with a pixel in the image of %d x %d, want "+
			"one", r.ID, w, h)}
	}
	return out, nil
}

// A guess is what is known of one window before the cut.
type guess struct {
	box   image.Rectangle
	prior pool.Prior
	soft  []float32 // probability of figure, box.Dy() rows of box.Dx()
}

// guess asks the pool and the class model about windows.
func (e *expert) guess(im picture, windows []image.Rectangle, exclude func(id string) bool) []guess {
	var out []guess
	for _, r := range windows {
		g := guess{box: r, prior: e.ridge.Vote(pool.Describe(im.RGB, r), exclude)}
		if e.model != nil {
			g.soft = e.model.Judge(window(im, r, g.prior))
		} else {
			g.soft = raster.ResizeField(g.prior.Soft, pool.MaskSide, pool.MaskSide, r.Dx(), r.Dy())
		}
		out = append(out, g)
	}
	return out
}

// segment reads and segments a record's picture, without what its own mask would say. ms is the
// processor time, that of a built-in network too, but not that of reading.
func (e *expert) segment(store *manifests.Store, r *manifests.Record) (p draft, ms float64, err error) {
	windows, err := windowsOf(r)
	if err != nil {
		return p, 0, err
	}
	im, err := loadImage(store, r)
	if err != nil {
		return p, 0, err
	}
	clock := startCPU()
	defer func() { ms = clock.stop() }()
	seen, err := e.o.see(r, im)
	if err != nil {
		return p, 0, err
	}
	return e.propose(seen.seenBy(e.head), windows, func(id string) bool { return id == r.ID }), 0, nil
}

// propose segments one picture given the windows in which its figures lie.
func (e *expert) propose(im picture, windows []image.Rectangle, exclude func(id string) bool) draft {
	soft := make([]float32, im.Width*im.Height)
	fixed := raster.NewMask(im.Width, im.Height)
	guesses := e.guess(im, windows, exclude)
	votes := map[string]float64{}
	for i := range guesses {
		guesses[i].spread(soft, fixed)
		for _, v := range guesses[i].prior.Voters {
			votes[v.ID] += v.Weight / float64(len(windows))
		}
	}
	belief := soft
	if e.tier == manifests.Label {
		belief = lean(soft, border(soft, fixed))
	}
	res := cut.Segment(im.RGB, belief, fixed, e.o.energyOf(e.tier))
	out := draft{mask: res.Mask, status: res.Status, signs: signs(im.RGB, soft, fixed, &res, guesses)}
	if e.second != nil {
		out.signs[secondSure] = e.second.sureOf(im, res.Mask, exclude)
	}
	switch {
	case out.status != "":
	case flat(im.RGB, windows): // what comes out is the prior's doing alone
		out.status = cut.StatusNoContrast
	case len(votes) == 0: // or the picture's
		out.status = cut.StatusNoPrior
	}
	if e.grader != nil {
		out.quality = e.grader.predict(out.signs)
	}
	if out.status != "" {
		out.quality = min(out.quality, leastQuality)
	}
	for id, w := range votes {
		out.voters = append(out.voters, pool.Voter{ID: id, Weight: w})
	}
	pool.SortVoters(out.voters)
	return out
}

// flat tells whether no window shows an edge that a figure could end at.
func flat(im *raster.RGB, windows []image.Rectangle) bool {
	return !slices.ContainsFunc(windows, func(r image.Rectangle) bool { return !cut.Flat(im, r) })
}

// spread writes a window's soft mask into the picture's, the larger value winning where windows
// overlap, and frees its pixels.
func (g *guess) spread(soft []float32, fixed *raster.Mask) {
	r := g.box
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := g.soft[(y-r.Min.Y)*r.Dx():][:r.Dx()]
		for x, v := range from {
			i := y*fixed.Width + r.Min.X + x
			soft[i] = max(soft[i], v)
			fixed.Pix[i] = raster.Void
		}
	}
}

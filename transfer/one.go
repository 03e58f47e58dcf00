package transfer

import (
	"fmt"
	"image"

	"hdseg/ingest/raster"
	"hdseg/manifests"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
)

// A proposal is what transfer makes of one image.
type proposal struct {
	mask    *raster.Mask
	status  string
	quality float64
	voters  []pool.Voter
}

// windowsOf returns where the figure is looked for: the record's boxes clipped to the image, or the whole image.
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
		return nil, &skipError{SkipNoBox, fmt.Errorf("transfer: %s: boxes: got none with a pixel in the image of %d x %d, want one", r.ID, w, h)}
	}
	return out, nil
}

// propose segments one picture given the windows in which its figures lie.
func propose(im *raster.RGB, windows []image.Rectangle, p *pool.Pool, exclude func(id string) bool, o Options) proposal {
	soft := make([]float32, im.Width*im.Height)
	fixed := raster.NewMask(im.Width, im.Height)
	var queries []float32
	for _, r := range windows {
		queries = append(queries, p.Describe(im, r)...)
	}
	votes := map[string]float64{}
	for i, near := range p.Nearest(queries, o.Pool.Neighbors, exclude) {
		prior := p.Vote(near)
		spread(prior, windows[i], soft, fixed)
		for _, v := range prior.Voters {
			votes[v.ID] += v.Weight / float64(len(windows))
		}
	}
	res := cut.Segment(im, soft, fixed, o.Cut)
	out := proposal{mask: res.Mask, status: res.Status}
	for id, w := range votes {
		out.voters = append(out.voters, pool.Voter{ID: id, Weight: w})
	}
	pool.SortVoters(out.voters)
	return out
}

// spread writes a window's soft mask into the picture's, the larger value winning where windows overlap, and
// frees its pixels.
func spread(prior pool.Prior, r image.Rectangle, soft []float32, fixed *raster.Mask) {
	field := raster.ResizeField(prior.Soft, prior.Size, prior.Size, r.Dx(), r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := field[(y-r.Min.Y)*r.Dx():][:r.Dx()]
		for x, v := range from {
			i := y*fixed.Width + r.Min.X + x
			soft[i] = max(soft[i], v)
			fixed.Pix[i] = raster.Void
		}
	}
}

package appearance

import (
	"fmt"
	"image"
	"math"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// A Window is a part of a picture with what the source pool says of it.
type Window struct {
	Image *raster.RGB
	Box   image.Rectangle // not empty, inside the picture
	Prior []float32       // [y*Size+x], probability of figure in the frame of the box
	Size  int             // side of Prior
	Cut   [4]bool         // which sides (left, top, right, bottom) lie on the picture's border
	Dense *feature.Array  // covers the picture, for models with Options.Channels
	// pixel inside Box that a person pointed at, for models with Options.Click
	Click image.Point
}

// A view is a window and its surroundings at the scale of the model, cut into superpixels.
type view struct {
	outer         image.Rectangle // part of the picture that is seen
	scale         float64         // scaled pixels per pixel
	im            *raster.RGB     // outer, scaled; nil once described for training
	sw, sh        int             // its sides
	sp            *superpixel.Map // of im
	x0, y0        float64         // the box's corner in im
	width, height float64         // the box's sides in im
	regions       []region
	edges         [][2]int32
	pairs         [2][]float32 // affinity, once computed
	clicked       int          // superpixel with the window's click, -1 without
}

// A region is a superpixel.
type region struct {
	area   float64 // pixels
	inside float64 // share of them in the box
	x, y   float64 // center, in the frame of the box: 0..1 inside
	lab    [3]float64
	spread [3]float64 // standard deviation of lab
	prior  float64    // mean of the prior; 0 outside the box
}

func newView(w Window, o Options) *view {
	if w.Box.Empty() || !w.Box.In(image.Rect(0, 0, w.Image.Width, w.Image.Height)) || len(w.Prior) != w.Size*w.Size {
		panic(fmt.Sprintf("appearance: box %v with a prior of %d values, want a box in the picture of %d x %d and %d values",
			w.Box, len(w.Prior), w.Image.Width, w.Image.Height, w.Size*w.Size))
	}
	v := &view{scale: math.Min(4, float64(o.Side)/math.Sqrt(float64(w.Box.Dx()*w.Box.Dy())))}
	mx, my := int(margin*float64(w.Box.Dx())), int(margin*float64(w.Box.Dy()))
	v.outer = image.Rect(w.Box.Min.X-mx, w.Box.Min.Y-my, w.Box.Max.X+mx,
		w.Box.Max.Y+my).Intersect(image.Rect(0, 0, w.Image.Width, w.Image.Height))
	sw, sh := max(1, int(math.Round(v.scale*float64(v.outer.Dx())))), max(1, int(math.Round(v.scale*float64(v.outer.Dy()))))
	v.im = raster.Resize(w.Image.Crop(v.outer.Min.X, v.outer.Min.Y, v.outer.Max.X, v.outer.Max.Y), sw, sh)
	v.sw, v.sh = sw, sh
	fx, fy := float64(sw)/float64(v.outer.Dx()), float64(sh)/float64(v.outer.Dy())
	v.x0, v.y0 = fx*float64(w.Box.Min.X-v.outer.Min.X), fy*float64(w.Box.Min.Y-v.outer.Min.Y)
	v.width, v.height = fx*float64(w.Box.Dx()), fy*float64(w.Box.Dy())

	so := superpixel.Defaults()
	so.Count = max(1, int(float64(sw*sh)/superpixelPx))
	v.sp = superpixel.Segment(v.im, so)
	v.edges = v.sp.Edges()
	v.clicked = -1
	if o.Click {
		v.clicked = int(v.sp.Labels[v.row(w.Click.Y)*sw+v.column(w.Click.X)])
	}
	v.measure(w)
	return v
}

// measure sums the superpixels' pixels.
func (v *view) measure(w Window) {
	v.regions = make([]region, v.sp.N)
	lab := raster.Lab(v.im)
	for y := range v.sh {
		fy := (float64(y) + 0.5 - v.y0) / v.height
		for x := range v.sw {
			fx := (float64(x) + 0.5 - v.x0) / v.width
			i := y*v.sw + x
			r := &v.regions[v.sp.Labels[i]]
			r.area++
			r.x += fx
			r.y += fy
			for c := range 3 {
				l := float64(lab[3*i+c])
				r.lab[c] += l
				r.spread[c] += float64(l * l)
			}
			if fx >= 0 && fx < 1 && fy >= 0 && fy < 1 {
				r.inside++
				r.prior += float64(w.Prior[int(fy*float64(w.Size))*w.Size+int(fx*float64(w.Size))])
			}
		}
	}
	for k := range v.regions {
		r := &v.regions[k]
		r.x /= r.area
		r.y /= r.area
		r.inside /= r.area
		r.prior /= r.area
		for c := range 3 {
			r.lab[c] /= r.area
			r.spread[c] = math.Sqrt(math.Max(0, r.spread[c]/r.area-float64(r.lab[c]*r.lab[c])))
		}
	}
}

// targets returns, per superpixel, the share of figure among its pixels in the box that the mask
// labels, and how many these are.
func (v *view) targets(w Window, m *raster.Mask) (share, seen []float32) {
	share, seen = make([]float32, v.sp.N), make([]float32, v.sp.N)
	for y := range v.sh {
		py := min(v.outer.Min.Y+y*v.outer.Dy()/v.sh, v.outer.Max.Y-1)
		for x := range v.sw {
			p := image.Pt(min(v.outer.Min.X+x*v.outer.Dx()/v.sw, v.outer.Max.X-1), py)
			if l := m.Pix[p.Y*m.Width+p.X]; p.In(w.Box) && l != raster.Void {
				k := v.sp.Labels[y*v.sw+x]
				seen[k]++
				share[k] += float32(l)
			}
		}
	}
	for k := range share {
		if seen[k] > 0 {
			share[k] /= seen[k]
		}
	}
	return share, seen
}

// paint returns values of superpixels in the frame of the box, width x height pixels.
func (v *view) paint(w Window, values []float32) []float32 {
	out := make([]float32, w.Box.Dx()*w.Box.Dy())
	for y := range w.Box.Dy() {
		row := v.sp.Labels[v.row(w.Box.Min.Y+y)*v.sw:]
		for x := range w.Box.Dx() {
			out[y*w.Box.Dx()+x] = values[row[v.column(w.Box.Min.X+x)]]
		}
	}
	return out
}

// row and column return where a pixel of the picture lies in im.
func (v *view) row(y int) int    { return min((y-v.outer.Min.Y)*v.sh/v.outer.Dy(), v.sh-1) }
func (v *view) column(x int) int { return min((x-v.outer.Min.X)*v.sw/v.outer.Dx(), v.sw-1) }

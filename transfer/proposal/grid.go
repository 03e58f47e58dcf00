package proposal

import (
	"image"
	"math"
	"slices"

	"hdseg/manifests/raster"
)

// zoom is the number of pixels along a cell's side in the scaled picture and map that the cells are measured on.
const zoom = 4

// A Scene is a picture cut into Grid x Grid cells with what is measured of each. It is only read once made.
type Scene struct {
	width, height int // of the picture
	grid          int
	channels      []integral // of the map
	lab           [3]integral
	edges         integral
	globals       []float32 // the same for all windows
}

// channels of the map: its values, whether they reach the border of the largest expected IoU and half as much again, and their squares.
const mapChannels = 4

// NewScene measures a picture and its map of figure probabilities, soft[y*Width+x]. border is the probability that best divides
// figure from ground, expected the IoU that this is expected to reach.
func NewScene(im *raster.RGB, soft []float32, border, expected float64, o Options) *Scene {
	s := &Scene{width: im.Width, height: im.Height, grid: o.Grid}
	n := o.Grid * zoom
	m := raster.ResizeField(soft, im.Width, im.Height, n, n)
	of := func(value func(i int) float64) integral { return newIntegral(o.Grid, value) }
	step := func(at float64) integral {
		return of(func(i int) float64 {
			if float64(m[i]) >= at {
				return 1
			}
			return 0
		})
	}
	s.channels = []integral{
		of(func(i int) float64 { return float64(m[i]) }), step(border), step(min(0.95, 1.5*border)),
		of(func(i int) float64 { return float64(m[i]) * float64(m[i]) }),
	}
	small := raster.Resize(im, n, n)
	lab := raster.Lab(small)
	for c := range s.lab {
		s.lab[c] = of(func(i int) float64 { return float64(lab[3*i+c]) })
	}
	s.edges = of(func(i int) float64 {
		x, y := i%n, i/n
		l := func(x, y int) float64 { return float64(lab[3*(min(max(y, 0), n-1)*n+min(max(x, 0), n-1))]) }
		return math.Hypot(l(x+1, y)-l(x-1, y), l(x, y+1)-l(x, y-1))
	})
	sorted := slices.Clone(m)
	slices.Sort(sorted)
	s.globals = []float32{float32(border), float32(expected), sorted[len(sorted)/2], sorted[len(sorted)*9/10], sorted[len(sorted)*49/50]}
	return s
}

// An integral holds at [y*(grid+1)+x] the mean-per-pixel sum of the cells above and left of grid line (x, y).
type integral struct {
	side int
	sum  []float64
}

func newIntegral(grid int, value func(i int) float64) integral {
	t := integral{grid + 1, make([]float64, (grid+1)*(grid+1))}
	n := grid * zoom
	for y := range grid {
		row := 0.0
		for x := range grid {
			for dy := range zoom {
				for dx := range zoom {
					row += value((y*zoom+dy)*n+x*zoom+dx) / (zoom * zoom)
				}
			}
			t.sum[(y+1)*t.side+x+1] = t.sum[y*t.side+x+1] + row
		}
	}
	return t
}

// in returns the sum over the cells of r.
func (t integral) in(r image.Rectangle) float64 {
	return t.sum[r.Max.Y*t.side+r.Max.X] - t.sum[r.Min.Y*t.side+r.Max.X] - t.sum[r.Max.Y*t.side+r.Min.X] + t.sum[r.Min.Y*t.side+r.Min.X]
}

// mean returns the mean over the cells of r, none if it is empty.
func (t integral) mean(r image.Rectangle, none float64) float64 {
	if r.Empty() {
		return none
	}
	return t.in(r) / area(r)
}

func area(r image.Rectangle) float64 { return float64(r.Dx() * r.Dy()) }

// windows returns all candidates in cells.
func windows(o Options) []image.Rectangle {
	var out []image.Rectangle
	for y0 := range o.Grid {
		for y1 := y0 + o.MinCells; y1 <= o.Grid; y1++ {
			for x0 := range o.Grid {
				for x1 := x0 + o.MinCells; x1 <= o.Grid; x1++ {
					out = append(out, image.Rect(x0, y0, x1, y1))
				}
			}
		}
	}
	return out
}

// inPixels returns a window of cells in the picture; it may be empty where a cell is less than a pixel.
func (s *Scene) inPixels(r image.Rectangle) image.Rectangle {
	at := func(c, size int) int { return (2*c*size + s.grid) / (2 * s.grid) }
	return image.Rect(at(r.Min.X, s.width), at(r.Min.Y, s.height), at(r.Max.X, s.width), at(r.Max.Y, s.height))
}

// overlap returns the intersection over union of two windows.
func overlap(a, b image.Rectangle) float64 {
	i := a.Intersect(b)
	if i.Empty() {
		return 0
	}
	return area(i) / (area(a) + area(b) - area(i))
}

package superpixel

import (
	"math"

	"hdseg/manifests/raster"
)

// A center is the mean of a cluster's pixels.
type center struct{ l, a, b, x, y float32 }

// kmeans assigns every pixel to one of about count clusters; clusters need not be
// connected. step is the side of a grid cell in pixels.
func kmeans(p *planes, count int, o Options) (labels []int32, step float64) {
	w, h := p.w, p.h
	nx, ny := grid(w, h, count)
	step = math.Sqrt(float64(w) * float64(h) / float64(nx*ny))
	cs := seeds(p, nx, ny)
	labels = make([]int32, w*h)
	for y := range h {
		row := labels[y*w : (y+1)*w]
		base := int32(y * ny / h * nx)
		for x := range row {
			row[x] = base + int32(x*nx/w)
		}
	}
	best := make([]float32, w*h)
	win := newWindow(p, best, labels, step, float32(o.Compactness*o.Compactness/(step*step)))
	sums := make([]sum, len(cs))
	for k := range o.iterations {
		if k > 0 {
			recenter(p, labels, cs, sums)
		}
		for i := range best {
			best[i] = math.MaxFloat32
		}
		for id := range cs {
			win.assign(&cs[id], int32(id))
		}
	}
	return labels, step
}

// grid returns the columns and rows of about count cells that are as square as possible,
// at most one per pixel column and row.
func grid(w, h, count int) (nx, ny int) {
	step := math.Sqrt(float64(w) * float64(h) / float64(count))
	nx = min(w, max(1, int(math.Round(float64(w)/step))))
	ny = min(h, max(1, int(math.Round(float64(h)/step))))
	return nx, ny
}

// seeds puts a center on the flattest of the 3 x 3 pixels in the middle of every grid cell, away
// from edges and noise; the first in scan order wins a tie, but the middle wins any.
func seeds(p *planes, nx, ny int) []center {
	w, h := p.w, p.h
	cs := make([]center, nx*ny)
	for j := range ny {
		for i := range nx {
			x, y := (2*i+1)*w/(2*nx), (2*j+1)*h/(2*ny)
			bx, by, least := x, y, p.gradient(x, y)
			for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, w-1); u++ {
					if g := p.gradient(u, v); g < least {
						bx, by, least = u, v, g
					}
				}
			}
			q := by*w + bx
			cs[j*nx+i] = center{p.l[q], p.a[q], p.b[q], float32(bx), float32(by)}
		}
	}
	return cs
}

// gradient returns the squared colour difference between the horizontal neighbours of a pixel plus
// that between the vertical ones.
func (p *planes) gradient(x, y int) float32 {
	x0, x1 := y*p.w+max(x-1, 0), y*p.w+min(x+1, p.w-1)
	y0, y1 := max(y-1, 0)*p.w+x, min(y+1, p.h-1)*p.w+x
	return p.distance(x0, x1) + p.distance(y0, y1)
}

func (p *planes) distance(i, j int) float32 {
	l, a, b := p.l[i]-p.l[j], p.a[i]-p.a[j], p.b[i]-p.b[j]
	return float32(l*l) + float32(a*a) + float32(b*b)
}

// A sum adds up pixels.
type sum struct{ l, a, b, x, y, n float64 }

func (s *sum) mean() center {
	f := 1 / s.n
	return center{float32(s.l * f), float32(s.a * f), float32(s.b * f), float32(s.x * f), float32(s.y * f)}
}

// recenter moves every center to the mean of its pixels; one without pixels stays.
func recenter(p *planes, labels []int32, cs []center, sums []sum) {
	clear(sums)
	sumLabels(p, labels, sums)
	for id := range sums {
		if s := &sums[id]; s.n > 0 {
			cs[id] = s.mean()
		}
	}
}

// sumLabels adds every pixel to the sum of its label, a run of equal labels at a time.
func sumLabels(p *planes, labels []int32, sums []sum) {
	w := p.w
	for y := range p.h {
		row := labels[y*w : (y+1)*w]
		pl, pa, pb := p.l[y*w:(y+1)*w], p.a[y*w:(y+1)*w], p.b[y*w:(y+1)*w]
		pl, pa, pb = pl[:len(row)], pa[:len(row)], pb[:len(row)]
		for x := 0; x < len(row); {
			id, x0 := row[x], x
			var l, a, b float32
			for ; x < len(row) && row[x] == id; x++ {
				l += pl[x]
				a += pa[x]
				b += pb[x]
			}
			s, n := &sums[id], float64(x-x0)
			s.l += float64(l)
			s.a += float64(a)
			s.b += float64(b)
			s.x += float64(n * float64(x0+x-1) / 2)
			s.y += float64(n * float64(y))
			s.n += n
		}
	}
}

// planes is a picture in CIELAB, one plane per channel, index y*w+x.
type planes struct {
	l, a, b []float32
	w, h    int
}

// newPlanes converts a picture.
func newPlanes(img *raster.RGB) *planes {
	w, h := img.Width, img.Height
	n := w * h
	all := make([]float32, 3*n)
	p := &planes{all[:n:n], all[n : 2*n : 2*n], all[2*n:], w, h}
	row := make([]float32, 3*w)
	for y := range h {
		raster.LabTo(row, img.Pix[3*y*w:3*(y+1)*w])
		l, a, b := p.l[y*w:(y+1)*w], p.a[y*w:(y+1)*w], p.b[y*w:(y+1)*w]
		for x := range l {
			q := row[3*x : 3*x+3 : 3*x+3]
			l[x], a[x], b[x] = q[0], q[1], q[2]
		}
	}
	return p
}

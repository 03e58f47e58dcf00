package superpixel

import "hdseg/manifests/raster"

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

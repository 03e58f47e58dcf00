package format

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hdseg/manifests/raster"
)

// walkedMask is the rule of maskApi.c taken literally: walk all of the border, look at every step, sort the changes.
func walkedMask(p []float64, height, width int) *raster.Mask {
	n := len(p) / 2
	var xs, ys []int
	for i := range n {
		j := (i + 1) % n
		x0, y0 := int(float64(5*p[2*i])+.5), int(float64(5*p[2*i+1])+.5)
		x1, y1 := int(float64(5*p[2*j])+.5), int(float64(5*p[2*j+1])+.5)
		dx, dy := max(x1-x0, x0-x1), max(y1-y0, y0-y1)
		flip := dx >= dy && x0 > x1 || dx < dy && y0 > y1
		if flip {
			x0, y0, x1, y1 = x1, y1, x0, y0
		}
		for d := range max(dx, dy) + 1 {
			t := d
			if flip {
				t = max(dx, dy) - d
			}
			switch {
			case dx == 0 && dy == 0:
				xs, ys = append(xs, x0), append(ys, y0)
			case dx >= dy:
				s := float64(y1-y0) / float64(dx)
				xs, ys = append(xs, x0+t), append(ys, int(float64(float64(y0)+float64(s*float64(t)))+.5))
			default:
				s := float64(x1-x0) / float64(dy)
				ys, xs = append(ys, y0+t), append(xs, int(float64(float64(x0)+float64(s*float64(t)))+.5))
			}
		}
	}
	odd := make([]bool, height*width+1)
	for j := 1; j < len(xs); j++ {
		if xs[j] == xs[j-1] {
			continue
		}
		xd := float64(xs[j])
		if xs[j] > xs[j-1] {
			xd--
		}
		xd = (xd+.5)/5 - .5
		if math.Floor(xd) != xd || xd < 0 || xd > float64(width-1) {
			continue
		}
		yd := math.Ceil(min(max((float64(min(ys[j], ys[j-1]))+.5)/5-.5, 0), float64(height)))
		at := int(xd)*height + int(yd)
		odd[at] = !odd[at]
	}
	m := raster.NewMask(width, height)
	figure := false
	for i := range height * width {
		if figure = figure != odd[i]; figure {
			m.Pix[i%height*width+i/height] = raster.Figure
		}
	}
	return m
}

// Every way to lie across, beside, above and below the picture gives the pixels of the walk, and the union is that of the pixels.
func TestPolygonsAgainstWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height, width := rapid.IntRange(1, 12).Draw(t, "height"), rapid.IntRange(1, 12).Draw(t, "width")
		coordinate := rapid.OneOf(
			rapid.Float64Range(-2, 14),
			rapid.Float64Range(-300, 300),
			rapid.Map(rapid.IntRange(-80, 160), func(i int) float64 { return float64(i) / 10 }), // on the grid and half way
		)
		var polygons [][]float64
		want := raster.NewMask(width, height)
		for range rapid.IntRange(1, 3).Draw(t, "polygons") {
			n := rapid.IntRange(1, 8).Draw(t, "points")
			p := rapid.SliceOfN(coordinate, 2*n, 2*n).Draw(t, "p")
			polygons = append(polygons, p)
			for i, v := range walkedMask(p, height, width).Pix {
				want.Pix[i] |= v
			}
		}
		m, err := FillPolygons(polygons, height, width)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Pix, want.Pix) {
			t.Fatalf("%d x %d %v: got %v, want %v", width, height, polygons, m.Pix, want.Pix)
		}
	})
}

// A border of 60,000 points that runs from one end of the world to the other and passes the picture on every side: the walk would take
// 10^13 steps. Only two edges cross the picture: what lies right of x = 3 in rows 2 to 5 is figure.
func TestPolygonFarOutside(t *testing.T) {
	const far = 2e8
	p := []float64{3, 2, far, 2}
	for i := range 20_000 {
		y := -far + float64(i)
		p = append(p, far, y, far, -y, far, y)
	}
	p = append(p, far, 6, 3, 6)
	runs := func(p []float64) []int {
		m, err := FillPolygons([][]float64{p}, 8, 5)
		if err != nil {
			t.Fatal(err)
		}
		return RLEOf(m, raster.Figure).Counts
	}
	if got, want := runs(p), []int{26, 4, 4, 4, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Above and below, over all columns, there and back: nothing. Around the whole picture: all of it.
	p = nil
	for range 20_000 {
		p = append(p, -far, -9, far, -9, far, 99, -far, 99)
	}
	if got := runs(p); !slices.Equal(got, []int{40}) {
		t.Errorf("20,000 times around, which is an even number: got %v", got)
	}
	if got := runs(p[:8]); !slices.Equal(got, []int{0, 40}) {
		t.Errorf("once around: got %v", got)
	}
}

// The sets of columns against loops over pixels, on a size that is no multiple of 64.
func TestColumnMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height, width := rapid.IntRange(1, 20).Draw(t, "height"), rapid.IntRange(1, 20).Draw(t, "width")
		draw := rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 0, 0, 1, 1}), height*width, height*width)
		a, b := raster.NewMask(width, height), raster.NewMask(width, height)
		copy(a.Pix, draw.Draw(t, "a"))
		copy(b.Pix, draw.Draw(t, "b"))
		m := newColumnMask(height, width)
		m.addRuns(RLEOf(a, raster.Figure))
		m.addRuns(RLEOf(b, raster.Figure))
		for i := range a.Pix {
			a.Pix[i] |= b.Pix[i]
		}
		out := raster.NewMask(width, height)
		m.paint(out, raster.Figure)
		if !slices.Equal(out.Pix, a.Pix) {
			t.Fatalf("painted %v, want %v", out.Pix, a.Pix)
		}
	})
}

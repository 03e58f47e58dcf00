package cut

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// blocks is a picture with an orange rectangle on blue, and square superpixels that do not end at it.
func blocks(w, h, side int, figure image.Rectangle) (*raster.RGB, *superpixel.Map, Labeling) {
	im, sp := raster.NewRGB(w, h), &superpixel.Map{Labels: make([]int32, w*h), Width: w, Height: h}
	columns := (w + side - 1) / side
	sp.N = columns * ((h + side - 1) / side)
	inside, area := make([]int, sp.N), make([]int, sp.N)
	for y := range h {
		for x := range w {
			c, id := color.RGBA{20, uint8(40 + (x*7+y*3)%16), 160, 255}, y/side*columns+x/side
			area[id]++
			if image.Pt(x, y).In(figure) {
				c = color.RGBA{220, uint8(120 + (x*5+y*11)%16), 30, 255}
				inside[id]++
			}
			i := y*w + x
			sp.Labels[i] = int32(id)
			im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2] = c.R, c.G, c.B
		}
	}
	l := Labeling{Map: sp, Figure: make([]float64, sp.N), Labels: make([]uint8, sp.N)}
	for id, n := range inside {
		if l.Figure[id] = 0.1; 2*n >= area[id] {
			l.Figure[id], l.Labels[id] = 0.9, raster.Figure
		}
	}
	return im, sp, l
}

// amiss counts the pixels of a mask that are not those of a rectangle.
func amiss(m *raster.Mask, figure image.Rectangle) (n int) {
	for i, v := range m.Pix {
		if image.Pt(i%m.Width, i/m.Width).In(figure) != (v == raster.Figure) {
			n++
		}
	}
	return n
}

// The figure is columns 14 to 45 and rows 9 to 32; superpixels of 10 pixels can only give columns 10
// to 49 and rows 10 to 29. The mask has the figure's own pixels.
func TestRegionsEndAtPixels(t *testing.T) {
	figure := image.Rect(14, 9, 46, 33)
	im, sp, l := blocks(70, 50, 10, figure)
	if got := amiss(superpixel.Paint(sp, l.Labels), figure); got != 32*4+8*20 {
		t.Fatalf("superpixels: %d pixels are wrong, want %d: rows 9, 30, 31 and 32 of 32 columns, and 8 columns of 20 rows", got, 32*4+8*20)
	}
	if got := amiss(Regions(im, l), figure); got != 0 {
		t.Errorf("%d pixels are wrong, want none", got)
	}
}

// Two labels are wrong, and those superpixels hold some pixels of the color of their label. Pieces
// of fewer than 12 pixels, an eighth of a superpixel, are specks; one of 12 is a piece.
func TestRegionsHaveNoSpecks(t *testing.T) {
	figure := image.Rect(14, 9, 46, 33)
	im, _, l := blocks(70, 50, 10, figure)
	dot := func(r image.Rectangle, c color.RGBA, label uint8) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				im.Set(x, y, c.R, c.G, c.B)
			}
		}
		id := r.Min.Y/10*7 + r.Min.X/10
		l.Labels[id], l.Figure[id] = label, 0.1+0.8*float64(label)
	}
	orange, blue := color.RGBA{220, 128, 30, 255}, color.RGBA{20, 48, 160, 255}
	dot(image.Rect(62, 3, 65, 6), orange, raster.Figure)
	dot(image.Rect(23, 22, 28, 24), blue, raster.Ground)
	if got := amiss(Regions(im, l), figure); got != 0 {
		t.Errorf("%d pixels are wrong, want none", got)
	}
	dot(image.Rect(62, 3, 65, 7), orange, raster.Figure)
	if got := amiss(Regions(im, l), figure); got != 12 {
		t.Errorf("%d pixels are figure elsewhere, want the piece of 12", got)
	}
}

// A speck is a piece by its four neighbors, holes of figure that goes are ground like all around,
// and what fills a hole does not bring it back.
func TestClearSpecks(t *testing.T) {
	m := raster.NewMask(9, 5)
	for i, v := range strings.Join([]string{
		"..###....",
		"..#.#....",
		"..###....",
		".......#.",
		"......#..",
	}, "") {
		if v == '#' {
			m.Pix[i] = raster.Figure
		}
	}
	for _, c := range []struct{ least, figure int }{{1, 10}, {2, 9}, {8, 9}, {9, 0}} {
		got := &raster.Mask{Pix: slices.Clone(m.Pix), Width: 9, Height: 5}
		clearSpecks(got, c.least)
		if _, figure, _ := got.Areas(); figure != c.figure {
			t.Errorf("fewer than %d pixels: %d are figure, want %d", c.least, figure, c.figure)
		}
	}
}

// A picture of more than a million pixels is cut shrunk: the border is off by the shrinking alone.
func TestRegionsOfLargePictures(t *testing.T) {
	figure := image.Rect(310, 215, 1130, 880)
	im, _, l := blocks(1500, 1100, 90, figure)
	m := Regions(im, l)
	if m.Width != 1500 || m.Height != 1100 {
		t.Fatalf("got a mask of %d x %d", m.Width, m.Height)
	}
	if got, most := amiss(m, figure), 2*2*(820+665); got > most {
		t.Errorf("%d pixels are wrong, want at most two beside the border: %d", got, most)
	}
}

// What the model calls ground everywhere, or figure everywhere, stays so: colors alone start nothing.
func TestRegionsWithoutFigure(t *testing.T) {
	im, sp, l := blocks(40, 30, 10, image.Rect(12, 8, 28, 22))
	for _, label := range []uint8{raster.Ground, raster.Figure} {
		for i := range sp.N {
			l.Labels[i], l.Figure[i] = label, 0.3+0.4*float64(label)
		}
		for i, v := range Regions(im, l).Pix {
			if v != label {
				t.Fatalf("pixel %d: got %d, want %d everywhere", i, v, label)
			}
		}
	}
	l.Figure = l.Figure[1:]
	defer func() {
		if recover() == nil {
			t.Error("want a panic")
		}
	}()
	Regions(im, l)
}

// A bar of two superpixels is figure in a picture whose colors tell nothing: plain smoothing takes it away, that with cells which lean to it does not.
func TestRegionsKeepThinParts(t *testing.T) {
	figure, bar := image.Rect(40, 10, 80, 60), image.Rect(12, 4, 20, 60)
	im, _, l := blocks(90, 70, 4, figure)
	for i := range im.Pix {
		im.Pix[i] = uint8(100 + i/3*7%16)
	}
	columns := (90 + 3) / 4
	for y := bar.Min.Y; y < bar.Max.Y; y += 4 {
		for x := bar.Min.X; x < bar.Max.X; x += 4 {
			l.Figure[y/4*columns+x/4], l.Labels[y/4*columns+x/4] = 0.9, raster.Figure
		}
	}
	kept := func(cells *feature.Array) (n int) {
		l.Cells = cells
		m := Regions(im, l)
		for y := bar.Min.Y; y < bar.Max.Y; y++ {
			for x := bar.Min.X; x < bar.Max.X; x++ {
				n += int(m.Pix[y*90+x])
			}
		}
		return n
	}
	area := bar.Dx() * bar.Dy()
	lean := &feature.Array{Height: 70, Width: 90, Channels: 1, Values: make([]float32, 70*90)}
	for i := range lean.Values {
		if lean.Values[i] = -1; image.Pt(i%90, i/90).In(bar) || image.Pt(i%90, i/90).In(figure) {
			lean.Values[i] = 1
		}
	}
	if plain, dense := kept(nil), kept(lean); plain > area/10 || dense < area*9/10 {
		t.Errorf("of %d pixels of the bar a plain labeling keeps %d and one with cells %d, want nearly none and nearly all", area, plain, dense)
	}
}

// Superpixels and colors tell nothing of a leg in front of the figure; cells do, to a quarter of theirs.
func TestRegionsFollowCells(t *testing.T) {
	figure, leg := image.Rect(20, 10, 80, 60), image.Rect(40, 30, 50, 60)
	im, _, l := blocks(90, 70, 20, figure)
	for i := range im.Pix {
		im.Pix[i] = uint8(100 + i/3*7%16)
	}
	inside := func(at image.Point) bool { return at.In(figure) && !at.In(leg) }
	l.Cells = &feature.Array{Height: 35, Width: 45, Channels: 1, Values: make([]float32, 35*45)}
	for i := range l.Cells.Values {
		l.Cells.Values[i] = -2
		if inside(image.Pt(i%45*2, i/45*2)) {
			l.Cells.Values[i] = 2
		}
	}
	m := Regions(im, l)
	wrong := 0
	for i, v := range m.Pix {
		if inside(image.Pt(i%90, i/90)) != (v == raster.Figure) {
			wrong++
		}
	}
	if most := 60 + 50 + 30; wrong > most {
		t.Errorf("%d pixels are wrong, want at most half of a pixel along the border: %d", wrong, most)
	}
}

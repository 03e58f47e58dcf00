package transfer

import (
	"image"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// A scene is a picture of parts of one color each on green, with the mask that takes all of them for figure.
func scene(width, height int, parts map[image.Rectangle][3]uint8) (*raster.RGB, *raster.Mask) {
	im, mask := raster.NewRGB(width, height), raster.NewMask(width, height)
	for y := range height {
		for x := range width {
			n := uint8((x*7 + y*13) % 11) // so that no color is flat
			im.Set(x, y, 60+n, 120+n, 50+n)
			for r, c := range parts {
				if image.Pt(x, y).In(r) {
					im.Set(x, y, c[0]+n, c[1]+n, c[2]+n)
					mask.Set(x, y, raster.Figure)
				}
			}
		}
	}
	return im, mask
}

// clickAway returns the mask after a click, a disc of three pixels, on what is no figure.
func clickAway(im *raster.RGB, was *raster.Mask, at image.Point) *raster.Mask {
	marks := Pointing{Clicks: []image.Point{at}}.marks(im)
	for i, v := range marks.Pix {
		if v == raster.Figure {
			marks.Pix[i] = raster.Ground
		}
	}
	box := image.Rect(5, 5, im.Width-5, im.Height-5)
	return (*Cutter)(nil).Cut(im, Pointing{Boxes: []image.Rectangle{box}, Marks: marks, Was: was}, nil)
}

// share returns how much of a part is figure.
func share(m *raster.Mask, r image.Rectangle) float64 {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			n += int(m.At(x, y)) // Ground is 0, Figure 1
		}
	}
	return float64(n) / float64(r.Dx()*r.Dy())
}

// TestClickAway clicks on a blue part that a mask has beside a red one: it goes, the red one stays.
func TestClickAway(t *testing.T) {
	red, blue := image.Rect(40, 30, 110, 90), image.Rect(110, 40, 160, 90)
	im, was := scene(200, 120, map[image.Rectangle][3]uint8{red: {190, 50, 40}, blue: {90, 70, 150}})
	got := clickAway(im, was, image.Pt(135, 65))
	if s := share(got, blue); s > 0.1 {
		t.Errorf("%.2f of the part that was clicked away is left, want at most 0.1", s)
	}
	if s := share(got, red); s < 0.95 {
		t.Errorf("%.2f of the other part is left, want at least 0.95", s)
	}
}

// TestClickStaysNear clicks on one end of a long bar of one color: the other end, far away, stays as it is.
func TestClickStaysNear(t *testing.T) {
	bar := image.Rect(20, 35, 380, 65)
	im, was := scene(400, 100, map[image.Rectangle][3]uint8{bar: {190, 50, 40}})
	got := clickAway(im, was, image.Pt(35, 50))
	if got.At(35, 50) != raster.Ground {
		t.Error("what was clicked away is still figure")
	}
	for y := range im.Height {
		from, to := y*im.Width+100, (y+1)*im.Width
		if !slices.Equal(got.Pix[from:to], was.Pix[from:to]) {
			t.Fatalf("row %d changes more than 65 pixels from the click", y)
		}
	}
}

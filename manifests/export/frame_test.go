package export

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// Outlines filled by COCO's rule are the regions again; only holes are filled.
func TestOutlines(t *testing.T) {
	// A ring of 8 pixels around a hole, and one pixel that touches it at a corner.
	m := raster.NewMask(6, 5)
	for _, p := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {1, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}, {4, 4}} {
		m.Set(p[0], p[1], raster.Figure)
	}
	got := Outlines(m, raster.Figure)
	want := [][]float64{{1, 1, 4, 1, 4, 4, 1, 4}, {4, 4, 5, 4, 5, 5, 4, 5}}
	if len(got) != 2 || !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
		t.Errorf("got %v, want %v", got, want)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	exact := 0
	for range 300 {
		m := raster.NewMask(1+rng.IntN(12), 1+rng.IntN(9))
		for i := range m.Pix {
			m.Pix[i] = uint8(rng.IntN(2))
		}
		filled, err := format.FillPolygons(Outlines(m, raster.Figure), m.Height, m.Width)
		if err != nil {
			t.Fatal(err)
		}
		same := true
		for i, v := range m.Pix {
			if v == raster.Figure && filled.Pix[i] != v {
				t.Fatalf("%d x %d: pixel %d is left out", m.Width, m.Height, i)
			}
			same = same && filled.Pix[i] == v
		}
		if same {
			exact++
		}
	}
	if exact < 50 {
		t.Errorf("%d of 300 without holes are exact", exact)
	}
}

// Stored pixels turned upright are the upright ones again, for masks and boxes.
func TestFrame(t *testing.T) {
	for tag := 1; tag <= 8; tag++ {
		im := manifests.Image{Width: 7, Height: 4, Orientation: tag}
		f := frameOf(&im)
		up := raster.NewMask(7, 4)
		for y := 1; y < 3; y++ {
			for x := 2; x < 6; x++ {
				up.Set(x, y, raster.Figure)
			}
		}
		up.Set(0, 0, raster.Void)
		st := f.mask(up)
		if back := raster.OrientMask(st, tag); back.Width != 7 || !slices.Equal(back.Pix, up.Pix) {
			t.Errorf("tag %d: another mask", tag)
		}
		b := f.boxes([]manifests.Box{{XMin: 2, YMin: 1, XMax: 6, YMax: 3}})[0]
		x, y, w, h := format.RLEOf(st, raster.Figure).Bounds()
		if (b != manifests.Box{XMin: x, YMin: y, XMax: x + w, YMax: y + h}) {
			t.Errorf("tag %d: box %v, figure %d,%d %d x %d", tag, b, x, y, w, h)
		}
	}
}

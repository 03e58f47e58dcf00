package superpixel

import (
	"testing"

	"hdseg/ingest/raster"
)

// Two flat halves, 6 x 4: two superpixels asked for are the halves.
func TestTwoHalves(t *testing.T) {
	img := raster.NewRGB(6, 4)
	for y := range 4 {
		for x := 3; x < 6; x++ {
			img.Set(x, y, 255, 255, 255)
		}
	}
	o := Defaults()
	o.Count = 2
	m := SLIC(img, o)
	if err := m.Check(6, 4); err != nil {
		t.Fatal(err)
	}
	for i, l := range m.Labels {
		if want := int32(i % 6 / 3); l != want {
			t.Fatalf("pixel %d: got superpixel %d, want %d", i, l, want)
		}
	}
	if e := m.Edges(); len(e) != 1 || e[0] != [2]int32{0, 1} {
		t.Fatalf("edges %v, want [[0 1]]", e)
	}
}

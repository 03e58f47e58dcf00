package demo

import (
	"image"
	"testing"
)

// blank is a black 6 x 4 canvas for horses.
func blank() *canvas { return newCanvas(6, 4, 13, newNoise(stream(1, "noise"))) }

func TestPaintKeepsTheExactCoverage(t *testing.T) {
	c := blank()
	horse, cow := c.add("horse"), c.add("cow")
	white := rgb{1, 1, 1}
	c.paint(1, 1, 0.75, white, horse) // 0.75
	c.paint(2, 1, 1, white, horse)
	c.paint(2, 1, 0.75, rgb{}, cow) // the cow covers it: 0.25
	c.paint(3, 1, 0.75, white, horse)
	c.paint(3, 1, 0.5, rgb{}, 0)    // the fence covers half: 0.375
	c.paint(4, 1, 0.5, white, cow)  // not more than half
	c.paint(5, 1, 3, white, horse)  // more than all is all
	c.paint(0, 1, -1, white, horse) // nothing
	for x, want := range []float64{0, 0.75, 0.25, 0.375, 0, 1} {
		if got := c.cover[6+x]; got != want {
			t.Errorf("cover of column %d: got %v, want %v", x, got, want)
		}
	}
	if got := c.pix[6+3]; got != (rgb{0.375, 0.375, 0.375}) {
		t.Errorf("colour under the fence: got %v, want 0.75 halved", got)
	}
	p := c.picture()
	classes := p.classes()
	for x, want := range []uint8{0, 13, 10, 0, 0, 13} {
		if classes[6+x] != want {
			t.Errorf("class of column %d: got %d, want %d", x, classes[6+x], want)
		}
	}
	for x, want := range []uint8{0, 128, 128, 128, 0, 255} {
		if got := p.truth().Pix[6+x]; got != want {
			t.Errorf("truth of column %d: got %d, want %d", x, got, want)
		}
	}
	for x, want := range []uint8{0, 255, 0, 0, 0, 255} {
		if got := p.mask().Pix[6+x]; got != want {
			t.Errorf("mask of column %d: got %d, want %d", x, got, want)
		}
	}
	if got := p.share(); got != 2.0/24 {
		t.Errorf("share: got %v, want 2/24", got)
	}
}

func TestVOCMaskByHand(t *testing.T) {
	// A horse on the left 8 of 16 columns: the outline lies between columns 7 and 8, so
	// columns 6 to 9 are void.
	c := newCanvas(16, 3, 13, nil)
	horse := c.add("horse")
	for y := range 3 {
		for x := range 8 {
			c.paint(x, y, 1, rgb{}, horse)
		}
	}
	m := c.picture().vocMask()
	want := []uint8{13, 13, 13, 13, 13, 13, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0}
	for i, v := range m.Pix {
		if v != want[i%16] {
			t.Errorf("(%d, %d): got %d, want %d", i%16, i/16, v, want[i%16])
		}
	}
	objects := c.picture().objects()
	if len(objects) != 0 {
		t.Errorf("a figure of 24 pixels: got %d objects, want none", len(objects))
	}
}

func TestObjectsAreTight(t *testing.T) {
	c := newCanvas(20, 20, 13, nil)
	horse, cow := c.add("horse"), c.add("cow")
	for y := 3; y < 12; y++ {
		for x := 2; x < 9; x++ {
			c.paint(x, y, 1, rgb{}, horse)
		}
	}
	for y := 10; y < 20; y++ { // hides the horse's last rows on the left
		for x := 0; x < 6; x++ {
			c.paint(x, y, 1, rgb{}, cow)
		}
	}
	got := c.picture().objects()
	if len(got) != 2 || got[0].name != "horse" || got[0].box != image.Rect(2, 3, 9, 12) ||
		got[1].name != "cow" || got[1].box != image.Rect(0, 10, 6, 20) {
		t.Errorf("got %+v", got)
	}
}

func TestScenesShowWhatTheyShould(t *testing.T) {
	n := newNoise(stream(1, "noise"))
	beside := map[string]int{}
	for i := range 60 {
		absent := i%3 == 0
		p := drawScene(n, stream(uint64(i), "scene"), cast{"dog", absent, 96, companions["dog"]})
		if share := p.share(); absent != (share == 0) || share > 0.6 || !absent && share < 0.03 {
			t.Errorf("scene %d: dogs cover %v of the picture", i, share)
		}
		for _, o := range p.objects() {
			beside[o.name]++
		}
	}
	for _, name := range append(companions["dog"], "dog") {
		if beside[name] == 0 {
			t.Errorf("60 scenes show no %s: %v", name, beside)
		}
	}
}

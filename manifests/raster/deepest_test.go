package raster

import "testing"

func TestDeepest(t *testing.T) {
	m := NewMask(7, 5)
	for _, p := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}, {5, 0}, {6, 0}, {6, 1}} {
		m.Set(p[0], p[1], Figure)
	}
	if x, y, d := m.Deepest(Figure); x != 2 || y != 2 || d != 2 { // the middle of the square of 3
		t.Errorf("got (%d, %d), %d", x, y, d)
	}
	if _, _, d := m.Deepest(Void); d != 0 {
		t.Errorf("got distance %d of a label that no pixel has", d)
	}
	full := NewMask(5, 3) // the picture's border is one
	if x, y, d := full.Deepest(Ground); x != 1 || y != 1 || d != 2 {
		t.Errorf("got (%d, %d), %d", x, y, d)
	}
}

package agree

import (
	"math"
	"testing"

	"hdseg/manifests/raster"
)

// TestKappa: of 10 pixels both call 4 figure and 3 ground, one only a calls figure, one only b, and one is void for b.
// IoU = 4/6. n = 9: p = 7/9; a and b call 5/9 figure: e = 25/81 + 16/81 = 41/81; kappa = (63-41)/(81-41) = 22/40.
func TestKappa(t *testing.T) {
	a := &raster.Mask{Width: 5, Height: 2, Pix: []uint8{1, 1, 1, 1, 0, 0, 0, 1, 0, 1}}
	b := &raster.Mask{Width: 5, Height: 2, Pix: []uint8{1, 1, 1, 1, 0, 0, 0, 0, 1, 255}}
	s := Compare(a, b)
	if math.Abs(s.IoU.V-4.0/6) > 1e-12 || math.Abs(s.Kappa.V-0.55) > 1e-12 {
		t.Errorf("got IoU %v, kappa %v, want 0.6667 and 0.55", s.IoU, s.Kappa)
	}
	empty := raster.NewMask(5, 2)
	if s := Compare(empty, empty); s.IoU.OK || s.Kappa.OK {
		t.Errorf("two empty masks: got %+v, want undefined scores", s)
	}
	rows := Rows([]Image{{A: "x", B: "y", Scores: s}, {A: "x", B: "y", Scores: Compare(empty, empty)}, {A: "v", B: "w", Scores: s}})
	if len(rows) != 2 || rows[0].A != "v" || rows[1].Images != 2 || math.Abs(rows[1].IoU.V-4.0/6) > 1e-12 {
		t.Errorf("got %+v", rows)
	}
}

package superpixel

import (
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/manifests/raster"
)

func maskOf(rows ...string) *raster.Mask {
	l, w, h := parse(rows...)
	m := raster.NewMask(w, h)
	for i, v := range l {
		m.Pix[i] = uint8(v)
		if v == 9 {
			m.Pix[i] = raster.Void
		}
	}
	return m
}

// Superpixel 0: figure 2 of 4. 1: figure 3, ground 2, void 1. 2: void. 3: figure 1, ground 1, void 1.
func TestMajority(t *testing.T) {
	sp := mapOf(4,
		"00111",
		"00111",
		"22333")
	m := maskOf(
		"10110",
		"01109",
		"99109")
	got := Majority(sp, m)
	if want := []uint8{0, 1, 255, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if p, want := Paint(sp, got), maskOf("00111", "00111", "99000"); !slices.Equal(p.Pix, want.Pix) {
		t.Errorf("painted %v, want %v", p.Pix, want.Pix)
	}
	// Right: 2 of 4, 3 of 5, none of none, 1 of 2.
	if right, seen := Oracle(sp, m); right != 6 || seen != 11 {
		t.Errorf("oracle %d of %d, want 6 of 11", right, seen)
	}
}

// Superpixel 0: label 2 three times. 1: labels 1 and 0 twice each, so 0. 2: void.
func TestMajorityLabel(t *testing.T) {
	sp := mapOf(3, "0011", "0011", "2222")
	label := []uint8{2, 2, 1, 0, 2, 255, 0, 1, 255, 255, 255, 255}
	got := MajorityLabel(sp, label, 3)
	if want := []uint8{2, 0, 255}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	peer.Panics(t, map[string]func(){
		"label out of range": func() { MajorityLabel(sp, label, 2) },
		"mask of other size": func() { Majority(sp, raster.NewMask(3, 4)) },
		"too few labels":     func() { MajorityLabel(sp, label[1:], 3) },
		"short labels":       func() { Paint(sp, make([]uint8, 2)) },
	})
}

// The mask's border pixels are column 1 of all three rows (its right neighbour differs); superpixels part
// at column 4, three columns away, but row 0 has another cut at column 2. Within 1 px in x and y rows 0 and 1 see it; within 2 px
// row 2 does too; within 0 px nobody.
func TestRecall(t *testing.T) {
	sp := mapOf(3,
		"0001122",
		"0000022",
		"0000022")
	m := maskOf("0011111", "0011111", "0011111")
	// Row 0 is cut at columns 2 and 4, and also at 3, where the pixel below differs.
	for radius, want := range []int{0, 2, 3} {
		if near, border := Recall(sp, m, radius); near != want || border != 3 {
			t.Errorf("radius %d: got %d of %d, want %d of 3", radius, near, border, want)
		}
	}
	// A border to void is none.
	if near, border := Recall(sp, maskOf("0091111", "0091111", "0091111"), 2); near != 0 || border != 0 {
		t.Errorf("void: got %d of %d, want 0 of 0", near, border)
	}
}

package pool

import (
	"image"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// draw makes a mask from rows of '#' figure, '?' void and '.' ground.
func draw(rows ...string) *raster.Mask {
	m := raster.NewMask(len(rows[0]), len(rows))
	for y, row := range rows {
		for x, c := range row {
			switch c {
			case '#':
				m.Set(x, y, raster.Figure)
			case '?':
				m.Set(x, y, raster.Void)
			}
		}
	}
	return m
}

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *raster.Mask
		min  int
		want []image.Rectangle
	}{
		{"nothing", draw("...", "..."), 1, nil},
		{"void does not connect two of one size, largest first", draw(
			"###?##",
			"###?##"), 1, []image.Rectangle{image.Rect(0, 0, 3, 2), image.Rect(4, 0, 6, 2)}},
		{"corners connect", draw(
			"#..",
			".#.",
			"..#"), 1, []image.Rectangle{image.Rect(0, 0, 3, 3)}},
		// 16 pixels and 2: 4*2 <= 16, and the gap of 1 is at most 15% of 8 = 1.
		{"a small one nearby joins", draw(
			"########..",
			"########.#",
			".........#"), 1, []image.Rectangle{image.Rect(0, 0, 10, 3)}},
		{"a small one far away is dropped below the limit", draw(
			"########..#",
			"########..."), 2, []image.Rectangle{image.Rect(0, 0, 8, 2)}},
	} {
		if got := Windows(c.m, c.min); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

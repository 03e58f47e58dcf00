package format

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hdseg/manifests/raster"
)

// drawn makes a mask from rows of '.' and '#'.
func drawn(rows ...string) *raster.Mask {
	m := raster.NewMask(len(rows[0]), len(rows))
	for i, c := range strings.Join(rows, "") {
		if c == '#' {
			m.Pix[i] = raster.Figure
		}
	}
	return m
}

func rows(m *raster.Mask) (out []string) {
	for y := range m.Height {
		row := ""
		for x := range m.Width {
			row += map[uint8]string{raster.Ground: ".", raster.Figure: "#"}[m.At(x, y)]
		}
		out = append(out, row)
	}
	return out
}

func TestRLE(t *testing.T) {
	for _, c := range []struct {
		rows   []string
		counts []int
		text   string // '0' + the low five bits, bit 5 set where more follow
		bounds [4]int
	}{
		{[]string{"..", "..", ".."}, []int{6}, "6", [4]int{}},
		{[]string{"##", "##", "##"}, []int{0, 6}, "06", [4]int{0, 0, 2, 3}},
		// Down the columns: . . # | # . .
		{[]string{".#", "..", "#."}, []int{2, 2, 2}, "222", [4]int{0, 0, 2, 3}},
		// . # . | . # . : from the fourth count on the difference to the one two before, here 1-1 and 1-2 = -1 = 'O'.
		{[]string{"..", "##", ".."}, []int{1, 1, 2, 1, 1}, "1120O", [4]int{0, 1, 2, 1}},
		// 16 needs two characters, as bit 4 alone would be a sign: 16 + 32 -> '`', then 0.
		{[]string{strings.Repeat(".", 16) + "#"}, []int{16, 1}, "`01", [4]int{16, 0, 1, 1}},
	} {
		m := drawn(c.rows...)
		r := RLEOf(m, raster.Figure)
		x, y, w, h := r.Bounds()
		if !slices.Equal(r.Counts, c.counts) || r.String() != c.text || [4]int{x, y, w, h} != c.bounds {
			t.Errorf("%v: got %v, %q, bounds %d %d %d %d, want %v, %q, %v", c.rows, r.Counts, r, x, y, w, h, c.counts, c.text, c.bounds)
		}
		if got := r.Area(); got != strings.Count(strings.Join(c.rows, ""), "#") {
			t.Errorf("%v: got area %d", c.rows, got)
		}
		back, err := ParseRLE(c.text, m.Height, m.Width)
		if err != nil || !slices.Equal(back.Counts, c.counts) || !slices.Equal(rows(painted(back)), c.rows) {
			t.Errorf("%q: got %v, %v", c.text, back, err)
		}
	}
}

// painted is the mask of run lengths.
func painted(r RLE) *raster.Mask {
	c, m := newColumnMask(r.Height, r.Width), raster.NewMask(r.Width, r.Height)
	c.addRuns(r)
	c.paint(m, raster.Figure)
	return m
}

// A vector from pycocotools 2.0.11: 50 x 40, rows 3..36 and columns 5..43 set, but for rows and columns 10..19.
func TestRLEAgainstCOCO(t *testing.T) {
	m := raster.NewMask(50, 40)
	for y := 3; y < 37; y++ {
		for x := 5; x < 44; x++ {
			if y < 10 || y >= 20 || x < 10 || x >= 20 {
				m.Set(x, y, raster.Figure)
			}
		}
	}
	const want = "[6R1600000000UO4:LF4:LF4:LF4:LF4:LF4:LF4:LF4:LF4:LF4:La00000000000000000000000000000000000000000000000]7"
	r := RLEOf(m, raster.Figure)
	x, y, w, h := r.Bounds()
	if r.String() != want || r.Area() != 1226 || [4]int{x, y, w, h} != [4]int{5, 3, 39, 34} {
		t.Errorf("got %s, area %d, bounds %d %d %d %d", r, r.Area(), x, y, w, h)
	}
}

func TestRLERoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 80).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m, p := raster.NewMask(w, h), rng.Float64()
		for i := range m.Pix {
			switch {
			case rng.Float64() < p/8:
				m.Pix[i] = raster.Void
			case i > 0 && rng.Float64() < p:
				m.Pix[i] = m.Pix[i-1]
			default:
				m.Pix[i] = uint8(rng.IntN(2))
			}
		}
		figure, void := RLEOf(m, raster.Figure), RLEOf(m, raster.Void)
		_, f, v := m.Areas()
		if figure.Area() != f || void.Area() != v {
			t.Fatalf("areas: got %d and %d, want %d and %d", figure.Area(), void.Area(), f, v)
		}
		back, err := ParseRLE(figure.String(), h, w)
		if err != nil || !slices.Equal(back.Counts, figure.Counts) {
			t.Fatalf("got %v, %v, want %v", back, err, figure)
		}
		x, y, bw, bh := figure.Bounds()
		onto := raster.NewMask(w, h)
		back.Paint(onto, raster.Figure)
		if !slices.Equal(onto.Pix, painted(back).Pix) {
			t.Fatalf("painted %v, want %v", onto.Pix, painted(back).Pix)
		}
		for i, p := range painted(back).Pix {
			if (p == raster.Figure) != (m.Pix[i] == raster.Figure) {
				t.Fatalf("pixel %d: got %d", i, p)
			}
			if inside := i%w >= x && i%w < x+bw && i/w >= y && i/w < y+bh; p == raster.Figure && !inside {
				t.Fatalf("pixel %d lies outside the bounds", i)
			}
		}
	})
}

func TestParseRLEFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		h, w int
		want string
	}{
		{"", 2, 3, "add up to 0 pixels, want 6"},
		{"5", 2, 3, "add up to 5 pixels, want 6"},
		{"7", 2, 3, "run 0: got 7 pixels, want 0..6"},
		{"43", 2, 3, "run 1: got 3 pixels, want 0..2"},
		{"O7", 2, 3, "run 0: got -1 pixels"},
		{"111L", 2, 3, "run 3: got -3 pixels"},
		{"V", 2, 3, "ends inside a number"},
		{"6/", 2, 3, `character 1: got '/'`},
		{"6é", 2, 3, `character 1: got`},
		{"PPPPPPPPPP0", 2, 3, "the number is too long"},
		{"6", 0, 3, "got 3 x 0 pixels"},
		{"6", -2, -3, "got -3 x -2 pixels"},
		{"6", 1 << 20, 1 << 20, "at most"},
	} {
		if r, err := ParseRLE(c.text, c.h, c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, %v, want %s", c.text, r, err, c.want)
		}
	}
	if err := (RLE{2, 3, []int{-1, 7}}).Check(); err == nil {
		t.Error("a negative run is accepted")
	}
}

func FuzzParseRLE(f *testing.F) {
	f.Add("1120O", 3, 2)
	f.Add("`01", 1, 17)
	f.Fuzz(func(t *testing.T, s string, h, w int) {
		if h > 1000 || w > 1000 {
			return
		}
		r, err := ParseRLE(s, h, w)
		if err != nil {
			return
		}
		again, err := ParseRLE(r.String(), h, w)
		if err != nil || !slices.Equal(again.Counts, r.Counts) {
			t.Fatalf("%v, %v: got %v", r, err, again)
		}
		if _, figure, _ := painted(r).Areas(); figure != r.Area() {
			t.Fatalf("%v: area %d, mask %d", r, r.Area(), figure)
		}
	})
}

// Vectors from pycocotools 2.0.11: merge(frPyObjects(polygons, height, width)).
func TestPolygonsAgainstCOCO(t *testing.T) {
	for _, c := range []struct {
		polygons [][]float64
		want     []string
	}{
		{[][]float64{{1, 1, 4, 1, 4, 3, 1, 3}}, []string{"......", ".###..", ".###..", "......", "......"}},
		{[][]float64{{0.5, 0.5, 3.2, 0.9, 2.1, 4.7}}, []string{".....", ".##..", ".##..", "..#..", ".....", "....."}},
		{[][]float64{{-3, 2, 2, -3, 9, 3, 2, 9}}, []string{"######", "######", "######", "######", "######"}},
		{[][]float64{{1, 1, 5, 5, 5, 1, 1, 5}}, []string{".......", ".#..#..", ".####..", ".#..#..", ".......", "......."}},
		{[][]float64{{0, 0, 2, 0, 2, 4, 0, 4}, {1, 1, 5, 1, 5, 3, 1, 3}}, []string{"##....", "#####.", "#####.", "##....", "......"}},
		{[][]float64{{0.1, 0.1, 5.9, 2.5, 0.1, 4.9}}, []string{"#.....", "###...", "######", "####..", "#....."}},
		{[][]float64{{1, 1, 3, 3, 1, 1}}, []string{".....", ".....", ".....", "....."}},
		{[][]float64{{1, 1, 1, 1, 1, 1}}, []string{".....", ".....", ".....", "....."}},
		{[][]float64{{-3, -3, 9, -3, 9, 9, -3, 9}, {1, 1, 2, 1, 2, 2}}, []string{"######", "######", "######", "######", "######"}},
		// Not from there, which refuses them: no polygon, and polygons without points.
		{nil, []string{"..", ".."}},
		{[][]float64{{}, {1, 1}, {1, 1, 2, 2}}, []string{"..", ".."}},
	} {
		m, err := FillPolygons(c.polygons, len(c.want), len(c.want[0]))
		if err != nil {
			t.Fatal(err)
		}
		if got := rows(m); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.polygons, got, c.want)
		}
	}
}

func TestPolygonFaults(t *testing.T) {
	nan := 0.
	nan /= nan
	for want, p := range map[string][]float64{"got 3 coordinates": {1, 2, 3}, "coordinate NaN": {1, nan}, "coordinate 3e+08": {3e8, 1}} {
		if _, err := FillPolygons([][]float64{{1, 1}, p}, 4, 5); err == nil || !strings.Contains(err.Error(), "polygon 1: "+want) {
			t.Errorf("%v: got %v", p, err)
		}
	}
	if _, err := FillPolygons(nil, 0, 5); err == nil {
		t.Error("no height is accepted")
	}
}

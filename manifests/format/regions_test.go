package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

func TestParseRegions(t *testing.T) {
	m, err := ParseRegions([]byte("0 1 -1\r\n 7\t10  -2 \n\n"), raster.DefaultLimits())
	if err != nil || m.Width != 3 || m.Height != 2 || !slices.Equal(m.Pix, []uint8{0, 1, 255, 7, 10, 255}) {
		t.Errorf("got %+v, %v", m, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {"", "no line"},
		"ragged":   {"1 2 3\n1 2\n", "line 2: got 2 numbers, want 3"},
		"a gap":    {"1 2\n\n1 2\n", "line 2: got 0 numbers, want 2"},
		"a word":   {"1 2\n1 x\n", `line 2, column 3: got "x"`},
		"void":     {"255\n", `got "255"`},
		"decimals": {"1.5\n", `got "1.5"`},
	} {
		if _, err := ParseRegions([]byte(c.text), raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := ParseRegions([]byte("1 1\n1 1\n"), raster.Limits{MaxPixels: 3}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("4 pixels against a limit of 3: got %v", err)
	}
}

// FuzzParseRegions writes what it read and reads the same again.
func FuzzParseRegions(f *testing.F) {
	f.Add([]byte("0 1 -1\n7 10 -2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := raster.Limits{MaxPixels: 1 << 16}
		m, err := ParseRegions(data, lim)
		if err != nil {
			return
		}
		if len(m.Pix) != m.Width*m.Height || m.Width == 0 {
			t.Fatalf("got %d pixels of %d x %d", len(m.Pix), m.Width, m.Height)
		}
		var b strings.Builder
		for i, v := range m.Pix {
			n := int(v)
			if v == VOCVoid {
				n = -1
			}
			fmt.Fprint(&b, n, " ")
			if (i+1)%m.Width == 0 {
				b.WriteByte('\n')
			}
		}
		again, err := ParseRegions([]byte(b.String()), lim)
		if err != nil || again.Width != m.Width || !slices.Equal(again.Pix, m.Pix) {
			t.Fatalf("read again: %v", err)
		}
	})
}

func BenchmarkParseRegions(b *testing.B) {
	data := []byte(strings.Repeat(strings.Repeat("7 ", 320)+"\n", 240))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := ParseRegions(data, raster.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}

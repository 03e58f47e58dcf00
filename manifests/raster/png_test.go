package raster

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMaskPNGRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 700).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		runs := rapid.SliceOfN(rapid.IntRange(1, 900), 1, 60).Draw(t, "runs")
		m := NewMask(w, h)
		i := 0
		for k, n := range runs {
			for ; n > 0 && i < len(m.Pix); n-- {
				m.Pix[i] = [3]uint8{Ground, Figure, Void}[k%3]
				i++
			}
		}
		data := EncodeMaskPNG(m)
		got, err := DecodeMask(data)
		if err != nil {
			t.Fatal(err)
		}
		if got.Width != w || got.Height != h || !bytes.Equal(got.Pix, m.Pix) {
			t.Fatalf("%d x %d: the mask changed", w, h)
		}
		if again := EncodeMaskPNG(got); !bytes.Equal(again, data) {
			t.Fatal("equal masks gave different bytes")
		}
	})
}

// Every run length that a match can have, and one more, survives deflate.
func TestMaskDeflateRuns(t *testing.T) {
	for n := 1; n <= 1100; n++ {
		m := NewMask(n+1, 1)
		m.Pix[n] = Void
		got, err := DecodeMask(EncodeMaskPNG(m))
		if err != nil || !bytes.Equal(got.Pix, m.Pix) {
			t.Fatalf("a run of %d zeros: %v", n, err)
		}
	}
}

func TestDecodeMaskRefuses(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 3, 2))
	gray.SetGray(2, 1, color.Gray{128})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"another value", pngOf(t, gray), "value at (2, 1): got 128, want 0, 1 or 255"},
		{"colours", pngOf(t, flat(2, 2, color.White)), "want 8-bit greyscale"},
		{"16 bit", pngOf(t, image.NewGray16(image.Rect(0, 0, 2, 2))), "want 8-bit greyscale"},
		{"no png", []byte("x"), "mask: "},
		{"cut", EncodeMaskPNG(NewMask(9, 9))[:60], "mask: "},
	} {
		if _, err := DecodeMask(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestEncodeMaskPanics(t *testing.T) {
	m := NewMask(3, 2)
	m.Set(1, 1, 2)
	defer func() {
		if p := recover(); p != "raster: mask value 2 at (1, 1), want 0, 1 or 255" {
			t.Errorf("got %v", p)
		}
	}()
	EncodeMaskPNG(m)
}

func TestEncodePNG(t *testing.T) {
	m := NewRGB(31, 17)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range m.Pix {
		m.Pix[i] = uint8(rng.IntN(256))
	}
	got, info, err := Decode(EncodePNG(m), DefaultLimits())
	if err != nil || info.Format != "png" || !bytes.Equal(got.Pix, m.Pix) {
		t.Errorf("got %+v, %v", info, err)
	}
}

// blob is a 500 x 375 mask of an ellipse with a void border.
func blob() *Mask {
	m := NewMask(500, 375)
	for y := range m.Height {
		for x := range m.Width {
			dx, dy := float64(x-240)/150, float64(y-190)/110
			switch d := dx*dx + dy*dy; {
			case d < 0.95:
				m.Set(x, y, Figure)
			case d < 1.05:
				m.Set(x, y, Void)
			}
		}
	}
	return m
}

func BenchmarkEncodeMaskPNG(b *testing.B) {
	m := blob()
	b.ReportAllocs()
	var n int
	for b.Loop() {
		n = len(EncodeMaskPNG(m))
	}
	b.ReportMetric(float64(n), "bytes")
}

func BenchmarkEncodeMaskStandard(b *testing.B) {
	m := blob()
	g := &image.Gray{Pix: m.Pix, Stride: m.Width, Rect: image.Rect(0, 0, m.Width, m.Height)}
	b.ReportAllocs()
	var n int
	for b.Loop() {
		var buf bytes.Buffer
		if err := png.Encode(&buf, g); err != nil {
			b.Fatal(err)
		}
		n = buf.Len()
	}
	b.ReportMetric(float64(n), "bytes")
}

func BenchmarkDecodeMask(b *testing.B) {
	data := EncodeMaskPNG(blob())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeMask(data); err != nil {
			b.Fatal(err)
		}
	}
}

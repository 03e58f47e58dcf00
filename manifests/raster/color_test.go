package raster

import (
	"math"
	"testing"
)

// labExact is the definition in float64.
func labExact(r, g, b uint8) [3]float64 {
	lr, lg, lb := srgbToLinear(float64(r)/255), srgbToLinear(float64(g)/255), srgbToLinear(float64(b)/255)
	x := 0.4124564*lr + 0.3575761*lg + 0.1804375*lb
	y := 0.2126729*lr + 0.7151522*lg + 0.0721750*lb
	z := 0.0193339*lr + 0.1191920*lg + 0.9503041*lb
	fx, fy, fz := labFunc(x/0.950456), labFunc(y), labFunc(z/1.088754)
	return [3]float64{116*fy - 16, 500 * (fx - fy), 200 * (fy - fz)}
}

// Values that colour science tables give for sRGB under D65, to one decimal.
func TestLabKnown(t *testing.T) {
	for _, c := range []struct {
		rgb  [3]uint8
		want [3]float64
	}{
		{[3]uint8{0, 0, 0}, [3]float64{0, 0, 0}},
		{[3]uint8{255, 255, 255}, [3]float64{100, 0, 0}},
		{[3]uint8{255, 0, 0}, [3]float64{53.2, 80.1, 67.2}},
		{[3]uint8{0, 255, 0}, [3]float64{87.7, -86.2, 83.2}},
		{[3]uint8{0, 0, 255}, [3]float64{32.3, 79.2, -107.9}},
		{[3]uint8{128, 128, 128}, [3]float64{53.6, 0, 0}},
	} {
		m := NewRGB(1, 1)
		m.Set(0, 0, c.rgb[0], c.rgb[1], c.rgb[2])
		for i, v := range Lab(m) {
			if math.Abs(float64(v)-c.want[i]) > 0.06 {
				t.Errorf("%v: got %v, want %v", c.rgb, Lab(m), c.want)
				break
			}
		}
	}
}

func TestLabExact(t *testing.T) {
	// 52 x 52 x 52 colours, dark ones densest, where the cube root is steepest.
	var levels []uint8
	for i := range 256 {
		if i < 16 || i%7 == 3 || i == 255 {
			levels = append(levels, uint8(i))
		}
	}
	m := NewRGB(len(levels), len(levels))
	worst := 0.0
	for _, r := range levels {
		for y, g := range levels {
			for x, b := range levels {
				m.Set(x, y, r, g, b)
			}
		}
		for i, v := range Lab(m) {
			want := labExact(m.Pix[i/3*3], m.Pix[i/3*3+1], m.Pix[i/3*3+2])[i%3]
			worst = max(worst, math.Abs(float64(v)-want))
		}
	}
	t.Logf("largest difference %.5f", worst)
	if worst > 0.002 {
		t.Errorf("largest difference %.5f, want at most 0.002", worst)
	}
}

func TestGray(t *testing.T) {
	m := NewRGB(2, 1)
	m.Set(0, 0, 255, 255, 255)
	m.Set(1, 0, 10, 20, 30)
	g := Gray(m)
	// 0.299*10 + 0.587*20 + 0.114*30 = 2.99 + 11.74 + 3.42 = 18.15
	if len(g) != 2 || math.Abs(float64(g[0])-255) > 1e-3 || math.Abs(float64(g[1])-18.15) > 1e-4 {
		t.Errorf("got %v, want 255 and 18.15", g)
	}
}

func BenchmarkLab(b *testing.B) {
	m := NewRGB(500, 375)
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 31 >> 3)
	}
	out := make([]float32, len(m.Pix))
	b.ReportAllocs()
	for b.Loop() {
		LabTo(out, m.Pix)
	}
	b.ReportMetric(500*375*float64(b.N)/b.Elapsed().Seconds(), "px/s")
}

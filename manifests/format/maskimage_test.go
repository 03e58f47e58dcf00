package format

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"hdseg/manifests/raster"
)

// greys is a palette of the given levels.
func greys(levels ...uint8) (p color.Palette) {
	for _, v := range levels {
		p = append(p, color.NRGBA{v, v, v, 255})
	}
	return p
}

func bmpOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bmp.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, img *image.Paletted, screen image.Point) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{0}, Config: image.Config{Width: screen.X, Height: screen.Y}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// numbered is a picture of 5 x 3 pixels with the numbers 0, 1, 2, 0, ...
func numbered(p color.Palette) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, 5, 3), p)
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 3)
	}
	return img
}

// One mask in every format that keeps values: the same numbers, whether they are indices, greys or colours.
func TestMaskFormats(t *testing.T) {
	want := numbered(nil).Pix
	voc := numbered(VOCPalette())
	gray := image.NewGray(image.Rect(0, 0, 5, 3))
	copy(gray.Pix, want)
	colors := image.NewNRGBA(gray.Rect)
	for i, v := range want {
		c := vocColor(int(v))
		colors.SetNRGBA(i%5, i/5, color.NRGBA{c[0], c[1], c[2], 255})
	}
	for name, data := range map[string][]byte{
		"png palette": pngOf(t, voc), "bmp palette": bmpOf(t, voc), "gif palette": gifOf(t, voc, image.Pt(5, 3)),
		"png grey": pngOf(t, gray), "bmp grey": bmpOf(t, gray), "png colors": pngOf(t, colors), "bmp colors": bmpOf(t, colors),
	} {
		if m, err := DecodeIndexed(data, raster.DefaultLimits()); err != nil || !slices.Equal(m.Pix, want) || m.Width != 5 || m.Height != 3 {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
		if m, err := DecodeGray(data, raster.DefaultLimits()); strings.Contains(name, "colors") != (err != nil) || err == nil && !slices.Equal(m.Pix, want) {
			t.Errorf("%s: as greys: got %+v, %v", name, m, err)
		}
	}
	if _, err := DecodeGray(gifOf(t, voc, image.Pt(6, 3)), raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), "got a frame of 5 x 3 pixels on a screen of 6 x 3") {
		t.Errorf("got %v", err)
	}
	for name, data := range map[string][]byte{"bmp": bmpOf(t, gray), "gif": gifOf(t, voc, image.Pt(5, 3))} {
		if _, err := DecodeGray(data, raster.Limits{MaxPixels: 14, MaxBytes: 1 << 20}); err == nil || !strings.Contains(err.Error(), "got 5 x 3 pixels, want at most 14") {
			t.Errorf("%s over the limit: got %v", name, err)
		}
		if _, err := DecodeGray(data[:len(data)-12], raster.DefaultLimits()); err == nil {
			t.Errorf("%s cut short was accepted", name)
		}
	}
}

// Where the palette is one of greys that run against the numbers, what is seen is the negative of what is read: refused. Colours mean nothing.
func TestMaskPaletteAgainstGreys(t *testing.T) {
	img := func(p color.Palette, pix ...uint8) []byte {
		m := image.NewPaletted(image.Rect(0, 0, len(pix), 1), p)
		copy(m.Pix, pix)
		return pngOf(t, m)
	}
	for name, c := range map[string]struct {
		data []byte
		want string // "" for accepted
	}{
		"black, white":     {img(greys(0, 255), 0, 1, 0), ""},
		"white, black":     {img(greys(255, 0), 0, 1, 0), "number 0 has grey 255, number 1 has grey 0"},
		"only black of it": {img(greys(255, 0), 1, 1), "number 0 has grey 255, number 1 has grey 0"},
		"only white of it": {img(greys(255, 0), 0, 0), "every pixel has number 0, which has grey 255"},
		"only black":       {img(greys(0, 255), 0, 0), ""},
		"black alone":      {img(greys(0, 0, 0), 0, 1, 1), ""},
		"void in between":  {img(greys(0, 255, 128), 0, 1, 2), "number 1 has grey 255, number 2 has grey 128"},
		"unused":           {img(greys(0, 255, 128), 0, 1), ""},
		"colours":          {img(color.Palette{color.White, color.NRGBA{9, 0, 0, 255}}, 0, 1), ""},
	} {
		_, err := DecodeGray(c.data, raster.DefaultLimits())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if _, err := DecodeIndexed(c.data, raster.DefaultLimits()); err != nil {
			t.Errorf("%s: class numbers: %v", name, err)
		}
	}
}

// Masks as Pillow stores them: figure where the left half is.
func TestMasksOfPillow(t *testing.T) {
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" || exec.Command(python, "-c", "import PIL").Run() != nil {
		t.Skip("SKIPPED: HDSEG_PYTHON names no Python with PIL; TestMaskFormats has masks made here")
	}
	const script = `
import sys
from PIL import Image
out = sys.argv[1]
for name, figure in (("255", 255), ("1", 1)):
    m = Image.new("L", (41, 30))
    m.paste(figure, (0, 0, 20, 30))
    for ext in ("png", "bmp", "gif"):
        m.save(f"{out}/{name}.{ext}")
    m.convert("RGB").save(f"{out}/{name}.rgb.bmp")
    m.convert("RGB").save(f"{out}/{name}.webp", lossless=True)
    m.convert("1").save(f"{out}/{name}.1.bmp") if figure == 255 else None
    m.convert("RGB").save(f"{out}/{name}.lossy.webp", quality=90)
    m.convert("RGB").save(f"{out}/{name}.jpg")
`
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 15 {
		t.Fatalf("got %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		m, err := DecodeGray(data, raster.DefaultLimits())
		if strings.HasSuffix(name, "jpg") || strings.Contains(name, "lossy") {
			if err == nil || !strings.Contains(err.Error(), "does not keep values exactly") {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		values, err := m.Guess()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mask, err := m.Binary(values)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range mask.Pix {
			if figure := i%41 < 20; figure != (v == raster.Figure) || !figure != (v == raster.Ground) {
				t.Fatalf("%s: pixel %d is %d", name, i, v)
			}
		}
	}
}

func FuzzDecodeMask(f *testing.F) {
	for _, img := range []*image.Paletted{numbered(VOCPalette()), numbered(greys(0, 1, 255)), numbered(greys(255, 1, 0))} {
		f.Add(pngOf(f, img))
		f.Add(bmpOf(f, img))
		f.Add(gifOf(f, img, image.Pt(5, 3)))
	}
	f.Add([]byte("RIFF\x10\x00\x00\x00WEBPVP8L\x04\x00\x00\x00/\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := raster.Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 16}
		for _, decode := range []func([]byte, raster.Limits) (*Indexed, error){DecodeGray, DecodeIndexed, DecodeShades} {
			m, err := decode(data, lim)
			if (m == nil) != (err != nil) {
				t.Fatalf("got %v and %v", m, err)
			}
			if err == nil && (len(m.Pix) != m.Width*m.Height || int64(len(m.Pix)) > lim.MaxPixels) {
				t.Fatalf("got %d pixels of %d x %d", len(m.Pix), m.Width, m.Height)
			}
		}
	})
}

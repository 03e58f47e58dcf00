package format

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t testing.TB, img image.Image) *Indexed {
	t.Helper()
	m, err := DecodeIndexed(pngOf(t, img), raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// VOC's palette by its published colours.
func TestVOCPalette(t *testing.T) {
	p := VOCPalette()
	for i, want := range map[int][3]uint8{0: {}, 1: {128, 0, 0}, 2: {0, 128, 0}, 3: {128, 128, 0}, 8: {64, 0, 0}, 12: {64, 0, 128}, 13: {192, 0, 128}, 15: {192, 128, 128}, 20: {0, 64, 128}, 255: {224, 224, 192}} {
		if got := p[i].(color.NRGBA); got != (color.NRGBA{want[0], want[1], want[2], 255}) {
			t.Errorf("%d: got %v, want %v", i, got, want)
		}
	}
}

// Palette files are read as indices. Also where two entries have one colour.
func TestPaletteIndices(t *testing.T) {
	same := color.NRGBA{7, 7, 7, 255}
	img := image.NewPaletted(image.Rect(0, 0, 5, 3), color.Palette{same, same, same, color.NRGBA{9, 9, 9, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 4)
	}
	if m := decode(t, img); m.Width != 5 || m.Height != 3 || !slices.Equal(m.Pix, img.Pix) {
		t.Errorf("got %v, want %v", m.Pix, img.Pix)
	}
}

// 16-bit values are numbers, not brightness.
func TestDeepMasks(t *testing.T) {
	img := image.NewGray16(image.Rect(0, 0, 3, 1))
	img.SetGray16(0, 0, color.Gray16{1})
	img.SetGray16(2, 0, color.Gray16{255})
	if m := decode(t, img); !slices.Equal(m.Pix, []uint8{1, 0, 255}) {
		t.Errorf("got %v", m.Pix)
	}
	img.SetGray16(1, 0, color.Gray16{300})
	_, err := DecodeIndexed(pngOf(t, img), raster.DefaultLimits())
	if err == nil || !strings.Contains(err.Error(), "(1, 0): got 300 of 16 bits, want at most 255") {
		t.Errorf("got %v", err)
	}
	for x, v := range []uint16{0, 128 * 257, 65535} { // as programs write what had 8 bits
		img.SetGray16(x, 0, color.Gray16{v})
	}
	if m := decode(t, img); !slices.Equal(m.Pix, []uint8{0, 128, 255}) {
		t.Errorf("got %v", m.Pix)
	}
}

// A figure painted on nothing has its ground where it is transparent, whatever color is written there. Where black is painted too, and
// where edges are soft, it is refused; a photo is called one.
func TestTransparentMasks(t *testing.T) {
	const white, half, black, void, none = 0, 1, 2, 3, 4
	colors := []color.NRGBA{{255, 255, 255, 255}, {255, 255, 255, 128}, {0, 0, 0, 255}, {128, 128, 128, 255}, {255, 255, 255, 0}}
	for _, c := range []struct {
		pix  []int
		want []uint8
		says string
	}{
		{[]int{white, none, void, none}, []uint8{255, 0, 128, 0}, ""},
		{[]int{none, none}, []uint8{0, 0}, ""},
		{[]int{white, black}, []uint8{255, 0}, ""},
		{[]int{white, black, none}, nil, "mask: pixel (2, 0) is transparent, and (1, 0) opaque with the value 0: only one of them can be ground"},
		{[]int{black, none}, nil, "only one of them can be ground"},
		{[]int{white, half, none}, nil, "pixel (1, 0): got alpha 128, want 0 for ground or 255: save it without soft edges"},
	} {
		img := image.NewNRGBA(image.Rect(0, 0, len(c.pix), 1))
		for x, k := range c.pix {
			img.SetNRGBA(x, 0, colors[k])
		}
		m, err := DecodeGray(pngOf(t, img), raster.DefaultLimits())
		if c.says == "" && (err != nil || !slices.Equal(m.Pix, c.want)) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v: got %v, %v, want %v %q", c.pix, m, err, c.want, c.says)
		}
	}
	palette := func(pix []uint8, p ...color.Color) []byte {
		img := image.NewPaletted(image.Rect(0, 0, len(pix), 1), p)
		copy(img.Pix, pix)
		return pngOf(t, img)
	}
	clear := color.NRGBA{255, 255, 255, 0}
	for i, c := range []struct {
		data []byte
		want []uint8
	}{
		{palette([]uint8{1, 0, 1}, colors[black], colors[white]), []uint8{255, 0, 255}},
		{palette([]uint8{1, 0, 2}, clear, colors[white], clear), []uint8{255, 0, 0}},
		{palette([]uint8{2, 0, 1}, colors[black], colors[void], colors[white]), []uint8{255, 0, 128}},
		{palette([]uint8{1, 0}, colors[black], color.NRGBA{255, 0, 0, 255}), []uint8{1, 0}}, // no greys: numbers
		{palette([]uint8{1, 0, 1}, colors[black], colors[black]), []uint8{0, 0, 0}},
	} {
		if m, err := DecodeShades(c.data, raster.DefaultLimits()); err != nil || !slices.Equal(m.Pix, c.want) {
			t.Errorf("palette %d: got %v, %v, want %v", i, m, err, c.want)
		}
	}
	photo := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	grey := image.NewGray(photo.Rect)
	for i := range grey.Pix {
		photo.SetNRGBA(i%30, i/30, color.NRGBA{uint8(i), uint8(i / 3), 7, 255})
		grey.Pix[i] = uint8(i)
	}
	if _, err := DecodeGray(pngOf(t, photo), raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), "over 256 colors, as a photo or an overlay has") {
		t.Errorf("a photo: got %v", err)
	}
	m, err := DecodeGray(pngOf(t, grey), raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Binary(ValuesVoid128); err == nil || !strings.Contains(err.Error(), "want only 0,128,255; a photo has such values") {
		t.Errorf("a grey photo: got %v", err)
	}
}

// Colour-mapped masks go through the whole palette; its white contour is void; a colour outside
// is an error. Alpha below 255 too.
func TestMaskColors(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for x, c := range []color.NRGBA{{0, 0, 0, 255}, {192, 0, 128, 255}, {224, 224, 192, 255}, {64, 128, 64, 255}} {
		img.SetNRGBA(x, 0, c)
	}
	// (64,128,64) has bits r6, g7, b6: number 2 + 8*1 + 8*4 = 42.
	if m := decode(t, img); !slices.Equal(m.Pix, []uint8{0, 13, 255, 42}) {
		t.Errorf("got %v", m.Pix)
	}
	for _, c := range []color.NRGBA{{1, 2, 3, 255}, {192, 0, 128, 254}} {
		img.SetNRGBA(3, 0, c)
		if _, err := DecodeIndexed(pngOf(t, img), raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), "pixel (3, 0)") {
			t.Errorf("%v: got %v", c, err)
		}
	}
}

// Ground inside an object is ground. 255 is void and never a class.
func TestMaskFigure(t *testing.T) {
	m := &Indexed{Pix: []uint8{13, 0, 13, 255, 12, 13}, Width: 3, Height: 2}
	if got := m.Figure(13); !slices.Equal(got.Pix, []uint8{1, 0, 1, 255, 0, 1}) {
		t.Errorf("got %v", got.Pix)
	}
	if !m.Has(12) || m.Has(11) {
		t.Error("12 is there, 11 is not")
	}
}

func TestDecodeIndexedRefuses(t *testing.T) {
	deep := image.NewNRGBA64(image.Rect(0, 0, 2, 2))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut gif":     {[]byte("GIF89a"), "mask: gif: "},
		"jpeg":        {[]byte("\xff\xd8\xff\xe0"), "mask: got a JPEG file, which does not keep values exactly: want PNG"},
		"tiff":        {[]byte("II*\x00\x08"), "mask: got a file in the format TIFF, want PNG, BMP, GIF or lossless WebP"},
		"nothing":     {nil, "mask: got an empty file, want PNG"},
		"cut":         {pngOf(t, image.NewGray(image.Rect(0, 0, 9, 9)))[:50], "mask: "},
		"deep colour": {pngOf(t, deep), "got 16-bit colors"},
	} {
		if _, err := DecodeIndexed(c.data, raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := DecodeIndexed(pngOf(t, image.NewGray(image.Rect(0, 0, 9, 9))), raster.Limits{MaxPixels: 80, MaxBytes: 1 << 20}); err == nil {
		t.Error("81 pixels passed a limit of 80")
	}
}

func TestBinary(t *testing.T) {
	for _, c := range []struct {
		pix   []uint8
		guess Values
		mask  []uint8
	}{
		{[]uint8{0, 0}, Values1, []uint8{0, 0}},
		{[]uint8{0, 1}, Values1, []uint8{0, 1}},
		{[]uint8{0, 255}, Values255, []uint8{0, 1}},
		{[]uint8{255, 255}, Values255, []uint8{1, 1}},
		{[]uint8{0, 1, 255}, ValuesVoid255, []uint8{0, 1, 255}},
		{[]uint8{0, 128, 255}, ValuesVoid128, []uint8{0, 255, 1}},
		{[]uint8{0, 128}, ValuesVoid128, []uint8{0, 255}},
		{[]uint8{0, 1, 128}, "", nil},
		{[]uint8{0, 2}, "", nil},
		{[]uint8{0, 3, 4, 5, 6, 7, 8, 9}, "", nil},
	} {
		m := &Indexed{Pix: c.pix, Width: len(c.pix), Height: 1}
		v, err := m.Guess()
		if v != c.guess || (err == nil) != (c.guess != "") {
			t.Errorf("%v: got %q, %v; want %q", c.pix, v, err, c.guess)
			continue
		}
		if err != nil {
			continue
		}
		if got, err := m.Binary(v); err != nil || !slices.Equal(got.Pix, c.mask) {
			t.Errorf("%v: got %v, %v; want %v", c.pix, got, err, c.mask)
		}
	}
	m := &Indexed{Pix: []uint8{0, 255}, Width: 2, Height: 1}
	if got, err := m.Binary(ValuesVoid255); err != nil || got.Pix[1] != raster.Void {
		t.Errorf("255 as void: got %v, %v", got, err)
	}
	m128 := &Indexed{Pix: []uint8{0, 128}, Width: 2, Height: 1}
	if got, err := m128.Binary(Values128); err != nil || got.Pix[1] != raster.Figure {
		t.Errorf("128 as figure: got %v, %v", got, err)
	}
	if _, err := m.Binary(Values1); err == nil || !strings.Contains(err.Error(), "want only 0,1") {
		t.Errorf("got %v", err)
	}
	if _, err := m.Binary("what"); err == nil {
		t.Error("an unknown convention was accepted")
	}
	if _, err := ParseValues("auto"); err != nil {
		t.Error(err)
	}
	if _, err := ParseValues("0,2"); err == nil {
		t.Error("0,2 is no convention")
	}
}

// A PNG mask with an orientation tag means one thing to one reader and another to the next, so it is refused.
func TestMaskOrientation(t *testing.T) {
	plain := pngOf(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	tagged := func(tag byte) []byte {
		chunk := append([]byte("eXIfMM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), tag, 0, 0, 0, 0, 0, 0)
		b := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
		b = binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
		return slices.Concat(plain[:33], b, plain[33:])
	}
	if m, err := DecodeGray(tagged(1), raster.DefaultLimits()); err != nil || m.Width != 3 {
		t.Errorf("upright: got %+v, %v", m, err)
	}
	for _, tag := range []byte{2, 3, 6} {
		for _, decode := range []func([]byte, raster.Limits) (*Indexed, error){DecodeGray, DecodeIndexed} {
			if _, err := decode(tagged(tag), raster.DefaultLimits()); err == nil || !strings.Contains(err.Error(), "EXIF orientation: got "+string('0'+tag)) {
				t.Errorf("%d: got %v", tag, err)
			}
		}
	}
}

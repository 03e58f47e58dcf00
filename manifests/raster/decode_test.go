package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
)

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flat is a w x h picture of one colour.
func flat(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

// decode1 decodes and returns the top left pixel.
func decode1(t *testing.T, data []byte) ([3]uint8, Info) {
	t.Helper()
	m, info, err := Decode(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	r, g, b := m.At(0, 0)
	return [3]uint8{r, g, b}, info
}

func TestDecodeFormats(t *testing.T) {
	c := color.NRGBA{200, 100, 50, 255}
	var g, b bytes.Buffer
	pal := image.NewPaletted(image.Rect(0, 0, 5, 3), color.Palette{color.NRGBA{0, 0, 0, 255}, c})
	for i := range pal.Pix {
		pal.Pix[i] = 1
	}
	if err := errors.Join(gif.Encode(&g, pal, nil), bmp.Encode(&b, flat(5, 3, c))); err != nil {
		t.Fatal(err)
	}
	for format, data := range map[string][]byte{
		"png": pngOf(t, flat(5, 3, c)), "gif": g.Bytes(), "bmp": b.Bytes(),
	} {
		m, info, err := Decode(data, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if info.Format != format || m.Width != 5 || m.Height != 3 || info.Width != 5 || info.Height != 3 || info.Orientation != 1 || len(info.Notes) != 0 {
			t.Errorf("%s: got %+v and %d x %d", format, info, m.Width, m.Height)
		}
		if w, h, err := Size(data); w != 5 || h != 3 || err != nil {
			t.Errorf("%s: got a size of %d x %d, %v", format, w, h, err)
		}
		if r, g, b := m.At(4, 2); r != 200 || g != 100 || b != 50 {
			t.Errorf("%s: got colour %d,%d,%d, want 200,100,50", format, r, g, b)
		}
	}
	// A flat JPEG block has only a DC term, which quality 95 keeps within 2 levels.
	got, info := decode1(t, jpegOf(t, flat(16, 8, c)))
	if info.Format != "jpeg" || absDiff(got[0], 200) > 2 || absDiff(got[1], 100) > 2 || absDiff(got[2], 50) > 2 {
		t.Errorf("jpeg: got %v %+v", got, info)
	}
	if w, h, err := Size(jpegOf(t, flat(16, 8, c))); w != 16 || h != 8 || err != nil {
		t.Errorf("jpeg: got a size of %d x %d, %v", w, h, err)
	}
	if _, _, err := Size([]byte("no picture")); !errors.Is(err, ErrFormat) {
		t.Errorf("text: got %v", err)
	}
}

func absDiff(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// Content decides, and what is no picture says what it is.
func TestFormatByContent(t *testing.T) {
	for _, s := range []string{"", "GIF8", "<html>404 not found</html>", "RIFF\x00\x00\x00\x00WAVE", "\xff\xd8"} {
		_, _, err := Decode([]byte(s), DefaultLimits())
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%q: got %v, want ErrFormat", s, err)
		}
	}
}

// A JPEG that was cut short is an error, not half a picture.
func TestTruncatedPictures(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37)
	}
	data := jpegOf(t, img)
	for _, keep := range []int{len(data) * 3 / 10, len(data) * 9 / 10, len(data) * 999 / 1000, len(data) - 2, len(data) - 1} {
		if m, _, err := Decode(data[:keep], DefaultLimits()); err == nil || m != nil {
			t.Errorf("%d of %d bytes: got a picture", keep, len(data))
		}
	}
	p := pngOf(t, img)
	if _, _, err := Decode(p[:len(p)-20], DefaultLimits()); err == nil {
		t.Error("a cut PNG was accepted")
	}
}

// Bytes after the picture are counted.
func TestTrailingBytes(t *testing.T) {
	data := append(jpegOf(t, flat(8, 8, color.White)), "<html>\xff\xd9"...)
	_, info := decode1(t, data)
	if info.Trailing != 8 || !slices.Contains(info.Notes, "trailing_bytes") {
		t.Errorf("got %+v, want 8 trailing bytes", info)
	}
}

// Declared sizes are judged before anything is allocated, with a product that cannot
// overflow, and the message says the limit.
func TestDeclaredSize(t *testing.T) {
	p := pngOf(t, flat(2, 2, color.White))
	binary.BigEndian.PutUint32(p[16:], 65535)
	binary.BigEndian.PutUint32(p[20:], 65535)
	j := jpegOf(t, flat(8, 8, color.White))
	sof := bytes.Index(j, []byte{0xff, 0xc0})
	copy(j[sof+5:], "\xff\xff\xff\xff")
	for name, data := range map[string][]byte{"png": fixCRC(p), "jpeg": j} {
		var err error
		n := testing.AllocsPerRun(1, func() { _, _, err = Decode(data, DefaultLimits()) })
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "65535 x 65535") || !strings.Contains(err.Error(), "100000000") {
			t.Errorf("%s: got %v", name, err)
		}
		if n > 100 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	lim := Limits{MaxPixels: 31, MaxBytes: 1 << 20}
	if _, _, err := Decode(pngOf(t, flat(8, 4, color.White)), lim); !errors.Is(err, ErrLimit) {
		t.Errorf("8 x 4 pixels against a limit of 31: got %v", err)
	}
	lim = Limits{MaxPixels: 32, MaxBytes: 10}
	if _, _, err := Decode(pngOf(t, flat(8, 4, color.White)), lim); !errors.Is(err, ErrLimit) {
		t.Errorf("a file over 10 bytes: got %v", err)
	}
	if err := (Limits{}).Validate(); err == nil {
		t.Error("zero limits are valid")
	}
}

// fixCRC renews the checksum of a PNG's first chunk.
func fixCRC(p []byte) []byte {
	fixed := appendChunk(nil, "IHDR", p[16:29])
	copy(p[8:], fixed)
	return p
}

// A bright CMYK or YCCK picture stays bright. Adobe stores ink inverted: 255 is no ink.
func TestCMYK(t *testing.T) {
	for _, c := range []struct {
		transform byte
		notes     []string
	}{{0, []string{"cmyk"}}, {2, []string{"ycck"}}, {255, []string{"cmyk", "no_adobe_marker"}}} {
		// Sample value 240 in all of C, M, Y and K: nearly no ink. Under transform 2 the first three are the YCbCr
		// form of the complement, 255 - 240 = 15: a grey of Y = 15, Cb = Cr = 128 (libjpeg's jdcolor.c, ycck_cmyk_convert).
		dc := [4]int{240, 240, 240, 240}
		if c.transform == 2 {
			dc = [4]int{15, 128, 128, 240}
		}
		got, info := decode1(t, flatCMYK(dc, c.transform))
		// (1 - 15/255)(1 - 15/255) of 255 = 225.9
		for _, v := range got {
			if absDiff(v, 226) > 3 {
				t.Errorf("transform %d: got %v, want about 226", c.transform, got)
				break
			}
		}
		if !slices.Equal(info.Notes, c.notes) {
			t.Errorf("transform %d: notes %v, want %v", c.transform, info.Notes, c.notes)
		}
	}
}

// flatCMYK writes an 8 x 8 JPEG of four components with the given flat sample values; transform 255 leaves the Adobe
// marker out. The quantizer of DC is 8, so a DC coefficient of value-128 gives the sample exactly.
func flatCMYK(samples [4]int, transform byte) []byte {
	b := []byte{0xff, 0xd8}
	if transform != 255 {
		b = append(b, 0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, transform)
	}
	b = append(b, 0xff, 0xdb, 0, 67, 0)
	for range 64 {
		b = append(b, 8)
	}
	b = append(b, 0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4)
	for id := range byte(4) {
		b = append(b, id+1, 0x11, 0)
	}
	// DC codes: sizes 0..7 are the 3-bit codes 000..110 and a 4-bit one; AC: only end of block, code 0.
	b = append(b, 0xff, 0xc4, 0, 19+8, 0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7)
	b = b[:len(b)-1]
	b = append(b, 7)
	b = append(b, 0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, 0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	var acc, n uint
	put := func(v, k uint) {
		for k > 0 {
			k--
			acc, n = acc<<1|v>>k&1, n+1
			if n == 8 {
				if b = append(b, byte(acc)); byte(acc) == 0xff {
					b = append(b, 0)
				}
				acc, n = 0, 0
			}
		}
	}
	for _, s := range samples {
		d := s - 128
		size := uint(0)
		for v := max(d, -d); v > 0; v >>= 1 {
			size++
		}
		if d < 0 {
			d += 1<<size - 1
		}
		if size < 7 {
			put(size, 3)
		} else {
			put(14, 4)
		}
		put(uint(d), size)
		put(0, 1)
	}
	for n != 0 {
		put(1, 1)
	}
	return append(b, 0xff, 0xd9)
}

// Alpha is dropped and the stored colour kept; 16-bit samples give their high byte.
func TestDecodeAlphaAnd16Bit(t *testing.T) {
	got, info := decode1(t, pngOf(t, flat(2, 2, color.NRGBA{10, 20, 30, 0})))
	if got != [3]uint8{10, 20, 30} || !slices.Equal(info.Notes, []string{"alpha"}) {
		t.Errorf("alpha: got %v %v", got, info.Notes)
	}
	deep := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	deep.SetNRGBA64(0, 0, color.NRGBA64{0x12ff, 0x3400, 0xffff, 0x8000})
	got, info = decode1(t, pngOf(t, deep))
	if got != [3]uint8{0x12, 0x34, 0xff} || !slices.Equal(info.Notes, []string{"16bit", "alpha"}) {
		t.Errorf("16 bit: got %v %v", got, info.Notes)
	}
	gray := image.NewGray16(image.Rect(0, 0, 1, 1))
	gray.SetGray16(0, 0, color.Gray16{0x80ff})
	if got, _ = decode1(t, pngOf(t, gray)); got != [3]uint8{0x80, 0x80, 0x80} {
		t.Errorf("16-bit grey: got %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(transparentGIF(f, image.Rect(1, 2, 4, 5), image.Pt(6, 7), true, true))
	f.Add(clearWebP)
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x08Exif\x00\x00"))
	f.Add(flatCMYK([4]int{200, 200, 200, 200}, 2))
	f.Add(EncodeMaskPNG(NewMask(3, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, info, err := Decode(data, Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 16})
		if (m == nil) != (err != nil) {
			t.Fatalf("got picture %v and error %v", m != nil, err)
		}
		if err == nil && (info.Orientation < 1 || info.Orientation > 8 || len(m.Pix) != 3*m.Width*m.Height || m.Width != info.Width || m.Height != info.Height) {
			t.Fatalf("got %+v and %d x %d", info, m.Width, m.Height)
		}
	})
}

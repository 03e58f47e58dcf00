package raster

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// pngHeader is the signature and an IHDR chunk whose checksum is not right: sizes are judged before it.
func pngHeader(w, h uint32) []byte {
	b := []byte(pngSignature + "\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(b, w)
	b = binary.BigEndian.AppendUint32(b, h)
	return append(b, 8, 2, 0, 0, 0, 0, 0, 0, 0)
}

func bmpHeader(w, h int32, compression uint32) []byte {
	b := make([]byte, 54)
	copy(b, "BM")
	binary.LittleEndian.PutUint32(b[10:], 54)
	binary.LittleEndian.PutUint32(b[14:], 40)
	binary.LittleEndian.PutUint32(b[18:], uint32(w))
	binary.LittleEndian.PutUint32(b[22:], uint32(h))
	b[26], b[28] = 1, 24
	binary.LittleEndian.PutUint32(b[30:], compression)
	return b
}

// vp8x is the head of an extended WebP file.
func vp8x(flags byte, w, h uint32) []byte {
	b := []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00")
	b = append(b, flags, 0, 0, 0)
	for _, v := range []uint32{w - 1, h - 1} {
		b = append(b, byte(v), byte(v>>8), byte(v>>16))
	}
	return b
}

// What a header states beyond any decoder's reach is too large, not damaged; sound files of unread kinds are neither.
func TestHeaderReasons(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"png over 32 bits of pixels": {pngHeader(65536, 65536), ErrLimit, "65536 x 65536"},
		"png of the largest sides":   {pngHeader(1<<31-1, 1<<31-1), ErrLimit, "2147483647 x 2147483647"},
		"png beyond the standard":    {pngHeader(1<<32-1, 1<<32-1), ErrLimit, "4294967295 x 4294967295"},
		"bmp":                        {bmpHeader(1<<30, 1<<30, 0), ErrLimit, "1073741824 x 1073741824"},
		"bmp from the top":           {bmpHeader(1<<20, -1<<31, 0), ErrLimit, "1048576 x 2147483648"},
		"webp":                       {vp8x(0, 1<<24, 1<<24), ErrLimit, "16777216 x 16777216"},
		"animated webp":              {vp8x(0x02, 4, 4), ErrUnsupported, "animated"},
		"compressed bmp":             {bmpHeader(4, 4, 1), ErrUnsupported, "bmp"},
	} {
		_, _, err := Decode(c.data, DefaultLimits())
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v with %q", name, err, c.want, c.says)
		}
	}
	for _, short := range [][]byte{pngHeader(9, 9)[:20], bmpHeader(9, 9, 0)[:20], vp8x(0, 9, 9)[:22], pngHeader(0, 9)} {
		if _, _, err := Decode(short, DefaultLimits()); err == nil || errors.Is(err, ErrLimit) || errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: got %v, want damage", short, err)
		}
	}
}

func TestForeign(t *testing.T) {
	for data, want := range map[string]string{
		"": "an empty file", "II*\x00\x08": "TIFF", "MM\x00*": "TIFF", "\x00\x00\x00\x1cftypheic": "HEIC", "\x00\x00\x00\x1cftypavif": "AVIF",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avifmif1": "HEIC", "\x00\x00\x00\x18ftypxxxx\x00\x00\x00\x00xxxxavif": "AVIF", "\x00\x00\x00\x10ftypxxxx\x00\x00\x00\x00heic": `"\x00\x00\x00\x10ftyp"`,
		"\x00\x00\x00\x18ftypisom": `"\x00\x00\x00\x18ftyp"`, "II\xbc\x01\x08": "JPEG XR", "v/1\x01\x02": "OpenEXR", "qoif\x00": "QOI",
		"\xef\xbb\xbf\n<SVG xmlns": "SVG", "<!-- by hand --><svg>": "SVG",
		"\x00\x00\x00\x0cjP  \r\n": "JPEG 2000", "\xff\x0a": "JPEG XL", "8BPS\x00": "Photoshop", "P6\n3 4": "PNM", "<svg xmlns": "SVG",
		"<?xml version='1.0'?><svg>": "SVG", "\n<!DOCTYPE html><p>404": "HTML page", "%PDF-1.4": "PDF", "P9\n": `"P9\n"`, "hello": `"hello"`, "<?xml?><a/>": `"<?xml?><"`,
	} {
		if got := Foreign([]byte(data)); !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %s", data, got, want)
		}
		// What is a picture of another format is not supported, whatever its name; what is none is no picture.
		_, _, err := Decode([]byte(data), DefaultLimits())
		if foreign := ForeignPicture([]byte(data)) != ""; foreign && !errors.Is(err, ErrUnsupported) || !foreign && !errors.Is(err, ErrFormat) {
			t.Errorf("%q: got %v", data, err)
		}
	}
}

package raster

import (
	"encoding/binary"
	"image/color"
	"slices"
	"testing"
)

// tiffOf is an Exif block with one directory entry.
func tiffOf(order binary.AppendByteOrder, tag, typ uint16, count, value uint32) []byte {
	b := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM")
	}
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, tag)
	b = order.AppendUint16(b, typ)
	b = order.AppendUint32(b, count)
	if typ == 3 {
		b = order.AppendUint16(b, uint16(value))
		b = order.AppendUint16(b, 0)
	} else {
		b = order.AppendUint32(b, value)
	}
	return order.AppendUint32(b, 0)
}

func TestExifOrientation(t *testing.T) {
	for _, c := range []struct {
		name string
		tiff []byte
		want int
		ok   bool
	}{
		{"little endian", tiffOf(binary.LittleEndian, 0x112, 3, 1, 6), 6, true},
		{"big endian", tiffOf(binary.BigEndian, 0x112, 3, 1, 8), 8, true},
		{"long", tiffOf(binary.BigEndian, 0x112, 4, 1, 3), 3, true},
		{"another tag", tiffOf(binary.BigEndian, 0x111, 3, 1, 6), 1, true},
		{"value 0", tiffOf(binary.LittleEndian, 0x112, 3, 1, 0), 1, false},
		{"value 9", tiffOf(binary.LittleEndian, 0x112, 3, 1, 9), 1, false},
		{"two values", tiffOf(binary.LittleEndian, 0x112, 3, 2, 6), 1, false},
		{"a rational", tiffOf(binary.LittleEndian, 0x112, 5, 1, 6), 1, false},
		{"no header", []byte("II*"), 1, false},
		{"directory outside", []byte("II*\x00\xff\xff\xff\xff"), 1, false},
		{"directory cut", tiffOf(binary.LittleEndian, 0x112, 3, 1, 6)[:18], 1, false},
	} {
		got, err := exifOrientation(c.tiff)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%s: got %d, %v; want %d", c.name, got, err, c.want)
		}
	}
}

// A PNG's eXIf chunk counts like a JPEG's segment. Broken metadata is noted and the picture kept.
func TestExifInFiles(t *testing.T) {
	tiff := tiffOf(binary.BigEndian, 0x112, 3, 1, 6)
	p := pngOf(t, flat(4, 2, color.White))
	withChunk := slices.Concat(p[:33], appendChunk(nil, "eXIf", tiff), p[33:])
	j := jpegOf(t, flat(8, 8, color.White))
	segment := func(tiff []byte) []byte {
		app1 := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(8+len(tiff)))
		return slices.Concat(j[:2], app1, []byte("Exif\x00\x00"), tiff, j[2:])
	}
	for name, data := range map[string][]byte{"png": withChunk, "jpeg": segment(tiff)} {
		if _, info := decode1(t, data); info.Orientation != 6 || len(info.Notes) != 0 {
			t.Errorf("%s: got %+v, want orientation 6", name, info)
		}
	}
	_, info := decode1(t, segment([]byte("\xff\xfe not a TIFF block")))
	if info.Orientation != 1 || !slices.Equal(info.Notes, []string{"exif_broken"}) {
		t.Errorf("broken block: got %+v", info)
	}
	webp := slices.Concat([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x01\x00\x00\x00\x00\x00EXIF"), binary.LittleEndian.AppendUint32(nil, uint32(len(tiff)+6)), []byte("Exif\x00\x00"), tiff)
	if o, err := exifOrientation(webpEXIF(webp)); o != 6 || err != nil {
		t.Errorf("webp: got %d, %v", o, err)
	}
}

func FuzzExif(f *testing.F) {
	f.Add(tiffOf(binary.LittleEndian, 0x112, 3, 1, 6))
	f.Add(tiffOf(binary.BigEndian, 0x112, 4, 1, 9))
	f.Fuzz(func(t *testing.T, tiff []byte) {
		o, err := exifOrientation(tiff)
		if o < 1 || o > 8 || err != nil && o != 1 {
			t.Fatalf("got %d, %v", o, err)
		}
	})
}

package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// Size returns the width and height in pixels that the header of a picture states, which are those of Decode without a turn. No pixel is
// decoded: a damaged picture may have a size.
func Size(data []byte) (width, height int, err error) {
	format := Sniff(data)
	if format == "jpeg" {
		h, err := scanJPEG(data)
		return h.width, h.height, err
	}
	config, ok := map[string]func(io.Reader) (image.Config, error){
		"png": png.DecodeConfig, "gif": gif.DecodeConfig, "bmp": bmp.DecodeConfig, "webp": webp.DecodeConfig,
	}[format]
	if !ok {
		return 0, 0, fmt.Errorf("%w: got %s", ErrFormat, Foreign(data))
	}
	c, err := config(bytes.NewReader(data))
	return c.Width, c.Height, err
}

// statedSize reads width and height of a PNG, BMP or WebP file off its header, before a decoder that calls sizes beyond its own
// reach damage sees it; ok is false when the header is too short or another, which the decoder is to say.
func statedSize(data []byte, format string) (width, height int64, ok bool) {
	switch {
	case format == "png" && len(data) >= 24 && string(data[12:16]) == "IHDR":
		return int64(binary.BigEndian.Uint32(data[16:])), int64(binary.BigEndian.Uint32(data[20:])), true
	case format == "bmp" && len(data) >= 26 && binary.LittleEndian.Uint32(data[14:]) >= 40:
		w, h := int64(int32(binary.LittleEndian.Uint32(data[18:]))), int64(int32(binary.LittleEndian.Uint32(data[22:])))
		return w, max(h, -h), true // a negative height: rows from the top
	case format == "webp" && len(data) >= 30 && string(data[12:16]) == "VP8X":
		size := func(at int) int64 { return int64(data[at]) | int64(data[at+1])<<8 | int64(data[at+2])<<16 }
		return 1 + size(24), 1 + size(27), true
	}
	return 0, 0, false
}

// CheckHeader refuses by the header alone what is over the limit, and kinds of a format that no decoder here reads.
func CheckHeader(data []byte, format string, lim Limits) error {
	if w, h, ok := statedSize(data, format); ok && w > 0 && h > 0 && w > lim.MaxPixels/h {
		return fmt.Errorf("%w: got %d x %d pixels, want at most %d", ErrLimit, w, h, lim.MaxPixels)
	}
	if format == "webp" && len(data) >= 21 && string(data[12:16]) == "VP8X" && data[20]&0x02 != 0 { // RFC 9649, 2.7.1
		return fmt.Errorf("%w: an animated picture, want a still one", ErrUnsupported)
	}
	return nil
}

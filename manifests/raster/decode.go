package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"hdseg/manifests/raster/jpeg"
)

// Limits guard a decoder against files that declare more than a machine can hold. They are
// checked on the header, before any pixel is allocated.
type Limits struct {
	// MaxPixels is the largest width x height of a picture. At least 1; default 100 million (ours:
	// ImageNet's largest pictures have 61 million).
	MaxPixels int64 `yaml:"maxPixels"`
	// MaxBytes is the largest size of a file. At least 1; default 512 MiB (ours).
	MaxBytes int64 `yaml:"maxBytes"`

	hold *Hold // see Within; nil to decode at once
}

// DefaultLimits returns the limits that every stage uses unless told otherwise.
func DefaultLimits() Limits { return Limits{MaxPixels: 100_000_000, MaxBytes: 512 << 20} }

// Validate reports a limit that is not positive.
func (l Limits) Validate() error {
	if l.MaxPixels <= 0 || l.MaxBytes <= 0 {
		return fmt.Errorf("limits: got %d pixels and %d bytes, want both positive", l.MaxPixels, l.MaxBytes)
	}
	return nil
}

// Info says what Decode found in a file beside its pixels.
type Info struct {
	Format        string // jpeg, png, gif, bmp, webp: by content, never by name
	Width, Height int    // as stored, before any orientation
	Orientation   int    // EXIF tag 1..8; 1 when the file has none or a broken one
	Trailing      int    // bytes after the end of the picture (JPEG only)
	// what had to be normalized: cmyk, ycck, alpha, 16bit, exif_broken, trailing_bytes, ...
	Notes []string
}

// Errors that Decode wraps.
var (
	// nor a picture of any other format that ForeignPicture knows
	ErrFormat = errors.New("not a JPEG, PNG, GIF, BMP or WebP file")
	ErrLimit  = errors.New("over the limit") // size refused before decoding
	// A sound file of a kind that no decoder here reads: TIFF, HEIC and the like, arithmetic or
	// lossless JPEG, 12 bits, animated WebP, compressed BMP.
	ErrUnsupported = jpeg.ErrUnsupported
)

// Decode reads the first picture of a JPEG, PNG, GIF, BMP or WebP file, recognized by its
// first bytes, as 8-bit RGB in stored orientation (use Orient for the upright picture).
//
// Grey becomes three equal channels, palettes their colours, 16-bit samples their high byte,
// alpha is dropped and the stored colour kept (as Pillow's convert("RGB") does), CMYK and
// YCCK follow Adobe's inverted convention. ICC profiles are not applied. A file that is cut short
// or damaged is an error, never part of a picture. Decode does not panic on any input.
func Decode(data []byte, lim Limits) (m *RGB, info Info, err error) {
	if int64(len(data)) > lim.MaxBytes {
		return nil, info, fmt.Errorf("%w: got %d bytes, want at most %d", ErrLimit, len(data), lim.MaxBytes)
	}
	info.Orientation = 1
	info.Format = Sniff(data)
	if what := ForeignPicture(data); info.Format == "" && what != "" {
		return nil, info, fmt.Errorf("%w: got a file in the format %s, want JPEG, PNG, GIF, BMP or WebP", ErrUnsupported, what)
	}
	if info.Format == "" {
		return nil, info, fmt.Errorf("%w: got %s", ErrFormat, Foreign(data))
	}
	// The standard library leaves it to the caller to catch what a decoder did not foresee.
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("%s: the decoder stopped: %v", info.Format, p)
		}
	}()
	if info.Format == "jpeg" {
		m, err = decodeJPEG(data, lim, &info)
	} else {
		m, err = decodeOther(data, lim, &info)
	}
	if err != nil {
		return nil, info, fmt.Errorf("%s: %w", info.Format, unsupported(err))
	}
	return m, info, nil
}

// unsupported marks the errors with which decoders refuse sound files.
func unsupported(err error) error {
	var p png.UnsupportedError
	if errors.As(err, &p) || errors.Is(err, bmp.ErrUnsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

// check refuses sizes that the limits do not allow.
func (l Limits) check(width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("empty picture: got %d x %d pixels", width, height)
	}
	// Division instead of a product, which a hostile header could make overflow.
	if int64(width) > l.MaxPixels/int64(height) {
		return fmt.Errorf("%w: got %d x %d pixels, want at most %d", ErrLimit, width, height, l.MaxPixels)
	}
	return nil
}

func decodeJPEG(data []byte, lim Limits, info *Info) (*RGB, error) {
	h, err := jpeg.Scan(data)
	if err != nil {
		return nil, err
	}
	info.Width, info.Height = h.Width, h.Height
	if err := lim.check(h.Width, h.Height); err != nil {
		return nil, err
	}
	lim.take(h.Width, h.Height)
	orientation(h.EXIF, info)
	if h.End >= 0 {
		info.Trailing = len(data) - h.End
	}
	if info.Trailing > 0 {
		info.Notes = append(info.Notes, "trailing_bytes")
	}
	if h.Components == 4 {
		switch h.Adobe {
		case 2:
			info.Notes = append(info.Notes, "ycck")
		case 0:
			info.Notes = append(info.Notes, "cmyk")
		default: // read by Adobe's convention whether or not the marker is there, as Pillow does
			info.Notes = append(info.Notes, "cmyk", "no_adobe_marker")
		}
	}
	pix, err := jpeg.Decode(data, h)
	return &RGB{Pix: pix, Width: h.Width, Height: h.Height}, err
}

// decodeOther decodes the formats of DecodeImage.
func decodeOther(data []byte, lim Limits, info *Info) (*RGB, error) {
	img, c, err := DecodeImage(data, lim)
	info.Width, info.Height = c.Width, c.Height
	if err != nil {
		return nil, err
	}
	var m *RGB
	switch info.Format {
	case "gif":
		return fromGIF(data, img.(*image.Paletted), c.Width, c.Height, info), nil
	case "webp":
		note(img, info)
		m = fromWebP(img)
	default:
		note(img, info)
		m = FromImage(img)
	}
	orientation(exif(data), info)
	return m, nil
}

// codecs are the decoders of the formats but JPEG.
var codecs = map[string]struct {
	decode func(io.Reader) (image.Image, error)
	config func(io.Reader) (image.Config, error)
}{
	"png": {png.Decode, png.DecodeConfig}, "gif": {gif.Decode, gif.DecodeConfig},
	"bmp": {bmp.Decode, bmp.DecodeConfig}, "webp": {webp.Decode, webp.DecodeConfig},
}

// DecodeImage decodes the first picture of a PNG, GIF, BMP or WebP file with its own pixel type, as
// its library does, which may panic. The config has the size that the header states. What is over
// the limit, and kinds of a format that no decoder here reads, are refused by the header alone.
func DecodeImage(data []byte, lim Limits) (img image.Image, c image.Config, err error) {
	format := Sniff(data)
	if w, h, ok := statedSize(data, format); ok && w > 0 && h > 0 && w > lim.MaxPixels/h {
		return nil, c, fmt.Errorf("%w: got %d x %d pixels, want at most %d", ErrLimit, w, h, lim.MaxPixels)
	}
	// RFC 9649, 2.7.1
	if format == "webp" && len(data) >= 21 && string(data[12:16]) == "VP8X" && data[20]&0x02 != 0 {
		return nil, c, fmt.Errorf("%w: an animated picture, want a still one", ErrUnsupported)
	}
	codec, ok := codecs[format]
	if !ok {
		return nil, c, fmt.Errorf("%w: got %s", ErrFormat, Foreign(data))
	}
	if c, err = codec.config(bytes.NewReader(data)); err != nil {
		return nil, c, err
	}
	if err = lim.check(c.Width, c.Height); err != nil {
		return nil, c, err
	}
	lim.take(c.Width, c.Height)
	img, err = codec.decode(bytes.NewReader(data))
	return img, c, err
}

// Size returns the width and height in pixels that the header of a picture states, which are those
// of Decode without a turn. No pixel is decoded: a damaged picture may have a size.
func Size(data []byte) (width, height int, err error) {
	format := Sniff(data)
	if format == "jpeg" {
		h, err := jpeg.Scan(data)
		return h.Width, h.Height, err
	}
	codec, ok := codecs[format]
	if !ok {
		return 0, 0, fmt.Errorf("%w: got %s", ErrFormat, Foreign(data))
	}
	c, err := codec.config(bytes.NewReader(data))
	return c.Width, c.Height, err
}

// note records what FromImage is going to drop.
func note(img image.Image, info *Info) {
	switch img := img.(type) {
	case *image.Gray16, *image.RGBA64:
		info.Notes = append(info.Notes, "16bit")
	case *image.NRGBA64:
		info.Notes = append(info.Notes, "16bit")
		if !img.Opaque() {
			info.Notes = append(info.Notes, "alpha")
		}
	case interface{ Opaque() bool }:
		if !img.Opaque() {
			info.Notes = append(info.Notes, "alpha")
		}
	}
}

// statedSize reads width and height of a PNG, BMP or WebP file off its header, before a decoder
// that calls sizes beyond its own reach damage sees it; ok is false when the header is too short or
// another, which the decoder is to say.
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

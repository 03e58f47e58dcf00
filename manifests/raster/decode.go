package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// Limits guard a decoder against files that declare more than a machine can hold. They are
// checked on the header, before any pixel is allocated.
type Limits struct {
	MaxPixels int64 `yaml:"maxPixels"` // width x height, 1..; default 100 million (ours: ImageNet's largest pictures have 61 million)
	MaxBytes  int64 `yaml:"maxBytes"`  // of the file, 1..; default 512 MiB (ours)
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
	Format        string   // jpeg, png, gif, bmp, webp: by content, never by name
	Width, Height int      // as stored, before any orientation
	Orientation   int      // EXIF tag 1..8; 1 when the file has none or a broken one
	Trailing      int      // bytes after the end of the picture (JPEG only)
	Notes         []string // what had to be normalized: cmyk, ycck, alpha, 16bit, exif_broken, trailing_bytes, ...
}

// Errors that Decode wraps.
var (
	ErrFormat = errors.New("not a JPEG, PNG, GIF, BMP or WebP file") // nor a picture of any other format that ForeignPicture knows
	ErrLimit  = errors.New("over the limit")                         // size refused before decoding
	// A sound file of a kind that no decoder here reads: TIFF, HEIC and the like, arithmetic or lossless JPEG, 12 bits, animated WebP,
	// compressed BMP.
	ErrUnsupported = errors.New("not supported")
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
	if err := CheckHeader(data, info.Format, lim); err != nil {
		return nil, info, fmt.Errorf("%s: %w", info.Format, err)
	}
	switch info.Format {
	case "jpeg":
		m, err = decodeJPEG(data, lim, &info)
	case "png":
		m, err = decodeWith(png.Decode, png.DecodeConfig, data, lim, &info, FromImage)
		orientation(pngEXIF(data), &info)
	case "gif":
		m, err = decodeGIF(data, lim, &info)
	case "bmp":
		m, err = decodeWith(bmp.Decode, bmp.DecodeConfig, data, lim, &info, FromImage)
	case "webp":
		m, err = decodeWith(webp.Decode, webp.DecodeConfig, data, lim, &info, fromWebP)
		orientation(webpEXIF(data), &info)
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
	h, err := scanJPEG(data)
	if err != nil {
		return nil, err
	}
	info.Width, info.Height = h.width, h.height
	if err := lim.check(h.width, h.height); err != nil {
		return nil, err
	}
	orientation(h.exif, info)
	if h.end < 0 {
		return nil, errors.New("cut short: got no end-of-image marker")
	}
	if info.Trailing = len(data) - h.end; info.Trailing > 0 {
		info.Notes = append(info.Notes, "trailing_bytes")
	}
	if h.components == 4 {
		switch h.adobe {
		case 2:
			info.Notes = append(info.Notes, "ycck")
		case 0:
			info.Notes = append(info.Notes, "cmyk")
		default: // read by Adobe's convention whether or not the marker is there, as Pillow does
			info.Notes = append(info.Notes, "cmyk", "no_adobe_marker")
		}
	}
	return (&jpegDecoder{data: data[:h.end], adobe: h.adobe}).decode()
}

func decodeWith(decode func(io.Reader) (image.Image, error), config func(io.Reader) (image.Config, error), data []byte, lim Limits, info *Info, convert func(image.Image) *RGB) (*RGB, error) {
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	info.Width, info.Height = c.Width, c.Height
	if err := lim.check(c.Width, c.Height); err != nil {
		return nil, err
	}
	img, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	note(img, info)
	return convert(img), nil
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

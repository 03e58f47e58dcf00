package format

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"hdseg/manifests/raster"
)

// A maskDecoder reads a format whose values are exact.
type maskDecoder struct {
	decode func(io.Reader) (image.Image, error)
	config func(io.Reader) (image.Config, error)
}

var maskDecoders = map[string]maskDecoder{
	"png": {png.Decode, png.DecodeConfig}, "bmp": {bmp.Decode, bmp.DecodeConfig},
	"gif": {gif.Decode, gif.DecodeConfig}, "webp": {webp.Decode, webp.DecodeConfig},
}

// decodeMaskImage decodes the file of a mask: PNG, BMP, GIF of one whole frame or lossless WebP, by its content. The kinds of a picture whose values
// change when they are stored are errors, as are those that other readers turn.
func decodeMaskImage(data []byte, lim raster.Limits) (img image.Image, err error) {
	defer func() { // the standard library leaves it to the caller to catch what a decoder did not foresee
		if p := recover(); p != nil {
			img, err = nil, fmt.Errorf("the decoder stopped: %v", p)
		}
	}()
	format := raster.Sniff(data)
	d, ok := maskDecoders[format]
	switch {
	case format == "":
		return nil, fmt.Errorf("got %s, want PNG, BMP, GIF or lossless WebP", raster.Foreign(data))
	case !ok:
		return nil, fmt.Errorf("got a %s file, which does not keep values exactly: want PNG, BMP, GIF or lossless WebP", format)
	}
	if o := raster.MaskOrientation(data); o != 1 {
		return nil, fmt.Errorf("EXIF orientation: got %d, want 1: whether readers turn masks by it nobody knows, so take the tag away", o)
	}
	if err := raster.CheckHeader(data, format, lim); err != nil {
		return nil, err
	}
	c, err := d.config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if int64(c.Width) > lim.MaxPixels/int64(max(c.Height, 1)) {
		return nil, fmt.Errorf("%w: got %d x %d pixels, want at most %d", raster.ErrLimit, c.Width, c.Height, lim.MaxPixels)
	}
	img, err = d.decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	switch img.(type) {
	case *image.YCbCr, *image.NYCbCrA:
		return nil, errors.New("got a lossy WebP file, which does not keep values exactly: want PNG, BMP, GIF or lossless WebP")
	}
	if b := img.Bounds(); b != image.Rect(0, 0, c.Width, c.Height) {
		return nil, fmt.Errorf("got a frame of %d x %d pixels on a screen of %d x %d: want the whole", b.Dx(), b.Dy(), c.Width, c.Height)
	}
	return img, nil
}

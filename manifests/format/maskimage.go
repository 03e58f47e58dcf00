package format

import (
	"errors"
	"fmt"
	"image"

	"hdseg/manifests/raster"
)

// ErrLossy is why a sound picture is no mask.
var ErrLossy = errors.New("which does not keep values exactly: want PNG, BMP, GIF or lossless WebP")

// decodeMaskImage decodes the file of a mask, by its content. Formats that change values and files
// that other readers turn are errors.
func decodeMaskImage(data []byte, lim raster.Limits) (img image.Image, err error) {
	// the standard library leaves it to the caller to catch what a decoder did not foresee
	defer func() {
		if p := recover(); p != nil {
			img, err = nil, fmt.Errorf("the decoder stopped: %v", p)
		}
	}()
	switch raster.Sniff(data) {
	case "":
		return nil, fmt.Errorf("got %s, want PNG, BMP, GIF or lossless WebP", raster.Foreign(data))
	case "jpeg":
		return nil, fmt.Errorf("got a JPEG file, %w", ErrLossy)
	}
	if o := raster.MaskOrientation(data); o != 1 {
		return nil, fmt.Errorf("EXIF orientation: got %d, want 1: some programs turn masks by it and some do not; remove the tag", o)
	}
	img, c, err := raster.DecodeImage(data, lim)
	if err != nil {
		return nil, err
	}
	switch img.(type) {
	case *image.YCbCr, *image.NYCbCrA:
		return nil, fmt.Errorf("got a lossy WebP file, %w", ErrLossy)
	}
	if b := img.Bounds(); b != image.Rect(0, 0, c.Width, c.Height) {
		return nil, fmt.Errorf("got a frame of %d x %d pixels on a screen of %d x %d: want the whole", b.Dx(), b.Dy(), c.Width, c.Height)
	}
	return img, nil
}

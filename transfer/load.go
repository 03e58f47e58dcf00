package transfer

import (
	"fmt"

	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// Codes of manifests.Skip.
const (
	SkipImage   = "corrupt_image" // missing, changed, unreadable, or not of the recorded size
	SkipMask    = "corrupt_mask"  // the same for a source's mask
	SkipNoBox   = "no_box"        // a bbox record none of whose boxes has a pixel in the image
	SkipNoPixel = "no_figure"     // a source whose mask has no object large enough for a window
)

// skipError is a reason to leave a record out.
type skipError struct {
	code string
	err  error
}

func (e *skipError) Error() string { return e.err.Error() }
func (e *skipError) Unwrap() error { return e.err }

// loadImage returns the upright picture of a record.
func loadImage(store *manifests.Store, r *manifests.Record, lim raster.Limits) (*raster.RGB, error) {
	data, err := store.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		return nil, &skipError{SkipImage, fmt.Errorf("transfer: %s: image: %w", r.ID, err)}
	}
	im, _, err := raster.Decode(data, lim)
	if err != nil {
		return nil, &skipError{SkipImage, fmt.Errorf("transfer: %s: image: %w", r.ID, err)}
	}
	if o := r.Image.Orientation; o != 0 {
		im = raster.Orient(im, o)
	}
	if im.Width != r.Image.Width || im.Height != r.Image.Height {
		return nil, &skipError{SkipImage, fmt.Errorf("transfer: %s: image: got %d x %d, want %d x %d", r.ID, im.Width, im.Height, r.Image.Width, r.Image.Height)}
	}
	return im, nil
}

// loadMask returns a mask of a record's image.
func loadMask(store *manifests.Store, r *manifests.Record, m manifests.Mask) (*raster.Mask, error) {
	data, err := store.Read(m.Path, m.SHA256)
	if err != nil {
		return nil, &skipError{SkipMask, fmt.Errorf("transfer: %s: mask: %w", r.ID, err)}
	}
	mask, err := raster.DecodeMask(data)
	if err != nil {
		return nil, &skipError{SkipMask, fmt.Errorf("transfer: %s: mask: %w", r.ID, err)}
	}
	if mask.Width != r.Image.Width || mask.Height != r.Image.Height {
		return nil, &skipError{SkipMask, fmt.Errorf("transfer: %s: mask: got %d x %d, want %d x %d", r.ID, mask.Width, mask.Height, r.Image.Width, r.Image.Height)}
	}
	return mask, nil
}

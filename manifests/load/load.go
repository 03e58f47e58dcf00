// Package load reads the pictures and masks that a manifest names: verified by digest, upright,
// and of the size that the record states.
package load

import (
	"fmt"
	"math"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Hold takes the picture of a record into the process's budget of pixels, as the work with it
// needs. Call it once in each task that decodes beside others, and what it returns when the task
// has ended.
func Hold(r *manifests.Record, work raster.Work) (release func()) {
	h := &raster.Hold{Work: work}
	h.Take(int64(r.Image.Width) * int64(r.Image.Height))
	return h.Release
}

// Image returns the upright picture of a record. The error names the record.
func Image(s *manifests.Store, r *manifests.Record) (*raster.RGB, error) {
	data, err := s.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		return nil, fmt.Errorf("%s: image: %w", r.ID, err)
	}
	// What ingest accepted under the user's limits is not refused here.
	size := int64(r.Image.Width) * int64(r.Image.Height)
	img, _, err := raster.Decode(data, raster.Limits{MaxPixels: max(size, 1), MaxBytes: math.MaxInt64})
	if err != nil {
		return nil, fmt.Errorf("%s: image %s: %w", r.ID, r.Image.Path, err)
	}
	if o := r.Image.Orientation; o != 0 {
		img = raster.Orient(img, o)
	}
	if img.Width != r.Image.Width || img.Height != r.Image.Height {
		return nil, fmt.Errorf("%s: image %s: got %d x %d pixels, want %d x %d", r.ID, r.Image.Path, img.Width,
			img.Height, r.Image.Width, r.Image.Height)
	}
	return img, nil
}

// Mask returns one of a record's masks. The error names the record and the tier.
func Mask(s *manifests.Store, r *manifests.Record, m manifests.Mask) (*raster.Mask, error) {
	data, err := s.Read(m.Path, m.SHA256)
	if err != nil {
		return nil, fmt.Errorf("%s: %s mask: %w", r.ID, m.Tier, err)
	}
	mask, err := raster.DecodeMask(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %s mask %s: %w", r.ID, m.Tier, m.Path, err)
	}
	if mask.Width != r.Image.Width || mask.Height != r.Image.Height {
		return nil, fmt.Errorf("%s: %s mask %s: got %d x %d pixels, want the image's %d x %d", r.ID, m.Tier, m.Path,
			mask.Width, mask.Height, r.Image.Width, r.Image.Height)
	}
	return mask, nil
}

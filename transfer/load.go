package transfer

import (
	"fmt"
	"path/filepath"
	"strings"

	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// Codes of manifests.Skip.
const (
	SkipImage = "corrupt_image" // missing, changed, unreadable, or not of the recorded size
	SkipMask  = "corrupt_mask"  // the same for a source's mask
	SkipDense = dense.Skip      // the array of a network is missing or cannot be read
	SkipNoBox = "no_box"        // a bbox record none of whose boxes has a pixel in the image
)

// skipError is a reason to leave a record out.
type skipError struct {
	code string
	err  error
}

func (e *skipError) Error() string { return e.err.Error() }
func (e *skipError) Unwrap() error { return e.err }

// skip lists a record that was left out; its line names no folder of the machine.
func skip(store *manifests.Store, record string, e *skipError) manifests.Skip {
	return manifests.Skip{Record: record, Reason: e.code, Detail: strings.ReplaceAll(e.Error(), store.Dir()+string(filepath.Separator), "")}
}

// loadImage returns the upright picture of a record.
func loadImage(store *manifests.Store, r *manifests.Record) (*raster.RGB, error) {
	im, err := load.Image(store, r)
	if err != nil {
		return nil, &skipError{SkipImage, fmt.Errorf("transfer: %w", err)}
	}
	return im, nil
}

// A picture is one with the array of a network that covers it, nil for none.
type picture struct {
	*raster.RGB
	dense *feature.Array
}

// loadPicture returns a record's picture.
func (o Options) loadPicture(store *manifests.Store, r *manifests.Record) (picture, error) {
	im, err := loadImage(store, r)
	if err != nil {
		return picture{}, err
	}
	return o.see(r, im)
}

// see adds the array of a record's picture, which a built-in network computes.
func (o Options) see(r *manifests.Record, im *raster.RGB) (picture, error) {
	array, err := dense.Read(o.Dense, r.ID, im)
	if err != nil {
		return picture{}, &skipError{SkipDense, fmt.Errorf("transfer: %w", err)}
	}
	return picture{im, array}, nil
}

// anyArray returns an error if there are arrays, but none of a training picture.
func (o Options) anyArray(m *manifests.Manifest) error {
	var ids []string
	for _, r := range m.Records {
		if r.Split == manifests.Train {
			ids = append(ids, r.ID)
		}
	}
	return dense.Some(o.Dense, ids)
}

// loadMask returns a mask of a record's image.
func loadMask(store *manifests.Store, r *manifests.Record, m manifests.Mask) (*raster.Mask, error) {
	mask, err := load.Mask(store, r, m)
	if err != nil {
		return nil, &skipError{SkipMask, fmt.Errorf("transfer: %w", err)}
	}
	return mask, nil
}

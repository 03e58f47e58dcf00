package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// Options are the choices of ingest that change its output. Where no source is named, the default
// is ours.
type Options struct {
	// What is larger is refused before decoding. Default raster.DefaultLimits.
	Limits raster.Limits `yaml:"limits"`
	// The VOC image set, a file of ImageSets/Segmentation. Default trainval (paper, section 5.1).
	VOCSet string `yaml:"vocSet"`
	// VOC pictures with several objects: union, largest or all. Default union (paper: figure is the
	// class).
	Object string `yaml:"object"`
	// The label that is figure in Stanford Background, 0..254. Default 7, foreground object.
	Region int `yaml:"region"`
	// The first pixel of ImageNet's and VOC's boxes: 0, 1 or auto. Auto is 0 if any coordinate of
	// the set is below 1. Default auto.
	BoxBase string `yaml:"boxBase"`
	// The values of folder masks: 0,1; 0,255; 0,128; 0,1,255; 0,128,255; or auto. The first is
	// ground; of three 255 of 0,1,255 and 128 of 0,128,255 are void. Auto sees it from the values.
	// Default auto.
	MaskValues string `yaml:"maskValues"`
	// Masks of another size: "" refuses, nearest scales them. To be scaled a mask must have the
	// picture's ratio of width to height (within 2%); mask_resized is noted. Default "".
	ResizeMasks string `yaml:"resizeMasks"`
	// What masks of turned pictures follow: stored, upright or auto. It counts for folder masks
	// whose size cannot tell (EXIF tags 2 to 4, or a square picture). stored: the stored pixels, so
	// that they are turned too; upright: the upright picture; auto: stored, and each is noted as an
	// assumption. Default auto.
	MaskOrientation string `yaml:"maskOrientation"`
	// Uses the complete members of a cut archive. Default false: it is an error.
	AllowTruncated bool `yaml:"allowTruncated"`
	// The share of pictures that may be dropped, 0..1, before ingest fails. Archives count too; 0
	// allows none, 1 has no limit. Default 1.
	MaxSkip float64 `yaml:"maxSkip"`
}

// ResizeNearest is the only way in which masks are scaled: every pixel takes the value of the
// nearest one.
const ResizeNearest = "nearest"

// What masks of turned pictures follow; see Options.MaskOrientation.
const (
	OrientationAuto    = "auto"
	OrientationStored  = "stored"
	OrientationUpright = "upright"
)

// Defaults returns the options that builds use unless told otherwise.
func Defaults() Options {
	return Options{
		Limits: raster.DefaultLimits(), VOCSet: "trainval", Object: ObjectUnion, Region: 7, BoxBase: "auto", MaskValues: "auto",
		MaskOrientation: OrientationAuto, MaxSkip: 1,
	}
}

// Validate reports the first field that is out of range.
func (o Options) Validate() error {
	if err := o.Limits.Validate(); err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	if o.VOCSet == "" {
		return fmt.Errorf("ingest: vocSet: got \"\", want the name of an image set")
	}
	if o.Region < 0 || o.Region >= format.VOCVoid {
		return fmt.Errorf("ingest: region: got %d, want 0..254", o.Region)
	}
	if _, err := format.ParseValues(o.MaskValues); err != nil {
		return fmt.Errorf("ingest: maskValues: %w", err)
	}
	if !(o.MaxSkip >= 0 && o.MaxSkip <= 1) {
		return fmt.Errorf("ingest: maxSkip: got %v, want 0..1", o.MaxSkip)
	}
	for _, f := range []struct {
		name, got string
		want      []string
	}{
		{"object", o.Object, []string{ObjectUnion, ObjectLargest, ObjectAll}},
		{"boxBase", o.BoxBase, []string{"auto", "0", "1"}},
		{"resizeMasks", o.ResizeMasks, []string{`""`, ResizeNearest}},
		{"maskOrientation", o.MaskOrientation, []string{OrientationAuto, OrientationStored, OrientationUpright}},
	} {
		if last := len(f.want) - 1; !slices.Contains(f.want, cmp.Or(f.got, `""`)) {
			return fmt.Errorf("ingest: %s: got %q, want %s or %s", f.name, f.got, strings.Join(f.want[:last], ", "), f.want[last])
		}
	}
	return nil
}

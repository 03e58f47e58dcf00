package ingest

import (
	"fmt"

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
	// VOC pictures with several objects of the class: union, largest or all. Default union (paper:
	// figure is the class).
	Object string `yaml:"object"`
	// Stanford Background: the label that is figure, 0..254. Default 7, foreground object.
	Region int `yaml:"region"`
	// First pixel of ImageNet and VOC boxes: 0, 1 or auto, which is 0 if any coordinate of the set
	// is below 1. Default auto.
	BoxBase string `yaml:"boxBase"`
	// What the values of folder masks mean: 0,1 and 0,255 and 0,128 (ground, figure), 0,1,255
	// (255 is void), 0,128,255 (128 is void), or auto, which sees it from the values. Default auto.
	MaskValues string `yaml:"maskValues"`
	// A mask of another size than its picture: "" refuses it, nearest scales it if it has the
	// picture's ratio of width to height (within 2%), and notes mask_resized. Default "".
	ResizeMasks string `yaml:"resizeMasks"`
	// What folder masks of turned pictures follow where their size cannot tell (EXIF tags 2 to 4,
	// or a square picture). stored: the stored pixels, so that they are turned too; upright: the
	// upright picture; auto: stored, and each is noted as an assumption. Default auto.
	MaskOrientation string `yaml:"maskOrientation"`
	// Use the complete members of an archive that was cut short. Default false: it is an error.
	AllowTruncated bool `yaml:"allowTruncated"`
	// Largest share of the pictures and archives that may be dropped, 0..1, before the run is an
	// error: 0 allows none, 1 has no limit. Default 1.
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
	if o.Object != ObjectUnion && o.Object != ObjectLargest && o.Object != ObjectAll {
		return fmt.Errorf("ingest: object: got %q, want %s, %s or %s", o.Object, ObjectUnion, ObjectLargest, ObjectAll)
	}
	if o.Region < 0 || o.Region >= format.VOCVoid {
		return fmt.Errorf("ingest: region: got %d, want 0..254", o.Region)
	}
	if o.BoxBase != "auto" && o.BoxBase != "0" && o.BoxBase != "1" {
		return fmt.Errorf("ingest: boxBase: got %q, want auto, 0 or 1", o.BoxBase)
	}
	if _, err := format.ParseValues(o.MaskValues); err != nil {
		return fmt.Errorf("ingest: maskValues: %w", err)
	}
	if o.ResizeMasks != "" && o.ResizeMasks != ResizeNearest {
		return fmt.Errorf("ingest: resizeMasks: got %q, want \"\" or %s", o.ResizeMasks, ResizeNearest)
	}
	if o.MaskOrientation != OrientationAuto && o.MaskOrientation != OrientationStored && o.MaskOrientation != OrientationUpright {
		return fmt.Errorf("ingest: maskOrientation: got %q, want %s, %s or %s", o.MaskOrientation, OrientationAuto,
			OrientationStored, OrientationUpright)
	}
	if !(o.MaxSkip >= 0 && o.MaxSkip <= 1) {
		return fmt.Errorf("ingest: maxSkip: got %v, want 0..1", o.MaxSkip)
	}
	return nil
}

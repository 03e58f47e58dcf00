package ingest

import (
	"fmt"

	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// Options are the choices of ingest that change its output.
type Options struct {
	// refused before decoding; default raster.DefaultLimits (ours)
	Limits raster.Limits `yaml:"limits"`
	// image set of ImageSets/Segmentation; default trainval (paper, section 5.1)
	VOCSet string `yaml:"vocSet"`
	// VOC pictures with several objects of the class: union, largest or all; default union (paper:
	// figure is the class)
	Object string `yaml:"object"`
	// Stanford Background: the label that is figure, 0..254; default 7, foreground object (ours)
	Region int `yaml:"region"`
	// first pixel of ImageNet and VOC boxes: 0, 1 or auto (0 if any coordinate of the set is below
	// 1); default auto (ours)
	BoxBase string `yaml:"boxBase"`
	// values of folder masks: auto, or see format.Values; default auto (ours)
	MaskValues string `yaml:"maskValues"`
	// what becomes of a mask of another size than its picture: "" refuses it, nearest scales it, if
	// it has the picture's shape (format.SameShape), and notes mask_resized; default "" (ours)
	ResizeMasks string `yaml:"resizeMasks"`
	// What folder masks of turned pictures follow where their size cannot tell: after a mirroring
	// or half turn (tags 2 to 4), or of a square picture. stored: the picture's stored pixels, so
	// that they are turned with it; upright: the upright picture, so that they stay; auto: as
	// stored, and each is noted as an assumption. Where the size tells, it decides. Default auto
	// (ours).
	MaskOrientation string `yaml:"maskOrientation"`
	// use the complete members of an archive that was cut short; default false: it is an error
	// (ours)
	AllowTruncated bool `yaml:"allowTruncated"`
	// largest share of the pictures and archives read that may be dropped, every one that was
	// expected and did not come, before the run is an error, 0..1: 0 allows none, 0.01 is 1 %, 1 is
	// 100 %, no limit; default 1 (ours)
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

// Package exchange carries masks to the tools that people draw with elsewhere, and back: labelme,
// COCO instances, CVAT's segmentation masks, and plain PNG files.
package exchange

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"os"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// The formats.
const (
	PNG     = "png"     // ID.png for each picture: 8-bit grey, 0 ground, 255 figure, 128 void
	Labelme = "labelme" // ID.json for each picture
	COCO    = "coco"    // one instances file
	CVAT    = "cvat"    // a zip of "Segmentation mask 1.1"
)

// Formats lists them.
var Formats = []string{PNG, Labelme, COCO, CVAT}

// VoidLabel is what pixels that nobody can tell are called in formats with labels.
const VoidLabel = "void"

// maxFile bounds what is read of one file, in bytes; larger files are refused.
const maxFile = 256 << 20

// A Drawn is one mask that a file or archive holds.
type Drawn struct {
	Name string // of the picture, without extension: a record's id, or its Key
	Err  error  // not nil for what belongs to no picture: it has no mask

	// Mask decodes it for a picture of the given size; nothing larger is unpacked. input is the
	// digest of the file read.
	Mask func(width, height int) (m *raster.Mask, input manifests.Digest, err error)
}

// An Item is a picture to draw on, and the mask to begin with.
type Item struct {
	Record *manifests.Record
	Image  *raster.RGB
	Mask   *raster.Mask // nil for none
}

// Name is the name of a record's files, without extension.
func Name(r *manifests.Record) string { return campaign.Key(r.ID) }

// Open lists the masks at a path: of a folder for PNG and Labelme, of a file for COCO and CVAT.
// class is the label that is figure.
func Open(kind, path, class string) ([]Drawn, error) {
	switch kind {
	case PNG:
		return openFolder(path, ".png", decodePNG)
	case Labelme:
		return openFolder(path, ".json", func(data []byte, width, height int) (*raster.Mask, error) {
			return decodeLabelme(data, class, width, height)
		})
	case COCO:
		return openCOCO(path, class)
	case CVAT:
		return openCVAT(path, class)
	}
	return nil, fmt.Errorf("format %q: want one of %v", kind, Formats)
}

// decodePNG reads 8-bit grey: 0, 128 and 255 and nothing else.
func decodePNG(data []byte, width, height int) (*raster.Mask, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width != width || c.Height != height {
		return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", c.Width, c.Height, width, height)
	}
	ix, err := format.DecodeIndexed(data, raster.Limits{MaxPixels: int64(width) * int64(height), MaxBytes: maxFile})
	if err != nil {
		return nil, err
	}
	return ix.Binary(format.ValuesVoid128)
}

// encodeGrey is its inverse.
func encodeGrey(m *raster.Mask) ([]byte, error) {
	g := newGray(m.Width, m.Height)
	for i, v := range m.Pix {
		g.Pix[i] = map[uint8]uint8{raster.Ground: 0, raster.Figure: 255, raster.Void: 128}[v]
	}
	var b bytes.Buffer
	err := png.Encode(&b, g)
	return b.Bytes(), err
}

// readLimited reads a file of at most maxFile bytes.
func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: got more than %d MiB", name, maxFile>>20)
	}
	return data, err
}

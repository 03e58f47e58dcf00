package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// imageFolder writes what Hugging Face's imagefolder loader reads, SPLIT/metadata.jsonl with
// images/ and masks/, and boxes.csv for ingest. Masks are upright, since that loader turns pictures
// by their EXIF tag; a picture whose tag is to be ignored becomes a PNG. Records may have no mask.
type imageFolder struct{ *exporter }

type folderEntry struct {
	File       string  `json:"file_name"`
	Mask       *string `json:"mask_file_name"`
	ID         string  `json:"id"`
	Tier       string  `json:"tier"` // of the mask, or of the record if it has none
	Synset     string  `json:"synset"`
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	Boxes      string  `json:"boxes"` // see boxList
	Provenance string  `json:"provenance"`

	boxes []manifests.Box
}

// boxList writes boxes as text, "xMin yMin xMax yMax;...": readers that guess types from values
// fail on lists where a split has no box.
func boxList(boxes []manifests.Box) string {
	var out []string
	for _, b := range boxes {
		out = append(out, fmt.Sprintf("%d %d %d %d", b.XMin, b.YMin, b.XMax, b.YMax))
	}
	return strings.Join(out, ";")
}

func (w *imageFolder) picture(p *picture) (any, []manifests.Box, error) {
	data, ext := []byte(nil), raster.Extensions(p.Image.Format)[0]
	var err error
	if slices.Contains(p.Image.Notes, "exif_ignored") {
		img, err := load.Image(w.Store, p.Record)
		if err != nil {
			return nil, nil, err
		}
		data, ext = raster.EncodePNG(img), "png"
	} else if data, err = w.Store.Read(p.Image.Path, p.Image.SHA256); err != nil {
		return nil, nil, err
	}
	e := folderEntry{
		File: "images/" + p.ID + "." + ext, ID: p.ID, Tier: string(p.Tier), Synset: p.Synset, Width: p.Image.Width, Height: p.Image.Height,
		Boxes: boxList(p.Boxes), boxes: p.Boxes,
	}
	if k, ok := p.mask(); ok {
		mask, err := load.Mask(w.Store, p.Record, k)
		if err != nil {
			return nil, nil, err
		}
		name := "masks/" + p.ID + ".png"
		e.Mask, e.Tier, e.Provenance = &name, string(k.Tier), k.WasGeneratedBy
		if err := w.out.write(string(p.Split)+"/"+name, raster.EncodeMaskPNG(mask)); err != nil {
			return nil, nil, err
		}
	}
	return e, p.Boxes, w.out.write(string(p.Split)+"/"+e.File, data)
}

func (w *imageFolder) split(_ context.Context, split manifests.Split, entries []any) error {
	var lines bytes.Buffer
	boxes := bytes.NewBufferString("image,xmin,ymin,xmax,ymax,label\n")
	j := json.NewEncoder(&lines)
	for _, v := range entries {
		e := v.(folderEntry)
		_ = j.Encode(e) // texts and numbers, to memory
		for _, b := range e.boxes {
			fmt.Fprintf(boxes, "%s,%d,%d,%d,%d,%s\n", e.File, b.XMin, b.YMin, b.XMax, b.YMax, w.Manifest.Class.Name)
		}
	}
	if err := w.out.write(string(split)+"/metadata.jsonl", lines.Bytes()); err != nil {
		return err
	}
	return w.out.write(string(split)+"/boxes.csv", boxes.Bytes())
}

func (w *imageFolder) finish() error {
	return w.out.write("README.md", []byte(w.card("Hugging Face image folder", folderReadme)))
}

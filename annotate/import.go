// Package annotate brings masks drawn by people into a manifest: as the manual tier, a new revision
// each time, with who drew it and when.
package annotate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// A Request names a folder of masks drawn in another tool.
type Request struct {
	Dir     string    // ID.png for each record that has one: 8-bit grey, 0 ground, 255 figure, 128 void
	By      string    // the person
	At      time.Time // when the work was done; kept to the second, UTC
	Workers int
}

// Import returns m with a manual mask of the next revision for every record that has a file in the folder; earlier
// revisions stay. A mask that cannot be read, has other values or another size than its picture is skipped and
// listed. A file that belongs to no record is skipped too. m is not changed; Parent is for the caller to set.
func Import(ctx context.Context, m *manifests.Manifest, store *manifests.Store, req Request) (out *manifests.Manifest, done int, skips []manifests.Skip, err error) {
	if req.By == "" || req.At.IsZero() {
		return nil, 0, nil, errors.New("annotate: want who drew the masks and when")
	}
	files, err := filepath.Glob(filepath.Join(req.Dir, "*.png"))
	if err != nil {
		return nil, 0, nil, err
	}
	out = &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	out.Stage = "annotate"
	index := map[string]int{}
	for i := range out.Records {
		index[out.Records[i].ID] = i
	}
	err = manifests.Each(ctx, req.Workers, len(files),
		func(_ context.Context, i int) (*manifests.Mask, error) {
			at, ok := index[stem(files[i])]
			if !ok {
				return nil, errors.New("no record has this id")
			}
			return read(files[i], &out.Records[at], store, req)
		},
		func(i int, k *manifests.Mask, err error) error {
			id := stem(files[i])
			if pathErr := new(fs.PathError); err != nil && errors.As(err, &pathErr) {
				return err // the folder or the store, not this mask
			}
			if err != nil {
				skips = append(skips, manifests.Skip{Record: id, Reason: "bad_mask", Detail: err.Error()})
				return nil
			}
			r := &out.Records[index[id]]
			r.Masks = append(slices.Clone(r.Masks), *k)
			slices.SortFunc(r.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
			done++
			return nil
		})
	out.Skipped = append(slices.Clone(m.Skipped), skips...)
	return out, done, skips, err
}

func stem(file string) string {
	base := filepath.Base(file)
	return base[:len(base)-len(filepath.Ext(base))]
}

// read stores one mask and describes it.
func read(file string, r *manifests.Record, store *manifests.Store, req Request) (*manifests.Mask, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	g, ok := img.(*image.Gray)
	if !ok {
		return nil, fmt.Errorf("mask: got %T, want 8-bit grey", img)
	}
	if g.Rect.Dx() != r.Image.Width || g.Rect.Dy() != r.Image.Height {
		return nil, fmt.Errorf("mask: got %d x %d pixels, want the picture's %d x %d", g.Rect.Dx(), g.Rect.Dy(), r.Image.Width, r.Image.Height)
	}
	px := raster.NewMask(r.Image.Width, r.Image.Height)
	for i := range px.Pix {
		switch v := g.Pix[i/px.Width*g.Stride+i%px.Width]; v {
		case 0:
		case 255:
			px.Pix[i] = raster.Figure
		case 128:
			px.Pix[i] = raster.Void
		default:
			return nil, fmt.Errorf("mask: pixel (%d, %d): got %d, want 0, 128 or 255", i%px.Width, i/px.Width, v)
		}
	}
	k := &manifests.Mask{Tier: manifests.Manual}
	if old, ok := r.MaskOf(manifests.Manual); ok {
		k.Revision = old.Revision + 1
	}
	if k.Path, k.SHA256, err = store.Put("masks/manual", r.ID, "png", raster.EncodeMaskPNG(px)); err != nil {
		return nil, err
	}
	_, k.Figure, k.Void = px.Areas()
	k.Provenance = manifests.Provenance{
		WasGeneratedBy: "annotate/import", Used: []manifests.Digest{r.Image.SHA256, manifests.Sum(data)},
		WasAttributedTo: req.By, GeneratedAtTime: req.At.UTC().Format(time.RFC3339),
	}
	return k, nil
}

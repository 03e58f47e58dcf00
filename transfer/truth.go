package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// truthOf returns the true mask of a record, nil if there is none or if it is void throughout,
// which tells nothing.
func truthOf(r *manifests.Record, truthDir string) (*raster.Mask, error) {
	for _, name := range truthNames(r.ID) {
		truth, err := readTruth(filepath.Join(truthDir, name+".png"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("transfer: %s: true mask: %w", r.ID, err)
		}
		if _, _, void := truth.Areas(); void == len(truth.Pix) {
			return nil, nil
		}
		return truth, nil
	}
	return nil, nil
}

// truthNames returns what the file of a record's true mask may be called, without extension: its
// id, the name that ingest made the id of, in which odd characters stand as they are, and what
// annotate calls its files.
func truthNames(id string) []string {
	names := []string{id}
	if own, err := url.PathUnescape(id); err == nil && own != id && filepath.IsLocal(own) && !strings.Contains(own, "\x00") {
		names = append(names, own)
	}
	return append(names, manifests.FileKey(id))
}

// readTruth reads an 8-bit grey PNG of 0, 255 and 128 (void); another grey is an error.
func readTruth(name string) (*raster.Mask, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	g, ok := img.(*image.Gray)
	if !ok {
		return nil, fmt.Errorf("got %T, want 8-bit grey", img)
	}
	m := raster.NewMask(g.Rect.Dx(), g.Rect.Dy())
	for y := range m.Height {
		for x, v := range g.Pix[y*g.Stride:][:m.Width] {
			switch v {
			case 0:
			case 255:
				m.Set(x, y, raster.Figure)
			case 128:
				m.Set(x, y, raster.Void)
			default:
				return nil, fmt.Errorf("pixel (%d, %d): got %d, want 0, 128 or 255", x, y, v)
			}
		}
	}
	return m, nil
}

// confusion counts pixels that are void in neither mask by [truth][mask].
func confusion(truth, mask *raster.Mask) (c [2][2]int) {
	for i, t := range truth.Pix {
		if p := mask.Pix[i]; t != raster.Void && p != raster.Void {
			c[t][p]++
		}
	}
	return c
}

// iou returns the figure's intersection over union; 1 if neither has any.
func iou(c [2][2]int) float64 {
	u := c[1][1] + c[1][0] + c[0][1]
	if u == 0 {
		return 1
	}
	return float64(c[1][1]) / float64(u)
}

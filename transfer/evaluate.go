package transfer

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// A Row is the quality of one tier's masks against true ones.
type Row struct {
	Class        string         `json:"class"`
	Tier         manifests.Tier `json:"tier"`
	Images       int            `json:"images"`
	IoUMean      float64        `json:"iou_mean"`       // mean over images of figure's intersection over union
	IoUPooled    float64        `json:"iou_pooled"`     // of all images' pixels together
	PerClassMean float64        `json:"per_class_mean"` // mean of ground's and figure's recall, pooled, in percent
	CPUms        float64        `json:"cpu_ms_per_image"`
}

// Evaluate compares the masks of the bbox and label tiers with those in truthDir, ID.png of 0 ground, 255 figure
// and 128 void (left out), and returns a row per tier that has any. Records without a true mask do not count; a true
// mask that cannot be read or has another size is an error. cpuMs (may be nil) is Result.CPUms.
func Evaluate(m *manifests.Manifest, store *manifests.Store, truthDir string, cpuMs map[string]float64) ([]Row, error) {
	var rows []Row
	for _, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		row := Row{Class: m.Class.Name, Tier: tier}
		var pooled [2][2]int // [truth][mask]
		for i := range m.Records {
			r := &m.Records[i]
			ref, ok := r.MaskOf(tier)
			if !ok {
				continue
			}
			truth, err := readTruth(filepath.Join(truthDir, r.ID+".png"))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("transfer: %s: true mask: %w", r.ID, err)
			}
			mask, err := loadMask(store, r, ref)
			if err != nil {
				return nil, err
			}
			if truth.Width != mask.Width || truth.Height != mask.Height {
				return nil, fmt.Errorf("transfer: %s: true mask: got %d x %d, want %d x %d", r.ID, truth.Width, truth.Height, mask.Width, mask.Height)
			}
			c := confusion(truth, mask)
			for t := range c {
				for p := range c[t] {
					pooled[t][p] += c[t][p]
				}
			}
			row.Images++
			row.IoUMean += iou(c)
			row.CPUms += cpuMs[r.ID]
		}
		if row.Images == 0 {
			continue
		}
		row.IoUMean /= float64(row.Images)
		row.CPUms /= float64(row.Images)
		row.IoUPooled = iou(pooled)
		row.PerClassMean = 50 * (ratio(pooled[0][0], pooled[0][0]+pooled[0][1]) + ratio(pooled[1][1], pooled[1][0]+pooled[1][1]))
		rows = append(rows, row)
	}
	return rows, nil
}

// readTruth reads a grey PNG of 0, 255 and 128 (void); other greys are void too near the middle and else an error.
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

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

package pipeline

import (
	"fmt"

	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A record is drawn in panels, so many in a row, whose longer side has at most so many pixels; the
// caption has two lines.
const (
	recordColumns = 3
	recordSide    = 480
	recordGap     = 8
)

// A recordPanel is a part of a drawn record.
type recordPanel struct {
	img     *raster.RGB
	caption [2]string
}

// DrawRecord returns a picture of a record: its image with its boxes, and beside it every mask over
// the image with what is known of it below.
func DrawRecord(store *manifests.Store, r *manifests.Record) (*raster.RGB, error) {
	img, err := load.Image(store, r)
	if err != nil {
		return nil, err
	}
	w, h := img.Width, img.Height
	if long := max(w, h); long > recordSide {
		w, h = max(1, w*recordSide/long), max(1, h*recordSide/long)
	}
	small := raster.Shown(img, w, h)
	boxed := &raster.RGB{Pix: append([]uint8(nil), small.Pix...), Width: w, Height: h}
	for i, b := range r.Boxes {
		outline(boxed, b.XMin*w/img.Width, b.YMin*h/img.Height, b.XMax*w/img.Width, b.YMax*h/img.Height)
		raster.Write(boxed, min(max(0, b.XMin*w/img.Width+4), w-1), min(max(0, b.YMin*h/img.Height+2), max(0, h-raster.LineHeight)),
			fmt.Sprint(i+1))
	}
	panels := []recordPanel{{boxed, [2]string{r.ID, fmt.Sprintf("%s, %s, %d x %d, boxes: %d", r.Split, r.Tier, img.Width, img.Height,
		len(r.Boxes))}}}
	for _, m := range r.Masks {
		mask, err := load.Mask(store, r, m)
		if err != nil {
			return nil, err
		}
		over := &raster.RGB{Pix: append([]uint8(nil), small.Pix...), Width: w, Height: h}
		report.Tint(over, raster.ResizeNearest(mask, w, h))
		panels = append(panels, recordPanel{over, [2]string{MaskTitle(m), "by " + m.WasGeneratedBy}})
	}
	return arrange(panels), nil
}

// MaskTitle names a mask: its tier, revision, predicted IoU and status.
func MaskTitle(m manifests.Mask) string {
	text := fmt.Sprintf("%s, revision %d", m.Tier, m.Revision)
	if m.Quality > 0 {
		text += fmt.Sprintf(", predicted IoU %.2f", m.Quality)
	}
	if m.Status != "" {
		text += ", " + m.Status
	}
	return text
}

// outline draws the border of a half-open box, three pixels wide, within the picture.
func outline(m *raster.RGB, x0, y0, x1, y1 int) {
	for y := max(0, y0); y < min(y1, m.Height); y++ {
		for x := max(0, x0); x < min(x1, m.Width); x++ {
			switch d := min(x-x0, y-y0, x1-1-x, y1-1-y); {
			case d == 1:
				m.Set(x, y, 255, 220, 0)
			case d < 3:
				m.Set(x, y, 0, 0, 0)
			}
		}
	}
}

// arrange puts panels of one size side by side, their captions below.
func arrange(panels []recordPanel) *raster.RGB {
	least := 200 // pixels, so that a narrow picture has room for its caption
	w, h := max(least, panels[0].img.Width), panels[0].img.Height
	columns := min(recordColumns, len(panels))
	rows := (len(panels) + columns - 1) / columns
	out := raster.NewRGB(columns*(w+recordGap)-recordGap, rows*(h+2*raster.LineHeight+recordGap)-recordGap)
	for i, p := range panels {
		left, top := i%columns*(w+recordGap), i/columns*(h+2*raster.LineHeight+recordGap)
		for y := range p.img.Height {
			copy(out.Pix[3*((top+y)*out.Width+left):], p.img.Pix[3*y*p.img.Width:3*(y+1)*p.img.Width])
		}
		for k, line := range p.caption {
			raster.Write(out, left, top+h+k*raster.LineHeight, raster.Shorten(line, w))
		}
	}
	return out
}

package report

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image/jpeg"

	"hdseg/manifests/raster"
)

// A Picture is one image of the page with what was drawn over it.
type Picture struct {
	ID     string
	Note   string // why it is shown: "best, IoU 0.93"
	Panels []Panel
}

// A Panel is a picture with a mask over it.
type Panel struct {
	Title         string
	JPEG          []byte
	Width, Height int
}

// URI returns the picture as a data URI.
func (p Panel) URI() template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(p.JPEG))
}

// panelSide is the longer side of a panel in pixels, and panelQuality its JPEG quality: some 8 KB
// each.
const (
	panelSide    = 224
	panelQuality = 80
)

// NewPanel draws a mask over a picture, both made small: figure is green with a bright rim, void
// gray. A nil mask leaves the picture as it is.
func NewPanel(title string, img *raster.RGB, mask *raster.Mask) Panel {
	w, h := panelSide, panelSide
	if img.Width > img.Height {
		h = max(1, img.Height*panelSide/img.Width)
	} else {
		w = max(1, img.Width*panelSide/img.Height)
	}
	small := raster.Resize(img, w, h)
	if mask != nil {
		Tint(small, raster.ResizeNearest(mask, w, h))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, small.Image(), &jpeg.Options{Quality: panelQuality}); err != nil {
		panic("report: writing into memory: " + err.Error())
	}
	return Panel{title, b.Bytes(), w, h}
}

// Tint draws a mask of the same size over a picture: figure green with a bright rim, void gray.
func Tint(img *raster.RGB, m *raster.Mask) {
	for y := range m.Height {
		for x := range m.Width {
			px := img.Pix[3*(y*m.Width+x):][:3]
			switch {
			case m.At(x, y) == raster.Void:
				px[0], px[1], px[2] = px[0]/2+64, px[1]/2+64, px[2]/2+64
			case m.At(x, y) != raster.Figure:
			case rim(m, x, y):
				px[0], px[1], px[2] = 255, 235, 59
			default:
				px[0], px[1], px[2] = px[0]/2, px[1]/2+127, px[2]/2
			}
		}
	}
}

// rim tells whether a pixel of the figure has a neighbor that is not.
func rim(m *raster.Mask, x, y int) bool {
	for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		u, v := x+d[0], y+d[1]
		if u >= 0 && v >= 0 && u < m.Width && v < m.Height && m.At(u, v) != raster.Figure {
			return true
		}
	}
	return false
}

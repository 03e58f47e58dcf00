package web

import (
	"fmt"
	"image"

	"hdseg/transfer"
)

// A cutRequest asks for a figure.
type cutRequest struct {
	// each xMin, yMin, xMax, yMax, half-open: outside all is ground; none: anywhere
	Boxes  [][]int `json:"boxes"`
	Clicks [][]int `json:"clicks"` // each x, y of a pixel of the figure
	Marks  *Runs   `json:"marks"`  // scribbles: 0 ground, 1 figure, 255 open
	Mask   *Runs   `json:"mask"`   // the mask to correct; nil to cut anew
}

// maxPointed bounds the boxes, and the clicks, of one request.
const maxPointed = 100

// pointing checks a request about a picture of a size.
func (q *cutRequest) pointing(width, height int) (p transfer.Pointing, err error) {
	all := image.Rect(0, 0, width, height)
	if len(q.Boxes) > maxPointed || len(q.Clicks) > maxPointed {
		return p, fmt.Errorf("got %d boxes and %d clicks, want at most %d of each", len(q.Boxes), len(q.Clicks), maxPointed)
	}
	for _, b := range q.Boxes {
		if len(b) != 4 {
			return p, fmt.Errorf("box: got %d numbers, want 4", len(b))
		}
		r := image.Rectangle{image.Pt(b[0], b[1]), image.Pt(b[2], b[3])}.Intersect(all)
		if r.Dx() < 4 || r.Dy() < 4 {
			return p, fmt.Errorf("box: want at least 4 x 4 pixels inside the picture")
		}
		p.Boxes = append(p.Boxes, r)
	}
	for _, c := range q.Clicks {
		if len(c) != 2 || !image.Pt(c[0], c[1]).In(all) {
			return p, fmt.Errorf("click: got %v, want x and y of a pixel of the picture", c)
		}
		p.Clicks = append(p.Clicks, image.Pt(c[0], c[1]))
	}
	if q.Marks != nil {
		if p.Marks, err = q.Marks.Mask(width, height); err != nil {
			return p, err
		}
	}
	if q.Mask != nil {
		p.Was, err = q.Mask.Mask(width, height)
	}
	return p, err
}

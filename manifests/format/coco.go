package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hdseg/manifests/raster"
)

// A COCOID is an id of an instances file: most have numbers, some tools write strings. Kept as
// text, so that 7, 7.0 and "7" are one.
type COCOID string

func (id *COCOID) UnmarshalJSON(b []byte) error {
	var s string
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	} else {
		var n json.Number
		if err := json.Unmarshal(b, &n); err != nil {
			return err
		}
		s = n.String()
		if f, err := n.Float64(); err == nil && strings.ContainsAny(s, ".eE") && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			s = strconv.FormatInt(int64(f), 10)
		}
	}
	*id = COCOID(s)
	return nil
}

// A COCOImage is an entry of an instances file's images.
type COCOImage struct {
	ID     COCOID `json:"id"`
	File   Text   `json:"file_name"`
	Width  Whole  `json:"width"`  // 0 or below, as some tools write, is not known
	Height Whole  `json:"height"` //
}

// A COCOCategory is an entry of its categories.
type COCOCategory struct {
	ID   COCOID `json:"id"`
	Name Text   `json:"name"`
}

// A COCOAnnotation is an entry of its annotations: one object, or a region of many ("crowd").
type COCOAnnotation struct {
	ID           COCOID          `json:"id"`
	Image        COCOID          `json:"image_id"`
	Category     COCOID          `json:"category_id"`
	Crowd        flag            `json:"iscrowd"`
	Box          json.RawMessage `json:"bbox"` // see Rect
	Segmentation json.RawMessage `json:"segmentation"`

	fault error // of an entry that could not be read
}

// ErrNoPixels is wrapped by COCOMask when an annotation has no segmentation: [], [[]], null.
var ErrNoPixels = errors.New("no segmentation")

// errNull is what a coordinate null is: Unmarshal would read it as 0.
var errNull = errors.New("got null, want a number")

// Rect returns an annotation's box: x, y, width, height in pixels from 0; nil where there is none
// (no bbox, null or []). Anything else that is not four numbers is an error, which names the
// annotation.
func (a *COCOAnnotation) Rect() ([]float64, error) {
	if len(a.Box) == 0 {
		return nil, nil
	}
	var list []json.RawMessage
	v := make([]float64, 0, 4)
	err := json.Unmarshal(a.Box, &list)
	if err != nil {
		err = fmt.Errorf("got %s, want x, y, width, height", cut(a.Box))
	}
	for _, raw := range list {
		f, bad := number(raw)
		if string(raw) == "null" {
			bad = errNull
		}
		v = append(v, f)
		err = cmp.Or(err, bad)
	}
	switch {
	case err != nil:
	case len(v) == 0:
		return nil, nil
	case len(v) != 4:
		err = fmt.Errorf("got %d numbers, want x, y, width, height", len(v))
	default:
		return v, nil
	}
	return nil, fmt.Errorf("annotation %s: bbox: %w", a.ID, err)
}

// Empty tells whether an annotation has no segmentation at all, as those of boxes.
func (a *COCOAnnotation) Empty() bool {
	if a.fault != nil {
		return false
	}
	s := strings.Join(strings.Fields(string(a.Segmentation)), "")
	return s == "" || s == "null" || s == "[]" || s == "[[]]" || s == `""` || s == "{}"
}

// BoxDisagrees tells whether the box is none of the polygons: it ends more than a tenth of its size
// (or 2 pixels) from where they end, as when x2 and y2 were written for width and height.
func (a *COCOAnnotation) BoxDisagrees() bool {
	r, err := a.Rect()
	var polygons [][]float64
	if r == nil || err != nil || json.Unmarshal(a.Segmentation, &polygons) != nil {
		return false
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range polygons {
		for i, v := range p {
			low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
		}
	}
	for k := range 2 {
		off := max(2, (high[k]-low[k])/10)
		if high[k] >= low[k] && (math.Abs(r[k]-low[k]) > off || math.Abs(r[k]+r[k+2]-high[k]) > off) {
			return true
		}
	}
	return false
}

// addTo joins an annotation's pixels to a mask.
func (a *COCOAnnotation) addTo(m *columnMask) error {
	if a.fault != nil {
		return fmt.Errorf("annotation %s: %w", a.ID, a.fault)
	}
	s := bytes.TrimSpace(a.Segmentation)
	if len(s) > 0 && s[0] == '{' {
		r, err := a.runs(s, m.height, m.width)
		if err == nil {
			m.addRuns(r)
		}
		return err
	}
	var polygons [][]float64
	if len(s) > 0 {
		if err := json.Unmarshal(s, &polygons); err != nil {
			return fmt.Errorf("annotation %s: segmentation: got %s, want a list of polygons, [[x, y, ...]], or run lengths", a.ID, cut(s))
		}
		if len(polygons) > 0 && bytes.Contains(s, []byte("null")) {
			return fmt.Errorf("annotation %s: segmentation: %w", a.ID, errNull)
		}
	}
	points := 0
	for i, p := range polygons {
		if Fractions(m.width, m.height, p...) {
			return fmt.Errorf("annotation %s: polygon %d: got fractions of the picture, want pixels: multiply them by its width and height",
				a.ID, i)
		}
		if points += len(p); len(p) > 0 && len(p) < 6 {
			return fmt.Errorf("annotation %s: polygon %d: got %d coordinates, want at least 3 points", a.ID, i, len(p))
		}
	}
	if points == 0 {
		return fmt.Errorf("annotation %s: %w", a.ID, ErrNoPixels)
	}
	if err := addPolygons(m, polygons); err != nil {
		return fmt.Errorf("annotation %s: %w", a.ID, err)
	}
	return nil
}

func (a *COCOAnnotation) runs(s []byte, height, width int) (RLE, error) {
	var v struct {
		Size   [2]Whole
		Counts json.RawMessage
	}
	if err := json.Unmarshal(s, &v); err != nil {
		return RLE{}, fmt.Errorf("annotation %s: segmentation: %w", a.ID, err)
	}
	if v.Size != [2]Whole{Whole(height), Whole(width)} {
		return RLE{}, fmt.Errorf("annotation %s: size: got %d x %d, want the image's %d x %d", a.ID, v.Size[1], v.Size[0], width, height)
	}
	var text string
	r := RLE{Height: height, Width: width}
	err := json.Unmarshal(v.Counts, &text)
	if err == nil {
		r, err = ParseRLE(text, height, width)
	} else {
		var counts []Whole
		if err = json.Unmarshal(v.Counts, &counts); err == nil {
			for _, c := range counts {
				r.Counts = append(r.Counts, int(c))
			}
			if err = r.Check(); bytes.Contains(v.Counts, []byte("null")) {
				err = errNull
			}
		}
	}
	if err != nil {
		return RLE{}, fmt.Errorf("annotation %s: counts: %w", a.ID, err)
	}
	return r, nil
}

// COCOMask lays annotations of one image over one another: what any object covers is figure, what
// only a crowd covers is void, because a crowd's border is drawn around many. The box of an
// annotation without readable pixels is void too; its error, which says so, is in bad, and so is
// that of an annotation without segmentation and box, which says nothing of the picture. What
// cannot be read and has no box in the picture may be anywhere: it is the error of all, as where no
// annotation has pixels.
func COCOMask(annotations []COCOAnnotation, height, width int) (m *raster.Mask, bad []error, err error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return nil, nil, err
	}
	objects, crowds := newColumnMask(height, width), newColumnMask(height, width)
	for i := range annotations {
		a, to := &annotations[i], objects
		if a.Crowd {
			to = crowds
		}
		fault := a.addTo(to)
		if fault == nil {
			continue
		}
		switch box := a.region(width, height); {
		case box == nil && !errors.Is(fault, ErrNoPixels):
			return nil, nil, fault
		case box == nil:
			bad = append(bad, fmt.Errorf("%w and no box: it is left out", fault))
		case addPolygons(crowds, [][]float64{box}) != nil:
			return nil, nil, fault
		default:
			bad = append(bad, fmt.Errorf("%w: its box is void", fault))
		}
	}
	if n := len(bad); n > 0 && n == len(annotations) {
		return nil, nil, bad[0]
	}
	m = raster.NewMask(width, height)
	crowds.paint(m, raster.Void)
	objects.paint(m, raster.Figure)
	return m, bad, nil
}

// region returns the corners of an annotation's box as a polygon, nil where it has none in a
// picture of width x height pixels.
func (a *COCOAnnotation) region(width, height int) []float64 {
	r, err := a.Rect()
	if err != nil || r == nil {
		return nil
	}
	x, y, right, low := r[0], r[1], r[0]+r[2], r[1]+r[3]
	if Fractions(width, height, x, y, right, low) || right <= max(x, 0) || low <= max(y, 0) || x >= float64(width) || y >= float64(height) {
		return nil
	}
	return []float64{x, y, right, y, right, low, x, low}
}

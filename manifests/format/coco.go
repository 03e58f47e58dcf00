package format

import (
	"bytes"
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
	ID            COCOID `json:"id"`
	File          string `json:"file_name"`
	Width, Height int
}

// A COCOCategory is an entry of its categories.
type COCOCategory struct {
	ID   COCOID `json:"id"`
	Name string `json:"name"`
}

// A COCOAnnotation is an entry of its annotations: one object, or a region of many ("crowd").
type COCOAnnotation struct {
	ID           COCOID          `json:"id"`
	Image        COCOID          `json:"image_id"`
	Category     COCOID          `json:"category_id"`
	Crowd        flag            `json:"iscrowd"`
	Box          json.RawMessage `json:"bbox"` // see Rect
	Segmentation json.RawMessage `json:"segmentation"`
}

// A flag is a JSON boolean or number.
type flag bool

func (f *flag) UnmarshalJSON(b []byte) error {
	s := string(b)
	*f = flag(s != "0" && s != "false" && s != "null")
	return nil
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
	var v []float64
	err := json.Unmarshal(a.Box, &v)
	switch {
	case err != nil:
	case len(v) == 0:
		return nil, nil
	case len(v) != 4:
		err = fmt.Errorf("got %d numbers, want x, y, width, height", len(v))
	case bytes.Contains(a.Box, []byte("null")):
		err = errNull
	default:
		return v, nil
	}
	return nil, fmt.Errorf("annotation %s: bbox: %w", a.ID, err)
}

// addTo joins an annotation's pixels to a mask.
func (a *COCOAnnotation) addTo(m *columnMask) error {
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
			return fmt.Errorf("annotation %s: segmentation: %w", a.ID, err)
		}
		if len(polygons) > 0 && bytes.Contains(s, []byte("null")) {
			return fmt.Errorf("annotation %s: segmentation: %w", a.ID, errNull)
		}
	}
	points := 0
	for i, p := range polygons {
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
		Size   [2]int
		Counts json.RawMessage
	}
	if err := json.Unmarshal(s, &v); err != nil {
		return RLE{}, fmt.Errorf("annotation %s: segmentation: %w", a.ID, err)
	}
	if v.Size != [2]int{height, width} {
		return RLE{}, fmt.Errorf("annotation %s: size: got %d x %d, want the image's %d x %d", a.ID, v.Size[1], v.Size[0], width, height)
	}
	var text string
	r := RLE{Height: height, Width: width}
	err := json.Unmarshal(v.Counts, &text)
	if err == nil {
		r, err = ParseRLE(text, height, width)
	} else if err = json.Unmarshal(v.Counts, &r.Counts); err == nil {
		if err = r.Check(); bytes.Contains(v.Counts, []byte("null")) {
			err = errNull
		}
	}
	if err != nil {
		return RLE{}, fmt.Errorf("annotation %s: counts: %w", a.ID, err)
	}
	return r, nil
}

// COCOMask lays annotations of one image over one another: what any object covers is figure, what
// only a crowd covers is void, because a crowd's border is drawn around many.
func COCOMask(annotations []COCOAnnotation, height, width int) (*raster.Mask, error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return nil, err
	}
	objects, crowds := newColumnMask(height, width), newColumnMask(height, width)
	for i := range annotations {
		a, to := &annotations[i], objects
		if a.Crowd {
			to = crowds
		}
		if err := a.addTo(to); err != nil {
			return nil, err
		}
	}
	m := raster.NewMask(width, height)
	crowds.paint(m, raster.Void)
	objects.paint(m, raster.Figure)
	return m, nil
}

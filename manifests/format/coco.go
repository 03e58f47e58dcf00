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
	if string(b) == nanText {
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	} else {
		var n json.Number
		if err := json.Unmarshal(b, &n); err != nil {
			return fmt.Errorf("got %s, want an id: a number or a text", cut(b))
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
	ID            COCOID
	File          Text
	Width, Height Size // 0 or below, as some tools write, is not known
}

func (im *COCOImage) fields() map[string]any {
	return map[string]any{"id": &im.ID, "file_name": &im.File, "width": &im.Width, "height": &im.Height}
}

// A COCOCategory is an entry of its categories.
type COCOCategory struct {
	ID   COCOID
	Name Text
}

func (c *COCOCategory) fields() map[string]any {
	return map[string]any{"id": &c.ID, "name": &c.Name}
}

// Clash is the error of an id that names the class and another category: nobody can tell what its
// annotations mark. known are the names before, by id; the category joins them.
func (c *COCOCategory) Clash(known map[COCOID]string, class string) error {
	old, ok := known[c.ID]
	if known[c.ID] = string(c.Name); ok && old != string(c.Name) && (old == class || string(c.Name) == class) {
		return fmt.Errorf("categories: %s and %s have the same id %s, so their annotations cannot be told apart: give every category an id "+
			"of its own", old, c.Name, c.ID)
	}
	return nil
}

// A COCOAnnotation is an entry of its annotations: one object, or a region of many ("crowd").
type COCOAnnotation struct {
	ID, Image, Category COCOID
	Crowd               flag
	Box                 json.RawMessage // see Rect
	Segmentation        json.RawMessage

	fault error // of an entry that could not be read
	at    int64 // the byte of its file at which it begins; 0 if that is not known
}

func (a *COCOAnnotation) fields() map[string]any {
	return map[string]any{"id": &a.ID, "image_id": &a.Image, "category_id": &a.Category, "iscrowd": &a.Crowd, "bbox": &a.Box,
		"segmentation": &a.Segmentation}
}

// wrong names the annotation in an error, and its byte if that is known.
func (a *COCOAnnotation) wrong(format string, args ...any) error {
	where := fmt.Sprintf("annotation %s", a.ID)
	if a.at > 0 {
		where += fmt.Sprintf(" at byte %d", a.at)
	}
	return fmt.Errorf(where+": "+format, args...)
}

// ErrNoPixels is wrapped by COCOMask when an annotation has no segmentation: [], [[]], null.
var ErrNoPixels = errors.New("no segmentation")

// ErrNoFigure is the fault in COCOMask of polygons that lie outside of the picture or are lines: an
// all-ground mask would say that the object is not there. Run lengths say so in so many words.
var ErrNoFigure = errors.New("no shape covers a pixel of the picture")

// ErrFractions is the fault of a polygon within 0..1.
var ErrFractions = errors.New("got fractions of the picture, want pixels: multiply them by its width and height")

// Rect returns an annotation's box: x, y, width, height in pixels from 0; nil where there is none
// (no bbox, null or []). Anything else that is not four numbers is an error, which names the
// annotation.
func (a *COCOAnnotation) Rect() ([]float64, error) {
	if len(a.Box) == 0 {
		return nil, nil
	}
	var v []Float
	switch err := json.Unmarshal(a.Box, &v); {
	case errors.As(err, new(*json.UnmarshalTypeError)):
		return nil, a.wrong("bbox: got %s, want x, y, width, height", cut(a.Box))
	case err != nil:
		return nil, a.wrong("bbox: %w", err)
	case len(v) != 0 && len(v) != 4:
		return nil, a.wrong("bbox: got %d numbers, want x, y, width, height", len(v))
	}
	return plain(v), nil
}

// plain returns floats as they are computed with, nil for none.
func plain(v []Float) (out []float64) {
	for _, f := range v {
		out = append(out, float64(f))
	}
	return out
}

// polygons reads a segmentation that is no run lengths.
func (a *COCOAnnotation) polygons() (out [][]float64, err error) {
	s := a.Segmentation
	if len(s) == 0 || json.Unmarshal(s, &out) == nil && !bytes.Contains(s, []byte("null")) {
		return out, nil
	}
	var list [][]Float // numbers in quotes
	if err := json.Unmarshal(s, &list); errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil, a.wrong("segmentation: got %s, want a list of polygons, [[x, y, ...]], or run lengths", cut(s))
	} else if err != nil {
		return nil, a.wrong("segmentation: %w, in a list of polygons, [[x, y, ...]]", err)
	}
	out = nil
	for _, p := range list {
		if p == nil {
			return nil, a.wrong("segmentation: %w", errNull)
		}
		out = append(out, plain(p))
	}
	return out, nil
}

// empty tells whether an annotation has no segmentation at all, as those of boxes.
func (a *COCOAnnotation) empty() bool {
	s := strings.Join(strings.Fields(string(a.Segmentation)), "")
	return s == "" || s == "null" || s == "[]" || s == "[[]]" || s == `""` || s == "{}"
}

// BoxDisagrees tells whether the box is none of the polygons: it ends more than a tenth of its size
// (or 2 pixels) from where they end, as when x2 and y2 were written for width and height.
func (a *COCOAnnotation) BoxDisagrees() bool {
	r, err := a.Rect()
	polygons, bad := a.polygons()
	if r == nil || err != nil || bad != nil {
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
	if a.empty() {
		return fmt.Errorf("annotation %s: %w", a.ID, ErrNoPixels)
	}
	s := bytes.TrimSpace(a.Segmentation)
	if len(s) > 0 && s[0] == '{' {
		r, err := a.runs(s, m.height, m.width)
		if err == nil {
			m.addRuns(r)
		}
		return err
	}
	polygons, err := a.polygons()
	if err != nil {
		return err
	}
	for i, p := range polygons {
		if Fractions(m.width, m.height, p...) {
			return a.wrong("polygon %d: %w", i, ErrFractions)
		}
		if len(p) < 6 {
			return a.wrong("polygon %d: got %d coordinates, want at least 3 points", i, len(p))
		}
	}
	if err := addPolygons(m, polygons); err != nil {
		return a.wrong("%w", err)
	}
	return nil
}

func (a *COCOAnnotation) runs(s []byte, height, width int) (RLE, error) {
	var size [2]Whole
	var raw json.RawMessage
	err := Value{s, 0}.ReadFields(map[string]any{"size": &size, "counts": &raw})
	if err != nil {
		return RLE{}, a.wrong("segmentation: %w", err)
	}
	if size != [2]Whole{Whole(height), Whole(width)} {
		return RLE{}, a.wrong("size: got %d x %d, want the image's %d x %d", size[1], size[0], width, height)
	}
	var text string
	r := RLE{Height: height, Width: width}
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		r, err = ParseRLE(text, height, width)
	} else {
		var counts []Float // null is an error
		err = json.Unmarshal(raw, &counts)
		if errors.As(err, new(*json.UnmarshalTypeError)) || err == nil && counts == nil {
			err = fmt.Errorf("got %s, want a list of numbers or a text", cut(raw))
		}
		for _, c := range counts {
			if err == nil && (c != Float(math.Trunc(float64(c))) || math.Abs(float64(c)) > 1<<31) {
				err = fmt.Errorf("got %g, want a whole number", c)
			}
			r.Counts = append(r.Counts, int(c))
		}
		err = cmp.Or(err, r.Check())
	}
	if err != nil {
		return RLE{}, a.wrong("counts: %w", err)
	}
	return r, nil
}

// COCOMask lays annotations of one image over one another: what any object covers is figure, what
// only a crowd covers is void, because a crowd's border is drawn around many. What one annotation
// lacks is its own matter: its fault, which names it, is in bad, and its box, if it has one, is
// void. Where no annotation has pixels, m is nil and bad holds the fault of each.
func COCOMask(annotations []COCOAnnotation, height, width int) (m *raster.Mask, bad []error, err error) {
	if err := (RLE{height, width, []int{height * width}}).Check(); err != nil {
		return nil, nil, err
	}
	objects, crowds, voids := newColumnMask(height, width), newColumnMask(height, width), [][]float64(nil)
	var faults, flat []error // flat: of polygons, which may cover no pixel
	runs := false            // run lengths, which may be of ground alone, or a crowd
	for i := range annotations {
		a, to := &annotations[i], objects
		if a.Crowd {
			to = crowds
		}
		fault := a.addTo(to)
		switch box := a.region(width, height); {
		case fault == nil && !bool(a.Crowd) && bytes.HasPrefix(bytes.TrimSpace(a.Segmentation), []byte("[")):
			flat = append(flat, a.wrong("%w", ErrNoFigure))
			continue
		case fault == nil:
			runs = true
			continue
		case box == nil:
			bad = append(bad, fmt.Errorf("%w: it has no usable box and is left out", fault))
		default:
			voids = append(voids, box)
			bad = append(bad, fmt.Errorf("%w: its box is void", fault))
		}
		faults = append(faults, fault)
	}
	m = raster.NewMask(width, height)
	objects.paint(m, raster.Figure)
	if _, figure, _ := m.Areas(); figure == 0 && !runs && len(annotations) > 0 {
		return nil, append(faults, flat...), nil
	}
	if err := addPolygons(crowds, voids); err != nil { // region returns what lies in the picture
		return nil, nil, err
	}
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

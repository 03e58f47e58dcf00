package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"path"
	"slices"

	"hdseg/manifests/arith"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A labelmeRegion is a shape as it is read, and what it paints. Other members are ignored, whatever
// they hold.
type labelmeRegion struct {
	label, kind, mask format.Text
	points            format.Value
	quoted            bool // the label is a text, as labelme writes it, and no number
	fault             error

	where string // in the file, for messages
	value uint8  // of its pixels
	layer int    // 0 for the class and other labels, 1 for holes, 2 for void
}

func readRegion(v format.Value) (s labelmeRegion) {
	s.fault = v.ReadFields(map[string]any{"label": &s.label, "shape_type": &s.kind, "mask": &s.mask, "points": &s.points})
	var label format.Value
	if s.fault == nil {
		s.fault = v.ReadFields(map[string]any{"label": &label})
	}
	if s.fault == nil && s.label == "" {
		s.fault = errors.New("got no label, want a text")
	}
	s.quoted = bytes.HasPrefix(label.Text, []byte(`"`))
	return s
}

// A labelmeFile is one picture's file, as labelme 5 writes it.
type labelmeFile struct {
	Version string          `json:"version"`
	Flags   map[string]bool `json:"flags"`
	Shapes  []labelmeShape  `json:"shapes"`
	Path    string          `json:"imagePath"`
	Data    *string         `json:"imageData"`
	Height  int             `json:"imageHeight"`
	Width   int             `json:"imageWidth"`
}

type labelmeShape struct {
	Label  string          `json:"label"`
	Points [][2]float64    `json:"points"`
	Group  *int            `json:"group_id"`
	Kind   string          `json:"shape_type"`
	Flags  map[string]bool `json:"flags"`
	// base64 of a PNG of the rectangle between the two points, both inside
	Mask string `json:"mask,omitempty"`
}

// Labels of labelme shapes besides the class: holes are cut out of the figure, void comes last.
const holeLabel = "hole"

// readLabelme reads the file of the picture of a name: its shapes lie over one another, the class
// and other labels in the order of the file, in which labelme draws them, so that a rider covers
// the horse; then holes, then void. An other label is an error, or ground. Beside good shapes bad
// ones of them are left out, also those with a number or nothing for a label: a *Partial.
func readLabelme(data []byte, name string, o Options, width, height int) (*raster.Mask, error) {
	file, err := format.ReadJSON(data)
	if err != nil {
		return nil, err
	}
	var picture format.Text
	_ = file.ReadFields(map[string]any{"imagePath": &picture}) // whatever else it holds names nothing
	if err := otherPicture(format.CleanPath(string(picture)), name, o); err != nil {
		return nil, err
	}
	shapes, err := labelmeShapes(file, width, height)
	if err != nil {
		return nil, otherTool(file.Text, Labelme, err)
	}
	var regions []labelmeRegion
	for i, v := range shapes {
		s := readRegion(v)
		s.where = fmt.Sprintf("shape %d (%s) at byte %d", i, s.label, v.At)
		switch label := string(s.label); {
		case s.fault != nil: // painting says so
		case label == o.Class:
			s.value = raster.Figure
		case label == holeLabel:
			s.layer = 1
		case format.IsVoid(label):
			s.value, s.layer = raster.Void, 2
		default:
			s.fault = o.other(label, o.Class+", "+holeLabel+" or "+VoidLabel)
			if s.fault != nil && s.quoted {
				return nil, fmt.Errorf("%s: %w", s.where, s.fault)
			}
			if s.fault == nil && slices.Contains([]format.Text{"line", "linestrip", "point", "points"}, s.kind) {
				continue // covers nothing
			}
		}
		regions = append(regions, s)
	}
	slices.SortStableFunc(regions, func(a, b labelmeRegion) int { return a.layer - b.layer })
	m, good := raster.NewMask(width, height), false
	var bad []error
	for _, s := range regions {
		if err := s.paint(m); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", s.where, err))
		} else {
			good = good || s.layer == 0
		}
	}
	switch {
	case len(bad) > 0 && !good:
		return nil, bad[0]
	case len(bad) > 0:
		return m, &Partial{bad}
	case blankLabelme(data, path.Base(name), o.Class, width, height):
		return m, ErrBlank
	}
	return m, nil
}

// labelmeShapes lists the shapes of a file for a picture of the given size.
func labelmeShapes(file format.Value, width, height int) ([]format.Value, error) {
	var w, h format.Size // missing before November 2018
	var list format.Value
	if err := file.ReadFields(map[string]any{"shapes": &list, "imageHeight": &h, "imageWidth": &w}); err != nil {
		return nil, err
	}
	if list.Text == nil {
		return nil, errors.New("got no shapes, want a file of labelme, which has them: a file of another kind is no empty mask")
	}
	if w > 0 && h > 0 && (int(w) != width || int(h) != height) {
		return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", w, h, width, height)
	}
	shapes, err := list.List()
	if err != nil {
		return nil, fmt.Errorf("shapes: %w", err)
	}
	return shapes, nil
}

// otherPicture is the error of a file whose imagePath names another record than its own name does.
// A path with the file's last name may lead anywhere.
func otherPicture(imagePath, name string, o Options) error {
	last := path.Base(imagePath)
	other := o.pictureName(last)
	own, ok := o.Record(name)
	if n, there := o.Record(other); ok && there && n != own && other != path.Base(name) {
		return fmt.Errorf("imagePath names %s, and the file's name the picture %s: give both one name", last, name)
	}
	return nil
}

// corners returns the points of a shape, x0, y0, x1, y1, ...
func (s *labelmeRegion) corners() (points []float64, err error) {
	if s.fault != nil {
		return nil, s.fault
	}
	var list [][]format.Float
	if len(s.points.Text) > 0 {
		err = json.Unmarshal(s.points.Text, &list)
	}
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		err = errors.New("want a list of points, [[x, y], ...]")
	}
	if err != nil {
		return nil, fmt.Errorf("points at byte %d: %w", s.points.At, err)
	}
	for i, p := range list {
		if len(p) != 2 {
			return nil, fmt.Errorf("point %d: got %d numbers, want x and y", i, len(p))
		}
		points = append(points, float64(p[0]), float64(p[1]))
	}
	return points, nil
}

func (s *labelmeRegion) paint(m *raster.Mask) error {
	points, err := s.corners()
	if err != nil {
		return err
	}
	if format.Fractions(m.Width, m.Height, points...) && s.kind != "mask" {
		return format.ErrFractions
	}
	n := len(points) / 2
	switch {
	case s.kind == "mask":
		return s.paintMask(m, points)
	case s.kind == "polygon", s.kind == "", n == 4 && (s.kind == "rectangle" || s.kind == "oriented_rectangle" || s.kind == "rotation"):
	case s.kind == "rectangle" && n == 2:
		x0, y0, x1, y1 := points[0], points[1], points[2], points[3]
		points = []float64{x0, y0, x1, y0, x1, y1, x0, y1}
	case s.kind == "circle" && n == 2: // the center and a point of the border
		x, y := points[0], points[1]
		r := arith.Hypot(points[2]-x, points[3]-y)
		points = nil
		for k := range 128 {
			angle := 2 * math.Pi * float64(k) / 128
			points = append(points, x+float64(r*arith.Cos(angle)), y+float64(r*arith.Sin(angle)))
		}
	default:
		return fmt.Errorf("got a %s of %d points, want a polygon, rectangle, circle or mask", s.kind, n)
	}
	if len(points) < 6 {
		return fmt.Errorf("got a polygon of %d points, want at least 3", n)
	}
	filled, err := format.FillPolygons([][]float64{points}, m.Height, m.Width)
	if err != nil {
		return err
	}
	for i, in := range filled.Pix {
		if in == raster.Figure {
			m.Pix[i] = s.value
		}
	}
	return nil
}

// paintMask paints a PNG between two points, both inside.
func (s *labelmeRegion) paintMask(m *raster.Mask, points []float64) error {
	if len(points) != 4 {
		return fmt.Errorf("got a mask with %d points, want 2", len(points)/2)
	}
	data, err := base64.StdEncoding.DecodeString(string(s.mask))
	if err != nil || len(data) == 0 {
		return fmt.Errorf("mask: got %.20q, want a PNG file in base64", s.mask)
	}
	r := image.Rect(int(points[0]), int(points[1]), int(points[2])+1, int(points[3])+1)
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("mask: want a PNG file in base64: %w", err)
	}
	if r.Size() != image.Pt(c.Width, c.Height) || !r.In(image.Rect(0, 0, m.Width, m.Height)) {
		return fmt.Errorf("got a mask of %d x %d pixels for %v in a picture of %d x %d", c.Width, c.Height, r, m.Width, m.Height)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("mask: %w", err)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if g, _, _, _ := img.At(x-r.Min.X, y-r.Min.Y).RGBA(); g != 0 {
				m.Set(x, y, s.value)
			}
		}
	}
	return nil
}

// encodeLabelme writes the mask as shapes of type mask, which keep every pixel. A flag tells an
// empty mask from none.
func encodeLabelme(name, class string, it Item) ([]byte, error) {
	f := labelmeFile{Version: "5.4.1", Flags: map[string]bool{}, Shapes: []labelmeShape{}, Path: name + ".png",
		Height: it.Image.Height, Width: it.Image.Width}
	for _, l := range []struct {
		label string
		value uint8
	}{{class, raster.Figure}, {VoidLabel, raster.Void}} {
		if it.Mask == nil {
			break
		}
		x, y, w, h := format.RLEOf(it.Mask, l.value).Bounds()
		if w == 0 {
			continue
		}
		g := newGray(w, h)
		for i := range g.Pix {
			if it.Mask.At(x+i%w, y+i/w) == l.value {
				g.Pix[i] = 255
			}
		}
		f.Shapes = append(f.Shapes, labelmeShape{Label: l.label, Kind: "mask", Flags: map[string]bool{},
			Mask:   base64.StdEncoding.EncodeToString(raster.PNG(g)),
			Points: [][2]float64{{float64(x), float64(y)}, {float64(x + w - 1), float64(y + h - 1)}}})
	}
	if it.Mask != nil && len(f.Shapes) == 0 {
		f.Flags["empty mask"] = true
	}
	return json.MarshalIndent(f, "", "  ")
}

// blankLabelme tells whether a file is, byte for byte, what export writes for a picture without a
// mask.
func blankLabelme(data []byte, name, class string, width, height int) bool {
	blank, err := encodeLabelme(name, class, Item{Image: &raster.RGB{Width: width, Height: height}})
	return err == nil && bytes.Equal(data, blank)
}

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

// A labelmeRegion is a shape as it is read. Other members are ignored, whatever they hold.
type labelmeRegion struct {
	label, kind, mask format.Text
	points            format.Value
	quoted            bool // the label is a text, as labelme writes it, and no number
	fault             error
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

// labelmeShapes lists the shapes of a file for a picture of the given size.
func labelmeShapes(data []byte, width, height int) ([]format.Value, error) {
	file, err := format.ReadJSON(data)
	if err != nil {
		return nil, err
	}
	var w, h format.Size // missing before November 2018
	var list format.Value
	err = file.ReadFields(map[string]any{"shapes": &list, "imageHeight": &h, "imageWidth": &w})
	if err == nil && list.Text == nil {
		err = errors.New("got no shapes, want a file of labelme, which has them: a file of another kind is no empty mask")
	}
	if err != nil {
		return nil, otherTool(data, Labelme, err)
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

// decodeLabelme lays the shapes over one another: the class and other labels in the order of the
// file, in which labelme draws them, so that a rider covers the horse; then holes, then void. An
// other label is an error, or ground. Beside good shapes bad ones of them are left out, also those
// with a number or nothing for a label: a *Partial.
func decodeLabelme(data []byte, o Options, width, height int) (*raster.Mask, error) {
	shapes, err := labelmeShapes(data, width, height)
	if err != nil {
		return nil, err
	}
	m := raster.NewMask(width, height)
	regions := make([][]func() error, 3) // to paint: the class and others, holes, void
	for i, v := range shapes {
		s := readRegion(v)
		value, layer := raster.Ground, 0
		switch label := string(s.label); {
		case s.fault != nil: // painting says so
		case label == o.Class:
			value = raster.Figure
		case label == holeLabel:
			layer = 1
		case format.IsVoid(label):
			value, layer = raster.Void, 2
		default:
			s.fault = o.other(label, o.Class+", "+holeLabel+" or "+VoidLabel)
			if s.quoted {
				err = s.fault
			}
			if s.fault == nil && slices.Contains([]format.Text{"line", "linestrip", "point", "points"}, s.kind) {
				continue // covers nothing
			}
		}
		where := fmt.Sprintf("shape %d (%s) at byte %d", i, s.label, v.At)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		regions[layer] = append(regions[layer], func() error {
			if err := s.paint(m, value); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			return nil
		})
	}
	bad, err := paintAll(regions)
	if err != nil {
		return nil, err
	}
	if len(bad) > 0 {
		return m, &Partial{bad}
	}
	return m, nil
}

// otherPicture is the error of a file whose imagePath names another record than its own name does.
// A path with the file's last name may lead anywhere.
func otherPicture(data []byte, name string, o Options) error {
	var picture format.Text
	file, err := format.ReadJSON(data)
	if err != nil {
		return nil // for the decoder to name
	}
	_ = file.ReadFields(map[string]any{"imagePath": &picture})
	last := path.Base(format.CleanPath(string(picture)))
	other := o.pictureName(last)
	own, ok := o.record(name)
	if n, there := o.record(other); ok && there && n != own && other != path.Base(name) {
		return fmt.Errorf("imagePath names %s, and the file's name the picture %s: give both one name", last, name)
	}
	return nil
}

// paintAll paints the layers in turn. Bad shapes are left out beside good ones of the first.
func paintAll(regions [][]func() error) (bad []error, err error) {
	good := 0
	for layer, list := range regions {
		for _, paint := range list {
			if err := paint(); err != nil {
				bad = append(bad, err)
			} else if layer == 0 {
				good++
			}
		}
	}
	if len(bad) > 0 && good == 0 {
		return nil, bad[0]
	}
	return bad, nil
}

// corners returns the points of a shape.
func (s *labelmeRegion) corners() (points [][2]float64, flat []float64, err error) {
	if s.fault != nil {
		return nil, nil, s.fault
	}
	var list [][]format.Float
	if len(s.points.Text) > 0 {
		err = json.Unmarshal(s.points.Text, &list)
	}
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		err = errors.New("want a list of points, [[x, y], ...]")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("points at byte %d: %w", s.points.At, err)
	}
	for i, p := range list {
		if len(p) != 2 {
			return nil, nil, fmt.Errorf("point %d: got %d numbers, want x and y", i, len(p))
		}
		points = append(points, [2]float64{float64(p[0]), float64(p[1])})
		flat = append(flat, points[i][0], points[i][1])
	}
	return points, flat, nil
}

func (s *labelmeRegion) paint(m *raster.Mask, v uint8) error {
	points, flat, err := s.corners()
	if err != nil {
		return err
	}
	if format.Fractions(m.Width, m.Height, flat...) && s.kind != "mask" {
		return format.ErrFractions
	}
	var polygon []float64
	switch n := len(points); {
	case s.kind == "mask":
		return s.paintMask(m, v, points)
	case s.kind == "polygon", s.kind == "", n == 4 && (s.kind == "rectangle" || s.kind == "oriented_rectangle" || s.kind == "rotation"):
		polygon = flat
	case s.kind == "rectangle" && n == 2:
		a, b := points[0], points[1]
		polygon = []float64{a[0], a[1], b[0], a[1], b[0], b[1], a[0], b[1]}
	case s.kind == "circle" && n == 2: // the center and a point of the border
		c, p := points[0], points[1]
		r := arith.Hypot(p[0]-c[0], p[1]-c[1])
		for k := range 128 {
			angle := 2 * math.Pi * float64(k) / 128
			polygon = append(polygon, c[0]+float64(r*arith.Cos(angle)), c[1]+float64(r*arith.Sin(angle)))
		}
	default:
		return fmt.Errorf("got a %s of %d points, want a polygon, rectangle, circle or mask", s.kind, n)
	}
	if len(polygon) < 6 {
		return fmt.Errorf("got a polygon of %d points, want at least 3", len(polygon)/2)
	}
	filled, err := format.FillPolygons([][]float64{polygon}, m.Height, m.Width)
	if err != nil {
		return err
	}
	for i, in := range filled.Pix {
		if in == raster.Figure {
			m.Pix[i] = v
		}
	}
	return nil
}

func (s *labelmeRegion) paintMask(m *raster.Mask, v uint8, points [][2]float64) error {
	if len(points) != 2 {
		return fmt.Errorf("got a mask with %d points, want 2", len(points))
	}
	data, err := base64.StdEncoding.DecodeString(string(s.mask))
	if err != nil || len(data) == 0 {
		return fmt.Errorf("mask: got %.20q, want a PNG file in base64", s.mask)
	}
	a, b := points[0], points[1]
	at := image.Pt(int(a[0]), int(a[1]))
	r := image.Rect(at.X, at.Y, int(b[0])+1, int(b[1])+1)
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
				m.Set(x, y, v)
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

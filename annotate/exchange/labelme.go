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

	"hdseg/manifests/arith"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// A labelmeDrawn is what is read of a file. Other keys are ignored, whatever they hold.
type labelmeDrawn struct {
	Shapes []labelmeRegion `json:"shapes"`
	Height format.Whole    `json:"imageHeight"` // missing before November 2018
	Width  format.Whole    `json:"imageWidth"`
}

type labelmeRegion struct {
	Label  format.Text      `json:"label"`
	Points [][]format.Float `json:"points"`
	Kind   string           `json:"shape_type"`
	Mask   string           `json:"mask"`
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

// decodeLabelme lays the shapes over one another: first the class, then holes, then void. Another
// label is an error, or ground.
func decodeLabelme(data []byte, o Options, width, height int) (*raster.Mask, error) {
	data, _, err := format.FromUTF16(data)
	if err != nil {
		return nil, err
	}
	var f labelmeDrawn
	if err := json.Unmarshal(data, &f); err != nil {
		if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: got a %s at byte %d", wrong.Field, wrong.Value, wrong.Offset)
		}
		return nil, err
	}
	if f.Width > 0 && f.Height > 0 && (int(f.Width) != width || int(f.Height) != height) {
		return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", f.Width, f.Height, width, height)
	}
	m := raster.NewMask(width, height)
	of := map[uint8]func(label string) bool{
		raster.Figure: func(l string) bool { return l == o.Class }, raster.Ground: func(l string) bool { return l == holeLabel },
		raster.Void: format.IsVoid,
	}
	for _, value := range []uint8{raster.Figure, raster.Ground, raster.Void} { // later ones lie above
		for i := range f.Shapes {
			s := &f.Shapes[i]
			label := string(s.Label)
			if known := label == o.Class || label == holeLabel || format.IsVoid(label); !known && !o.OthersGround {
				return nil, fmt.Errorf("shape %d: got label %q, want %s, %s or %s: --others-ground takes other labels for ground", i, label,
					o.Class, holeLabel, VoidLabel)
			}
			if !of[value](label) {
				continue
			}
			if err := s.paint(m, value); err != nil {
				return nil, fmt.Errorf("shape %d: %w", i, err)
			}
		}
	}
	return m, nil
}

func (s *labelmeRegion) paint(m *raster.Mask, v uint8) error {
	points := make([][2]float64, len(s.Points))
	var flat []float64
	for i, p := range s.Points {
		if len(p) != 2 {
			return fmt.Errorf("point %d: got %d numbers, want x and y", i, len(p))
		}
		points[i] = [2]float64{float64(p[0]), float64(p[1])}
		flat = append(flat, points[i][0], points[i][1])
	}
	if format.Fractions(m.Width, m.Height, flat...) && s.Kind != "mask" {
		return errors.New("got fractions of the picture, want pixels: multiply them by its width and height")
	}
	var polygon []float64
	switch n := len(points); {
	case s.Kind == "mask":
		return s.paintMask(m, v, points)
	case s.Kind == "polygon", s.Kind == "", n == 4 && (s.Kind == "rectangle" || s.Kind == "oriented_rectangle" || s.Kind == "rotation"):
		polygon = flat
	case s.Kind == "rectangle" && n == 2:
		a, b := points[0], points[1]
		polygon = []float64{a[0], a[1], b[0], a[1], b[0], b[1], a[0], b[1]}
	case s.Kind == "circle" && n == 2: // the center and a point of the border
		c, p := points[0], points[1]
		r := arith.Hypot(p[0]-c[0], p[1]-c[1])
		for k := range 128 {
			angle := 2 * math.Pi * float64(k) / 128
			polygon = append(polygon, c[0]+float64(r*arith.Cos(angle)), c[1]+float64(r*arith.Sin(angle)))
		}
	default:
		return fmt.Errorf("got a %s of %d points, want a polygon, rectangle, circle or mask", s.Kind, n)
	}
	if len(polygon) < 6 {
		return fmt.Errorf("got a polygon of %d points, want at least 3", len(polygon)/2)
	}
	r, err := format.RLEOfPolygons([][]float64{polygon}, m.Height, m.Width)
	if err != nil {
		return err
	}
	for i, in := range r.Mask().Pix {
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
	data, err := base64.StdEncoding.DecodeString(s.Mask)
	if err != nil {
		return err
	}
	a, b := points[0], points[1]
	at := image.Pt(int(a[0]), int(a[1]))
	r := image.Rect(at.X, at.Y, int(b[0])+1, int(b[1])+1)
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if r.Size() != image.Pt(c.Width, c.Height) || !r.In(image.Rect(0, 0, m.Width, m.Height)) {
		return fmt.Errorf("got a mask of %d x %d pixels for %v in a picture of %d x %d", c.Width, c.Height, r, m.Width, m.Height)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
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

// encodeLabelme writes the mask as shapes of type mask, which keep every pixel.
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
		var b bytes.Buffer
		if err := png.Encode(&b, g); err != nil {
			return nil, err
		}
		f.Shapes = append(f.Shapes, labelmeShape{Label: l.label, Kind: "mask", Flags: map[string]bool{},
			Mask:   base64.StdEncoding.EncodeToString(b.Bytes()),
			Points: [][2]float64{{float64(x), float64(y)}, {float64(x + w - 1), float64(y + h - 1)}}})
	}
	return json.MarshalIndent(f, "", "  ")
}

// blankLabelme tells whether a file is, byte for byte, what export writes for a picture without a
// mask.
func blankLabelme(data []byte, name, class string, width, height int) bool {
	blank, err := encodeLabelme(name, class, Item{Image: &raster.RGB{Width: width, Height: height}})
	return err == nil && bytes.Equal(data, blank)
}

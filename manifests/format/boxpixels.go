package format

import (
	"fmt"
	"math"

	"hdseg/manifests"
)

// A BoxRule says how the coordinates of a set of box files are meant.
type BoxRule struct {
	Base      int  // index of the first pixel, 0 or 1 (VOC: 1)
	Exclusive bool // maxima lie one past the last pixel instead of on it
	Swap      bool // exchange minima that exceed maxima instead of refusing the box
	// the file's size need only have the picture's shape; else it must be the picture's
	Scale bool
}

// A BoxFault is a reason why an object's box cannot be used.
type BoxFault struct {
	// bad_box_file, box_fraction, box_swapped, box_empty, box_outside, box_size, box_misfit
	Reason string
	Detail string
}

func (f *BoxFault) Error() string { return f.Reason + ": " + f.Detail }

// Pixels converts object i (from 0) to the half-open pixels of a width x height picture: minima are
// rounded down and maxima up, then the box is clipped. repairs are codes: box_swapped, box_clipped.
// The detail of a fault names the object.
func (f *BoxFile) Pixels(i int, rule BoxRule, width, height int) (box manifests.Box, repairs []string, bad *BoxFault) {
	o := f.Objects[i]
	fault := func(reason, format string, args ...any) (manifests.Box, []string, *BoxFault) {
		return manifests.Box{}, nil, &BoxFault{reason, f.where(i) + ": " + fmt.Sprintf(format, args...)}
	}
	if o.Err != nil {
		return fault("bad_box_file", "%v", o.Err)
	}
	if Fractions(width, height, o.XMin, o.YMin, o.XMax, o.YMax) {
		return fault("box_fraction", "got (%g, %g) to (%g, %g), which are fractions of the picture: multiply them "+
			"by its width and height", o.XMin, o.YMin, o.XMax, o.YMax)
	}
	if o.XMin > o.XMax || o.YMin > o.YMax {
		if !rule.Swap {
			return fault("box_swapped", "got minimum (%g, %g) over maximum (%g, %g)", o.XMin, o.YMin, o.XMax, o.YMax)
		}
		repairs = append(repairs, "box_swapped")
		o.XMin, o.XMax = min(o.XMin, o.XMax), max(o.XMin, o.XMax)
		o.YMin, o.YMax = min(o.YMin, o.YMax), max(o.YMin, o.YMax)
	}
	if o.XMin == o.XMax || o.YMin == o.YMax {
		return fault("box_empty", "got a side of length 0 at (%g, %g)", o.XMin, o.YMin)
	}
	sx, sy := 1.0, 1.0
	if rule.Scale {
		if f.Width <= 0 || f.Height <= 0 {
			return fault("box_size", "the file gives no size to scale by: got %d x %d", f.Width, f.Height)
		}
		if !SameShape(f.Width, f.Height, width, height) {
			return fault("box_misfit", "%s, which has another shape%s", f.sizes(width, height),
				f.turned(width, height))
		}
		sx, sy = float64(width)/float64(f.Width), float64(height)/float64(f.Height)
	}
	if !rule.Scale && f.Width > 0 && f.Height > 0 && (f.Width != width || f.Height != height) {
		return fault("box_misfit", "%s%s", f.sizes(width, height), f.turned(width, height))
	}
	base, last := float64(rule.Base), 1.0
	if rule.Exclusive {
		last = 0
	}
	lo := func(v, s float64) int { return toInt(math.Floor(float64((v-base)*s) + 1e-6)) }
	hi := func(v, s float64) int { return toInt(math.Ceil(float64((v-base+last)*s) - 1e-6)) }
	b := manifests.Box{XMin: lo(o.XMin, sx), YMin: lo(o.YMin, sy), XMax: hi(o.XMax, sx), YMax: hi(o.YMax, sy)}
	box = b.Clip(width, height)
	if box.Empty() {
		return fault("box_outside", "got [%d,%d) x [%d,%d), want a part of %d x %d",
			b.XMin, b.XMax, b.YMin, b.YMax, width, height)
	}
	if box != b {
		repairs = append(repairs, "box_clipped")
	}
	return box, repairs, nil
}

// Fractions tells whether coordinates in a picture lie all between 0 and 1, as tools write them
// that divide by the picture's size, or not far outside, as of boxes that reach over its edge. In a
// picture of few pixels they may be pixels.
func Fractions(width, height int, coordinates ...float64) bool {
	const few, outside = 4, 0.5
	if width <= few || height <= few {
		return false
	}
	most := 0.0
	for _, c := range coordinates {
		if c < -outside || c > 1+outside {
			return false
		}
		most = max(most, c)
	}
	return most > 0
}

// toInt holds v to what an int of 32 bits can carry, far outside any picture.
func toInt(v float64) int { return int(max(-1<<30, min(v, 1<<30))) }

// where names an object by its line in a table or its number in an XML file, and by its name.
func (f *BoxFile) where(i int) string {
	s := fmt.Sprintf("object %d", i+1)
	if i < len(f.Lines) {
		s = fmt.Sprintf("line %d", f.Lines[i])
	}
	if name := f.Objects[i].Name; name != "" {
		s += " (" + name + ")"
	}
	return s
}

func (f *BoxFile) sizes(width, height int) string {
	return fmt.Sprintf("the file is about a picture of %d x %d pixels, got one of %d x %d", f.Width, f.Height, width, height)
}

// turned says so where the file's size is the picture's, turned by a quarter.
func (f *BoxFile) turned(width, height int) string {
	if f.Width != f.Height && SameShape(f.Width, f.Height, height, width) {
		return ": turned by a quarter"
	}
	return ""
}

// SameShape tells whether two sizes have the same ratio of width to height, up to 2 % (ours: copies
// of ImageNet's pictures differ by under 1 %) or one pixel of either side.
func SameShape(w1, h1, w2, h2 int) bool {
	// Equal when the shapes are.
	a, b := float64(float64(w1)*float64(h2)), float64(float64(w2)*float64(h1))
	d := math.Abs(a - b)
	return d <= 0.02*max(a, b) || d <= float64(max(w1, h1, w2, h2))
}

// ZeroBased tells whether the file shows that its set counts pixels from 0: by a coordinate from 0
// to below 1 of a box that can be used in a width x height picture and has no negative one.
func (f *BoxFile) ZeroBased(rule BoxRule, width, height int) bool {
	rule.Base = 0
	for i, o := range f.Objects {
		if least := min(o.XMin, o.YMin, o.XMax, o.YMax); least < 0 || least >= 1 {
			continue
		}
		if _, _, bad := f.Pixels(i, rule, width, height); bad == nil {
			return true
		}
	}
	return false
}

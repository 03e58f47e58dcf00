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
	Scale     bool // coordinates belong to the size that the file gives, which may not be the picture's
}

// A BoxFault is a reason why an object's box cannot be used.
type BoxFault struct {
	Reason string // box_swapped, box_empty, box_outside, box_size
	Detail string
}

func (f *BoxFault) Error() string { return f.Reason + ": " + f.Detail }

// Pixels converts object i (from 0) to the half-open pixels of a width x height picture: minima are rounded down and
// maxima up, then the box is clipped. clipped and swapped tell what was repaired. The error is a *BoxFault.
func (f *BoxFile) Pixels(i int, rule BoxRule, width, height int) (box manifests.Box, clipped, swapped bool, err error) {
	o := f.Objects[i]
	fault := func(reason, format string, args ...any) error {
		return &BoxFault{reason, fmt.Sprintf("object %d (%s): ", i+1, o.Name) + fmt.Sprintf(format, args...)}
	}
	if o.XMin > o.XMax || o.YMin > o.YMax {
		if !rule.Swap {
			return box, false, false, fault("box_swapped", "got minimum (%g, %g) over maximum (%g, %g)", o.XMin, o.YMin, o.XMax, o.YMax)
		}
		swapped = true
		o.XMin, o.XMax = min(o.XMin, o.XMax), max(o.XMin, o.XMax)
		o.YMin, o.YMax = min(o.YMin, o.YMax), max(o.YMin, o.YMax)
	}
	if o.XMin == o.XMax || o.YMin == o.YMax {
		return box, false, swapped, fault("box_empty", "got a side of length 0 at (%g, %g)", o.XMin, o.YMin)
	}
	sx, sy := 1.0, 1.0
	if rule.Scale {
		if f.Width <= 0 || f.Height <= 0 {
			return box, false, swapped, fault("box_size", "the file gives no size to scale by: got %d x %d", f.Width, f.Height)
		}
		sx, sy = float64(width)/float64(f.Width), float64(height)/float64(f.Height)
	}
	base, last := float64(rule.Base), 1.0
	if rule.Exclusive {
		last = 0
	}
	lo := func(v, s float64) int { return toInt(math.Floor((v-base)*s + 1e-6)) }
	hi := func(v, s float64) int { return toInt(math.Ceil((v-base+last)*s - 1e-6)) }
	b := manifests.Box{XMin: lo(o.XMin, sx), YMin: lo(o.YMin, sy), XMax: hi(o.XMax, sx), YMax: hi(o.YMax, sy)}
	box = b.Clip(width, height)
	if box.Empty() {
		return manifests.Box{}, false, swapped, fault("box_outside", "got [%d,%d) x [%d,%d), want a part of %d x %d", b.XMin, b.XMax, b.YMin, b.YMax, width, height)
	}
	return box, box != b, swapped, nil
}

// toInt holds v to what an int of 32 bits can carry, far outside any picture.
func toInt(v float64) int { return int(max(-1<<30, min(v, 1<<30))) }

// ZeroBased tells whether any coordinate of the file is below 1, which a 1-based file cannot have.
func (f *BoxFile) ZeroBased() bool {
	for _, o := range f.Objects {
		if min(o.XMin, o.YMin, o.XMax, o.YMax) < 1 {
			return true
		}
	}
	return false
}

package format

import (
	"bytes"
	"fmt"
	"slices"

	"hdseg/manifests/raster"
)

// A Values is a convention for the pixel values of figure-ground masks.
type Values string

// The conventions that data sets use. A file's values tell which one it follows, but for 0 and 255
// alone, where 255 may be void beside a missing figure, and 0 and 128 alone: readers must ask then.
const (
	Values1       Values = "0,1"       // 0 ground, 1 figure
	ValuesVoid255 Values = "0,1,255"   // 0 ground, 1 figure, 255 void: hdseg's own
	Values255     Values = "0,255"     // 0 ground, 255 figure
	ValuesVoid128 Values = "0,128,255" // 0 ground, 128 void, 255 figure
	Values128     Values = "0,128"     // 0 ground, 128 figure: only where it is stated
)

var valueTables = map[Values]map[uint8]uint8{
	Values1:       {0: raster.Ground, 1: raster.Figure},
	ValuesVoid255: {0: raster.Ground, 1: raster.Figure, 255: raster.Void},
	Values255:     {0: raster.Ground, 255: raster.Figure},
	ValuesVoid128: {0: raster.Ground, 128: raster.Void, 255: raster.Figure},
	Values128:     {0: raster.Ground, 128: raster.Figure},
}

// ParseValues accepts "auto" and the conventions' own names.
func ParseValues(s string) (Values, error) {
	if _, ok := valueTables[Values(s)]; !ok && s != "auto" {
		return "", fmt.Errorf("mask values %q: want auto, %s, %s, %s, %s or %s", s, Values1, ValuesVoid255, Values255,
			ValuesVoid128, Values128)
	}
	return Values(s), nil
}

// Guess returns the narrowest convention that allows all of the picture's values, in the order
// Values1, Values255, ValuesVoid255, ValuesVoid128; a picture that is 0 everywhere is Values1, one
// of 0 and 128 is ValuesVoid128.
func (m *Indexed) Guess() (Values, error) {
	used := m.used()
	for _, v := range []Values{Values1, Values255, ValuesVoid255, ValuesVoid128} {
		if !slices.ContainsFunc(used, func(p uint8) bool { _, ok := valueTables[v][p]; return !ok }) {
			return v, nil
		}
	}
	return "", fmt.Errorf("mask: got values %v, want 0 and 1, 0 and 255, or these with void%s", short(used), m.meaning())
}

// meaning says what values are that no convention knows, and what to do; "" if they tell nothing.
func (m *Indexed) meaning() string {
	const classes = 20 // of VOC
	used := m.used()
	last := len(used) - 1
	if last > 0 && used[last] == 255 {
		last--
	}
	if last > 0 && used[last] <= classes {
		return "; these look like numbers of classes, as VOC has: read them with --voc, or put a label map (labelmap.txt) beside the masks"
	}
	return m.shades()
}

// shades says what many values are; "" for few. In a photo hardly a pixel in fifty is 0 or 255.
func (m *Indexed) shades() string {
	used := m.used()
	switch plain := bytes.Count(m.Pix, []byte{0}) + bytes.Count(m.Pix, []byte{255}); {
	case len(used) <= 3:
		return ""
	case 50*plain < len(m.Pix):
		return "; a photo has such values, or a map of probabilities: give its mask"
	case used[0] < 32 && used[len(used)-1] >= 224:
		return "; soft edges have such values: threshold the mask at 128"
	}
	return ""
}

// Binary returns the mask under a convention; a value that it does not know is an error.
func (m *Indexed) Binary(v Values) (*raster.Mask, error) {
	t, ok := valueTables[v]
	if !ok {
		return nil, fmt.Errorf("mask values %q: no such convention", v)
	}
	var table [256]uint8
	for _, p := range m.used() {
		label, ok := t[p]
		if !ok {
			return nil, fmt.Errorf("mask: got values %v, want only %s%s", short(m.used()), v, m.shades())
		}
		table[p] = label
	}
	return m.mapped(&table), nil
}

// used lists the values that occur, ascending.
func (m *Indexed) used() []uint8 {
	var seen [256]bool
	for _, v := range m.Pix {
		seen[v] = true
	}
	var out []uint8
	for v, s := range seen {
		if s {
			out = append(out, uint8(v))
		}
	}
	return out
}

// short shows a few values of many.
func short(v []uint8) string {
	if len(v) > 6 {
		return fmt.Sprintf("%d and %d more", []int{int(v[0]), int(v[1]), int(v[2])}, len(v)-3)
	}
	return fmt.Sprint(v)
}

package format

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"image"
	"image/color"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"hdseg/manifests/raster"
)

// A LabelMap is what a tool wrote beside masks about their labels: labelmap.txt of CVAT,
// class_names.txt of labelme and label_names.txt of old ones, dataset_meta.json of Datumaro,
// label_colors.txt of CamVid and Synthia, colors.txt of others, labelmap.csv and class_dict.csv of
// sets on Kaggle, _classes.csv of Roboflow.
type LabelMap struct {
	File  string   // base name, for messages
	Names []string // of the labels 0, 1, ...; 0 is the background

	colors  map[[3]uint8]uint8 // labels by color
	numbers []int              // the label of each number in masks
	// the map lists names alone: a palette's numbers count, not its colors
	listed bool
	ground bool // the map says that label 0 is the background, whatever its name
	stated bool // the map says what numbers mean, by itself or as it lists names alone
}

// maxLabels keeps label numbers below VOCVoid.
const maxLabels = VOCVoid

// labelMaps are the names of such files, in small letters, and the form of their lines.
var labelMaps = map[string]func(line string) (labelColor, error){
	"labelmap.txt": colonLine, "class_names.txt": colonLine, "label_colors.txt": colorLine, "labelmap.csv": tableLine,
	"class_dict.csv": tableLine, "colors.txt": wordsLine, "label_names.txt": colonLine, "_classes.csv": numberLine, "dataset_meta.json": nil,
}

// IsLabelMap tells by its name whether a file is a label map.
func IsLabelMap(name string) bool {
	_, ok := labelMaps[strings.ToLower(path.Base(name))]
	return ok
}

// LabelMaps lists the names of label maps, for messages.
func LabelMaps() string { return strings.Join(slices.Sorted(maps.Keys(labelMaps)), ", ") }

// IsVoid tells whether pixels of a label are void, by its name in any case. __ignore__ is
// labelme's.
func IsVoid(label string) bool {
	return slices.Contains([]string{"void", "ignore", "ignored", "__ignore__", "_ignore_"}, strings.ToLower(label))
}

// backgrounds are names of the label of what is no object, in small letters.
var backgrounds = []string{"background", "_background_", "__background__"}

// ParseLabelMap reads a label map by the form that its name says. Numbers in masks are
// those that it gives, else its labels' places. The background is its first label wherever it
// stands; where none is named so in a table of colors, the black label is. A label without a color
// has VOC's color of its number, as in Datumaro.
func ParseLabelMap(name string, text []byte) (*LabelMap, error) {
	m := &LabelMap{File: path.Base(name), listed: true}
	base := strings.ToLower(m.File)
	labels, ground, err := readLabels(base, text)
	if err != nil {
		return nil, fmt.Errorf("label map: %w", err)
	}
	m.ground = ground != ""
	black := -1
	given := map[string][3]uint8{}
	for i, l := range labels {
		if slices.Contains(m.Names, l.name) {
			return nil, fmt.Errorf("label map: got %s twice", l.name)
		}
		m.Names = append(m.Names, l.name)
		if l.colored {
			given[l.name], m.listed = l.color, false
		}
		if l.colored && l.color == [3]uint8{} && base != "labelmap.txt" {
			black = i
		}
	}
	i := slices.IndexFunc(m.Names, func(n string) bool {
		return n == ground || !m.ground && slices.Contains(backgrounds, strings.ToLower(n))
	})
	if i < 0 {
		i = black
	}
	if i < 0 {
		return nil, fmt.Errorf("label map: got no label named background, only %s", Some(m.Names, 30))
	}
	m.stated = m.listed || labels[0].number != ""
	place := append([]string(nil), m.Names...) // by number; labelme's __ignore__ has none
	if labels[0].number == "" {
		place = slices.DeleteFunc(place, func(n string) bool { return n == "__ignore__" && m.listed && n != m.Names[i] })
	}
	m.Names = append([]string{m.Names[i]}, slices.DeleteFunc(slices.Clone(place), func(n string) bool { return n == m.Names[i] })...)
	for _, n := range place {
		m.numbers = append(m.numbers, slices.Index(m.Names, n))
	}
	if len(m.Names) > maxLabels {
		return nil, fmt.Errorf("label map: got %d labels, want at most %d", len(m.Names), maxLabels)
	}
	return m, m.paint(given)
}

// paint gives every label its color.
func (m *LabelMap) paint(given map[string][3]uint8) error {
	m.colors = map[[3]uint8]uint8{}
	for i, name := range m.Names {
		c, ok := given[name]
		if !ok {
			c = vocColor(i)
			if m.listed {
				c = vocColor(slices.Index(m.numbers, i))
			}
		}
		if old, ok := m.colors[c]; ok {
			return fmt.Errorf("label map: %s and %s have one color, %d,%d,%d", m.Names[min(int(old), len(m.Names)-1)], name, c[0], c[1], c[2])
		}
		m.colors[c] = m.value(i)
	}
	if _, ok := m.colors[vocColor(VOCVoid)]; !ok {
		m.colors[vocColor(VOCVoid)] = VOCVoid // the border that VOC's tools draw
	}
	return nil
}

// value is what pixels of label i become: its number, or VOCVoid.
func (m *LabelMap) value(i int) uint8 {
	if IsVoid(m.Names[i]) && (i > 0 || !m.ground) {
		return VOCVoid
	}
	return uint8(i)
}

// Number returns the number of a label, a *NoClass if there is none of this name.
func (m *LabelMap) Number(label string) (uint8, error) {
	if i := slices.Index(m.Names, label); i >= 0 {
		return uint8(i), nil
	}
	for _, n := range m.Names {
		if Near(n, label) {
			return 0, &NoClass{fmt.Sprintf("%s has no label %s, but %s", m.File, label, n), n}
		}
	}
	return 0, &NoClass{Text: fmt.Sprintf("%s has no label %s, only %s", m.File, label, Some(m.Names, 30))}
}

// A LabelFolder are the label maps of one folder, of which one is that of the masks.
type LabelFolder struct {
	maps  []*LabelMap
	names []string
	fault error // of the first that cannot be used
}

// Add adds a map that has the class, under a name for messages, or why it cannot be used.
func (f *LabelFolder) Add(name string, m *LabelMap, err error) {
	if err == nil {
		f.maps, f.names = append(f.maps, m), append(f.names, name)
	} else if f.fault == nil {
		f.fault = err
	}
}

// Fit returns the map of the masks and its name: the first of those that fit most, as they have all
// labels that a mask shows. Maps that fit equally must agree on the class. Where no map can be used
// the error is that of the first. Masks are read only to choose.
func (f *LabelFolder) Fit(class string, masks iter.Seq[[]byte], lim raster.Limits) (m *LabelMap, name string, err error) {
	if len(f.maps) == 0 {
		return nil, "", f.fault
	}
	if len(f.maps) == 1 {
		return f.maps[0], f.names[0], nil
	}
	// of the masks that it fits
	fits, figure := make([]int, len(f.maps)), make([]hash.Hash, len(f.maps))
	for i := range figure {
		figure[i] = sha256.New()
	}
	for data := range masks {
		for i, m := range f.maps {
			number, _ := m.Number(class)
			if mask, err := m.Decode(data, lim); err == nil {
				fits[i]++
				figure[i].Write(mask.Figure(number).Pix)
			}
		}
	}
	best := slices.Index(fits, slices.Max(fits))
	for i, name := range f.names {
		if fits[i] == fits[best] && !bytes.Equal(figure[i].Sum(nil), figure[best].Sum(nil)) {
			return nil, "", fmt.Errorf("%s and %s both fit the masks and disagree on what is %s: remove the one that is not theirs",
				f.names[best], name, class)
		}
	}
	return f.maps[best], f.names[best], nil
}

// Decode reads a mask of these labels: the number of each pixel's label, VOCVoid for void. If the
// map has all colors of the mask, colors decide; otherwise a palette's or grey's values are
// numbers. A color or number outside the map is an error.
func (m *LabelMap) Decode(data []byte, lim raster.Limits) (*Indexed, error) {
	out, img, err := decodeIndexed(data, lim, lookUp(m.colors), "is not in "+m.File)
	if err != nil {
		return nil, err
	}
	var of func(v uint8) [3]uint8
	switch img := img.(type) {
	case *image.Paletted:
		of = func(v uint8) [3]uint8 {
			if int(v) >= len(img.Palette) {
				return [3]uint8{v, v, v}
			}
			c := color.NRGBAModel.Convert(img.Palette[v]).(color.NRGBA)
			return [3]uint8{c.R, c.G, c.B}
		}
	case *image.Gray, *image.Gray16:
		of = func(v uint8) [3]uint8 { return [3]uint8{v, v, v} }
	default: // its colors were looked up
		return out, nil
	}
	table, err := m.table(out, of)
	if err != nil {
		return nil, err
	}
	for i, v := range out.Pix {
		out.Pix[i] = table[v]
	}
	return out, nil
}

// table maps the values of a palette or grey mask to label numbers.
func (m *LabelMap) table(mask *Indexed, of func(v uint8) [3]uint8) (table [256]uint8, err error) {
	used := mask.used()
	if !m.listed && !slices.ContainsFunc(used, func(v uint8) bool { _, ok := m.colors[of(v)]; return !ok }) {
		for _, v := range used {
			table[v] = m.colors[of(v)]
		}
		return table, nil
	}
	for _, v := range used {
		c := of(v)
		switch gray := c == [3]uint8{v, v, v}; {
		case !m.listed && !gray:
			n, ok := m.colors[c]
			if !ok {
				return table, fmt.Errorf("mask: color (%d,%d,%d) is not in %s", c[0], c[1], c[2], m.File)
			}
			table[v] = n
		case int(v) < len(m.Names) && !m.stated && m.numbers[0] != 0:
			return table, fmt.Errorf("mask: got number %d, and the first label of %s is not the background, %s, so that it does not say "+
				"what numbers mean: put that first, or give the masks its colors", v, m.File, m.Names[0])
		case int(v) < len(m.Names):
			table[v] = m.value(m.numbers[v])
		case v == VOCVoid:
			table[v] = VOCVoid
		default:
			return table, fmt.Errorf("mask: number %d is not in %s, which has %d labels", v, m.File, len(m.Names))
		}
	}
	return table, nil
}

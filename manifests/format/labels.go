package format

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A labelColor is a label of a map, with its color if it has one.
type labelColor struct {
	name    string
	color   [3]uint8
	colored bool
	number  string // that the map gives it; "" for its place
}

// readLabels reads the labels of a map in their order, and for dataset_meta.json the one that it
// calls the background. # begins a comment.
func readLabels(base string, text []byte) (labels []labelColor, ground string, err error) {
	form := labelMaps[base]
	if form == nil {
		return metaLabels(text)
	}
	_, text = tableStart(text)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if blankRow(line) || strings.HasPrefix(line, "#") || len(labels) == 0 && tableHead(line) {
			continue
		}
		l, err := form(line)
		if err != nil {
			return nil, "", err
		}
		if l.number != "" && l.number != strconv.Itoa(len(labels)) {
			return nil, "", fmt.Errorf("line %q: want the numbers 0, 1, 2 and so on", line)
		}
		labels = append(labels, l)
	}
	return labels, "", nil
}

// colonLine reads NAME:R,G,B:PARTS:ACTIONS, or a name alone.
func colonLine(line string) (labelColor, error) {
	name, rest, _ := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	rgb, _, _ := strings.Cut(rest, ":")
	if strings.TrimSpace(rgb) == "" {
		return labelColor{name: name}, nil
	}
	return newLabel(line, name, strings.Split(rgb, ","), "NAME:R,G,B:PARTS:ACTIONS")
}

// colorLine reads R G B NAME.
func colorLine(line string) (labelColor, error) {
	f := strings.Fields(line)
	n := min(3, len(f))
	return newLabel(line, strings.Join(f[n:], " "), f[:n], "R G B NAME")
}

// wordsLine reads NAME R G B.
func wordsLine(line string) (labelColor, error) {
	f := strings.Fields(line)
	n := max(0, len(f)-3)
	return newLabel(line, strings.Join(f[:n], " "), f[n:], "NAME R G B")
}

// tableLine reads NAME,R,G,B.
func tableLine(line string) (labelColor, error) {
	f := cells(line)
	return newLabel(line, f[0], f[1:], "NAME,R,G,B")
}

// cells splits a line of a table at the first of comma, semicolon and tab that it has. Cells may
// stand in quotes.
func cells(line string) []string {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.LazyQuotes, r.TrimLeadingSpace = separator([]byte(line)), true, true
	f, err := r.Read()
	if err != nil {
		return []string{line}
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

// numberLine reads NUMBER,NAME, as Roboflow writes it beside grey masks.
func numberLine(line string) (l labelColor, err error) {
	f := cells(line)
	if len(f) != 2 || f[0] == "" || f[1] == "" {
		return l, fmt.Errorf("line %q: want NUMBER,NAME", line)
	}
	return labelColor{name: f[1], number: f[0]}, nil
}

// tableHead tells whether a line of a table is its head: names of columns.
func tableHead(line string) bool {
	f := cells(strings.ToLower(line))
	first, last := f[0], f[len(f)-1]
	return len(f) > 1 && (slices.Contains([]string{"name", "class", "label"}, first) && slices.Contains([]string{"b", "blue"}, last) ||
		first == "pixel value")
}

func newLabel(line, name string, rgb []string, form string) (labelColor, error) {
	l := labelColor{name: name, colored: true}
	ok := len(rgb) == 3 && name != ""
	for i := 0; ok && i < 3; i++ {
		v, err := strconv.ParseUint(strings.TrimSpace(rgb[i]), 10, 8)
		l.color[i], ok = uint8(v), err == nil
	}
	if !ok {
		return l, fmt.Errorf("line %q: want %s with colors of 0 to 255", line, form)
	}
	return l, nil
}

// metaLabels reads dataset_meta.json of Datumaro: names by number, and the colors of the numbers.
func metaLabels(text []byte) (labels []labelColor, ground string, err error) {
	var f struct {
		Names  map[string]Text
		Colors [][]Whole
		Ground Text
	}
	v, err := ReadJSON(text)
	if err == nil {
		err = v.ReadFields(map[string]any{"label_map": &f.Names, "segmentation_colors": &f.Colors, "background_label": &f.Ground})
	}
	if err != nil {
		return nil, "", err
	}
	if len(f.Names) == 0 {
		return nil, "", errors.New("got no label_map, want names by number")
	}
	if len(f.Colors) > 0 && len(f.Colors) != len(f.Names) {
		return nil, "", fmt.Errorf("segmentation_colors: got %d colors for %d labels", len(f.Colors), len(f.Names))
	}
	for i := range len(f.Names) {
		name, ok := f.Names[strconv.Itoa(i)]
		if !ok {
			return nil, "", fmt.Errorf("label_map: got no label %d, want the numbers 0 to %d", i, len(f.Names)-1)
		}
		l := labelColor{name: string(name), number: strconv.Itoa(i)}
		if len(f.Colors) > 0 {
			var rgb []string
			for _, v := range f.Colors[i] {
				rgb = append(rgb, strconv.Itoa(int(v)))
			}
			if l, err = newLabel(strings.Join(rgb, ","), l.name, rgb, "segmentation_colors of R, G, B"); err != nil {
				return nil, "", err
			}
			l.number = strconv.Itoa(i)
		}
		labels = append(labels, l)
	}
	return labels, string(f.Names[string(f.Ground)]), nil
}

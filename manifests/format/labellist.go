package format

import (
	"bytes"
	"encoding/csv"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// IsLabelList tells by its name whether a file that is no label map may say what masks mean:
// labels.txt, data.yaml and their like, which every program writes in a form of its own.
func IsLabelList(name string) bool {
	base := strings.ToLower(path.Base(name))
	if !slices.Contains([]string{".txt", ".csv", ".json", ".yaml", ".yml", ".names", ".pbtxt"}, path.Ext(base)) || IsLabelMap(base) ||
		strings.Contains(base, "readme") {
		return false
	}
	if slices.Contains([]string{"meta.json", "data.yaml", "data.yml"}, base) {
		return true // of Supervisely and YOLO
	}
	return slices.ContainsFunc([]string{"label", "class", "categor", "codes", "names", "color", "colour", "palette", "objectinfo"},
		func(word string) bool { return strings.Contains(base, word) })
}

// ListedLabels returns the names of classes that a text lists in their order, without a background
// before them and void ones at the end; nil if it is no such list. A list has each name once: one
// on every line, or in fields of JSON, YAML or pbtxt. said tells that a key or the head of a table
// calls them classes; other names may be of files.
func ListedLabels(name string, text []byte) (names []string, said bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".yaml", ".yml":
		var v any
		if yaml.Unmarshal(text, &v) == nil { // JSON is YAML
			names, said = fieldNames(v)
		}
	case ".pbtxt":
		for _, m := range pbtxtName.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		said = len(names) > 0
	case ".csv":
		names, said = tableNames(text)
	default:
		names = lineNames(text)
	}
	for len(names) > 0 && (IsVoid(names[0]) || slices.Contains(backgrounds, strings.ToLower(names[0]))) {
		names = names[1:]
	}
	for len(names) > 0 && IsVoid(names[len(names)-1]) {
		names = names[:len(names)-1]
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) < len(names) {
		return nil, false
	}
	return names, said && len(names) > 0
}

var pbtxtName = regexp.MustCompile(`\bname\s*:\s*["']([^"']+)["']`)

// fieldNames finds the list in a value of JSON or YAML.
func fieldNames(v any) (names []string, said bool) {
	m, _ := v.(map[string]any)
	if m["images"] != nil || m["annotations"] != nil { // COCO's
		return nil, false
	}
	for _, key := range []string{"classes", "names", "label_map", "labels", "categories", "id2label", "label2id"} {
		if names = elementNames(m[key]); names != nil {
			return names, true
		}
	}
	return elementNames(v), false
}

// elementNames are the names in a list of texts or of objects with names, and in an object from
// numbers to names or from names to numbers or colors, in the order of the numbers.
func elementNames(v any) (names []string) {
	at := map[string]int{}
	add := func(name any, number string) {
		if s, ok := name.(string); ok {
			n, _ := strconv.Atoi(number)
			names, at[s] = append(names, s), n
		}
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if m, ok := e.(map[string]any); ok {
				for _, key := range []string{"name", "title", "label"} {
					add(m[key], strconv.Itoa(i))
				}
				continue
			}
			add(e, strconv.Itoa(i))
		}
	case map[any]any: // YAML's, by number
		for k, e := range v {
			if n, ok := k.(int); ok {
				add(e, strconv.Itoa(n))
			}
		}
	case map[string]any:
		for k, e := range v {
			_, err := strconv.Atoi(k)
			n, number := e.(int)
			_, color := e.([]any)
			switch {
			case err == nil:
				add(e, k)
			case number || color:
				add(k, strconv.Itoa(n))
			default:
				return nil
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return at[a] - at[b] })
	return names
}

// tableNames reads a table that has a number and one text in each row, after a head or without, or
// one text alone.
func tableNames(text []byte) (names []string, said bool) {
	comma, text := tableStart(text)
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = comma, true, true, -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, false
	}
	columns := 0
	for i, row := range rows {
		columns = max(columns, len(row))
		words := slices.DeleteFunc(slices.Clone(row), func(s string) bool { return strings.TrimSpace(s) == "" || numeric(s) })
		switch {
		case len(words) == 1:
			names = append(names, strings.TrimSpace(words[0]))
		case i == 0 && len(words) == len(row):
			said = slices.ContainsFunc(words, func(s string) bool {
				return slices.Contains([]string{"name", "class", "label", "category"}, strings.ToLower(strings.TrimSpace(s)))
			})
		default:
			return nil, false
		}
	}
	return names, said && columns > 1
}

// lineNames reads a name on every line, with a number or a color beside it or without.
func lineNames(text []byte) (names []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := slices.DeleteFunc(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t:,;=-[]()'\"", r) }), numeric)
		if len(words) == 0 || len(words) > 4 {
			return nil
		}
		names = append(names, strings.Join(words, " "))
	}
	return names
}

// numeric tells whether a word is a number or a color of the web.
func numeric(s string) bool {
	s = strings.TrimSpace(s)
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || strings.HasPrefix(s, "#")
}

// MeansLabels tells whether a file with the name of a label map is one by its text, be it a
// damaged one: not prose, or other data. class is the one that is looked for.
func MeansLabels(name string, text []byte, class string) bool {
	if _, err := ParseLabelMap(name, text); err == nil {
		return true
	}
	names, said := ListedLabels(name, text)
	form := labelMaps[strings.ToLower(path.Base(name))]
	if form == nil {
		_, err := ReadJSON(text)
		return err != nil || said
	}
	for line := range strings.Lines(string(text)) {
		l, err := form(strings.TrimSpace(line))
		if err == nil && (l.colored || l.number != "") || len(names) > 0 && (err == nil || said) {
			return true
		}
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\n:,;", r) }) {
			if word = strings.Trim(word, `"'`); word == class || slices.Contains(backgrounds, strings.ToLower(word)) {
				return true
			}
		}
	}
	return false
}

package configs

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// Page is the reference of all settings as Markdown: path, type, default and meaning of each. The
// test TestPages of cmd/hdseg writes it from the doc comments.
//
//go:embed SETTINGS.md
var Page string

// A Setting is a dotted path that --set accepts.
type Setting struct {
	Path    string // such as transfer.pool.neighbors
	Type    string // in words: whole number, number, text, true or false, list
	Default string // as YAML writes it, in one line

	Owner reflect.Type // the struct that declares it
	Field string       // its field there, whose doc comment says what the setting means
}

// Settings returns all settings in the order of the Experiment's fields, with the defaults that
// hold where a config says nothing. The caller must not change them.
func Settings() []Setting { return allSettings() }

var allSettings = sync.OnceValue(func() (out []Setting) {
	settingsOf(reflect.ValueOf(*defaults()), "", &out)
	return out
})

// settingsOf appends the settings below v, a struct that the dotted path leads to. What a pointer
// leads to, such as feature.dense, is no setting.
func settingsOf(v reflect.Value, path string, out *[]Setting) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, how, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if !field.IsExported() || name == "-" || field.Type.Kind() == reflect.Pointer {
			continue
		}
		at := path
		if how != "inline" {
			at = strings.TrimPrefix(path+"."+name, ".")
		}
		if field.Type.Kind() == reflect.Struct {
			settingsOf(v.Field(i), at, out)
		} else {
			*out = append(*out, Setting{at, typeName(field.Type), defaultText(v.Field(i)), v.Type(), field.Name})
		}
	}
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "map"
	}
	panic(fmt.Sprintf("configs: a setting of type %v", t))
}

// defaultText writes a value in one line of YAML.
func defaultText(v reflect.Value) string {
	var n yaml.Node
	if err := n.Encode(v.Interface()); err != nil {
		panic(fmt.Sprintf("configs: a default that YAML cannot hold: %v", err))
	}
	return lineOf(&n)
}

// lineOf writes a node in one line of YAML.
func lineOf(n *yaml.Node) string {
	n.Style |= yaml.FlowStyle
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	text, err := yaml.Marshal(n)
	if err != nil {
		panic(fmt.Sprintf("configs: a value that YAML cannot hold: %v", err))
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// PartOf returns the part of an experiment that a YAML text sets, such as transfer, "" for all of
// it. ok tells whether half of what the text names, or more, are settings of that part.
func PartOf(text []byte) (part string, ok bool) {
	var doc map[string]yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return "", false
	}
	most := 0
	c := newChecker()
	for _, p := range []string{"", "ingest", "transfer"} {
		n := 0
		for key := range doc {
			at := strings.TrimPrefix(p+"."+key, ".")
			_, known := c.settings[at]
			_, gone := removed[at]
			if known || gone || c.sections[at] {
				n++
			}
		}
		if n > most {
			most, part = n, p
		}
	}
	return part, most > 0 && 2*most >= len(doc)
}

// A Change is a setting with another value than its default.
type Change struct {
	Path    string `json:"path"`    // as --set names it
	Value   string `json:"value"`   // as YAML writes it
	Default string `json:"default"` // of this version; "" if it has no such setting
}

// Changes lists the settings in a YAML text that differ from the defaults. The text holds what is
// below a part of an experiment, such as transfer, or, for "", all of it. What names the data set
// and its class is left out.
func Changes(part, text string) ([]Change, error) {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		return nil, err
	}
	defaults := map[string]string{}
	for _, s := range Settings() {
		defaults[s.Path] = s.Default
	}
	out := []Change{}
	var walk func(path string, n *yaml.Node)
	walk = func(path string, n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			usual, ok := defaults[path]
			if !ok && strings.Contains(path, ".dense.") { // of arrays, which are found, not set
				usual = "none"
			}
			if is := lineOf(n); is != usual && path != "dataset" && !strings.HasPrefix(path, "class.") {
				out = append(out, Change{path, is, usual})
			}
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			walk(strings.TrimPrefix(path+"."+n.Content[i].Value, "."), n.Content[i+1])
		}
	}
	if len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
		walk(part, n.Content[0])
	}
	return out, nil
}

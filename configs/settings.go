package configs

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"

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
// hold where a config says nothing.
func Settings() []Setting {
	var out []Setting
	settingsOf(reflect.ValueOf(*defaults()), "", &out)
	return out
}

// settingsOf appends the settings below v, a struct that the dotted path leads to.
func settingsOf(v reflect.Value, path string, out *[]Setting) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, how, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if !field.IsExported() || name == "-" {
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
	n.Style |= yaml.FlowStyle
	text, err := yaml.Marshal(&n)
	if err != nil {
		panic(fmt.Sprintf("configs: a default that YAML cannot hold: %v", err))
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

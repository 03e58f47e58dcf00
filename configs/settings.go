package configs

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Page is the reference of all settings as Markdown: path, type, default and meaning of each. The
// test of this package writes it from the doc comments (go test ./configs -update).
//
//go:embed SETTINGS.md
var Page string

// A Setting is a dotted path that --set accepts.
type Setting struct {
	Path    string // such as transfer.pool.neighbors
	Type    string // in words: whole number, number, text, true or false, list
	Default string // as YAML writes it, in one line
}

// Settings returns all settings in the order of the Experiment's fields, with the defaults that
// hold where a config says nothing.
func Settings() []Setting {
	var out []Setting
	eachField(reflect.ValueOf(*defaults()), "", func(path string, _ reflect.Type, _ reflect.StructField, v reflect.Value) {
		out = append(out, Setting{path, typeName(v.Type()), defaultText(v)})
	})
	return out
}

// eachField calls f with the dotted path of every setting below v, the struct and the field that
// declare it, and its value.
func eachField(v reflect.Value, path string, f func(path string, owner reflect.Type, field reflect.StructField, v reflect.Value)) {
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
			eachField(v.Field(i), at, f)
		} else {
			f(at, v.Type(), field, v.Field(i))
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

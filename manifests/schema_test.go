package manifests

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"hdseg/manifests/canon"
)

// A schema is as much of JSON Schema as schema.json uses; unknown keywords are errors.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Const       any                `json:"const"`
	Enum        []any              `json:"enum"`
	Pattern     string             `json:"pattern"`
	MinLength   int                `json:"minLength"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	Items       *schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	MaxItems    *int               `json:"maxItems"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	More        *bool              `json:"additionalProperties"`
	Not         *schema            `json:"not"`
	AnyOf       []*schema          `json:"anyOf"`
	Defs        map[string]*schema `json:"$defs"`
	Description string             `json:"description"`
	Title       string             `json:"title"`
	ID          string             `json:"$id"`
	Draft       string             `json:"$schema"`
}

//go:embed schema.json
var schemaText string

func loadSchema(t testing.TB) *schema {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(schemaText))
	d.DisallowUnknownFields()
	s := &schema{}
	if err := d.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// check returns what is wrong with v, a tree as yaml.v3 decodes it.
func (s *schema) check(root *schema, v any) error {
	if s.Ref != "" {
		d := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if d == nil {
			return fmt.Errorf("no definition %s", s.Ref)
		}
		if err := d.check(root, v); err != nil {
			return err
		}
	}
	if s.Const != nil && fmt.Sprint(s.Const) != fmt.Sprint(v) {
		return fmt.Errorf("%v, want %v", v, s.Const)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%v, want one of %v", v, s.Enum)
	}
	if s.Not != nil && s.Not.check(root, v) == nil {
		return fmt.Errorf("%v is not allowed", v)
	}
	if s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(a *schema) bool { return a.check(root, v) == nil }) {
		return fmt.Errorf("fits none of %d forms", len(s.AnyOf))
	}
	switch s.Type {
	case "":
		return nil
	case "string":
		t, ok := v.(string)
		if !ok || utf8.RuneCountInString(t) < s.MinLength || !regexp.MustCompile(s.Pattern).MatchString(t) {
			return fmt.Errorf("%#v, want a string of at least %d characters like %s", v, s.MinLength, s.Pattern)
		}
	case "integer", "number":
		f := reflect.ValueOf(v)
		var x float64
		switch {
		case f.CanInt():
			x = float64(f.Int())
		case f.CanUint():
			x = float64(f.Uint())
		case f.CanFloat() && s.Type == "number":
			x = f.Float()
		default:
			return fmt.Errorf("%#v, want %s", v, s.Type)
		}
		if s.Minimum != nil && x < *s.Minimum || s.Maximum != nil && x > *s.Maximum || math.IsNaN(x) {
			return fmt.Errorf("%v is out of range", v)
		}
	case "array":
		l, ok := v.([]any)
		if !ok || len(l) < s.MinItems || s.MaxItems != nil && len(l) > *s.MaxItems {
			return fmt.Errorf("%T of %d items", v, len(l))
		}
		for i, x := range l {
			if err := s.Items.check(root, x); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%T, want a mapping", v)
		}
		for _, k := range s.Required {
			if _, ok := m[k]; !ok {
				return fmt.Errorf("%s is missing", k)
			}
		}
		for k, x := range m {
			p := s.Properties[k]
			if p == nil {
				return fmt.Errorf("%s is not known", k)
			}
			if err := p.check(root, x); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
	default:
		return fmt.Errorf("type %s", s.Type)
	}
	return nil
}

func TestSchemaFitsWhatIsWritten(t *testing.T) {
	root := loadSchema(t)
	checked := 0
	for _, m := range []*Manifest{handManifest(), sample(200, 3), newPlanted(t).m, {Header: Header{Dataset: "d", Stage: "s"}}} {
		s := testStore(t)
		if _, err := Write(s, "stages/t", m); err != nil {
			t.Fatal(err)
		}
		names, _ := files(t, s.Dir())
		for _, p := range names {
			def := "part"
			switch {
			case p == "stages/t.yaml":
				def = "index"
			case strings.Contains(p, "/skipped."):
				def = "skips"
			}
			data, err := s.Read(p, "")
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := yaml.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			for _, sch := range []*schema{root, root.Defs[def]} {
				if err := sch.check(root, v); err != nil {
					t.Errorf("%s: %v\n%s", p, err, data)
				}
			}
			checked++
		}
	}
	if checked != 3+3+3+1 {
		t.Errorf("%d files were held against the schema, want 10", checked)
	}
}

// What the schema refuses, Read refuses too; the other way round there are digests, order and the like.
func TestSchemaRefusesNoMoreThanRead(t *testing.T) {
	root := loadSchema(t)
	refused := 0
	for _, c := range strictCases {
		s := testStore(t)
		if _, err := Write(s, "stages/t", handManifest()); err != nil {
			t.Fatal(err)
		}
		numbered(t, s, "stages/t")
		edit(t, s, c.file, c.old, c.new)
		data, err := s.Read(c.file, "")
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if yaml.Unmarshal(data, &v) != nil {
			continue
		}
		if err := root.check(root, v); err != nil {
			refused++
			if c.kind == "" {
				t.Errorf("%q -> %q: the schema says %v", c.old, c.new, err)
			}
		} else if slices.Contains([]string{FaultUnknownKey, FaultMissingKey, FaultSchema}, c.kind) {
			t.Errorf("%q -> %q: the schema accepts it", c.old, c.new)
		}
	}
	if refused < 20 {
		t.Errorf("the schema refuses %d cases, want 20 or more", refused)
	}
}

// The schema, the layout and the JSON names have the same keys in the same order.
func TestSchemaHasTheKeysOfTheLayout(t *testing.T) {
	root := loadSchema(t)
	sameKeys(t, root, "index", indexFields, []string{"schema", "dataset", "class", "stage", "tool", "version", "config", "parent", "seed", "skipped", "settings"}, Header{})
	sameKeys(t, root, "class", classFields, nil, Class{})
	sameKeys(t, root, "count", countFields, nil, Count{})
	sameKeys[part](t, root, "partFile", partFields, nil, nil)
	sameKeys(t, root, "record", recordFields, nil, Record{})
	sameKeys(t, root, "image", imageFields, nil, Image{})
	sameKeys(t, root, "box", boxFields, nil, Box{})
	sameKeys(t, root, "mask", maskFields, nil, Mask{})
	sameKeys(t, root, "skip", skipFields, nil, Skip{})
}

func sameKeys[T any](t *testing.T, root *schema, def string, fields []canon.Field[T], tags []string, v any) {
	t.Helper()
	var keys, required []string
	for _, f := range fields {
		keys = append(keys, f.Key)
		if !f.Optional {
			required = append(required, f.Key)
		}
	}
	d := root.Defs[def]
	for _, k := range keys {
		if d.Properties[k] == nil {
			t.Errorf("%s: the schema has no %s", def, k)
		}
	}
	if len(d.Properties) != len(keys) || !slices.Equal(d.Required, required) || d.More == nil || *d.More {
		t.Errorf("%s: the schema has %d keys, requires %v, want %d, %v and no more", def, len(d.Properties), d.Required, len(keys), required)
	}
	if v == nil {
		return
	}
	if tags == nil {
		tags = keys
	}
	var got []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			got = append(got, name)
		}
	}
	if !slices.Equal(got, tags) {
		t.Errorf("%s: the JSON names are %v, want %v", def, got, tags)
	}
}

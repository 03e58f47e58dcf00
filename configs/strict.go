package configs

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"hdseg/manifests/format"
)

// mostFaults is how many faults of a config are told at once.
const mostFaults = 8

// faultsOf returns what is wrong with the names of the settings in a document and with the kinds of
// their values, in the user's terms; with lines each begins with its line.
func faultsOf(doc *yaml.Node, lines bool) error {
	c := newChecker()
	c.lines = lines
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		c.section("", doc.Content[0])
	}
	if n := len(c.faults); n > mostFaults {
		c.faults = append(c.faults[:mostFaults], fmt.Errorf("and %d more", n-mostFaults))
	}
	return errors.Join(c.faults...)
}

// A checker goes through a document.
type checker struct {
	lines    bool
	all      []Setting
	settings map[string]Setting // by path
	sections map[string]bool    // the paths that settings lie below
	faults   []error
}

func newChecker() *checker {
	c := &checker{all: Settings(), settings: map[string]Setting{}, sections: map[string]bool{}}
	for _, s := range c.all {
		c.settings[s.Path] = s
		for i, r := range s.Path {
			if r == '.' {
				c.sections[s.Path[:i]] = true
			}
		}
	}
	return c
}

// named puts the path of a setting, below a section, before what is wrong with its value: packages
// say "pool: neighbors: got 0".
func (c *checker) named(path, fault string) string {
	for {
		name, rest, ok := strings.Cut(fault, ": ")
		at := path + "." + name
		_, known := c.settings[at]
		switch {
		case ok && name == path:
		case ok && (known || c.sections[at]):
			path = at
		default:
			return path + ": " + fault
		}
		fault = rest
	}
}

func (c *checker) fault(n *yaml.Node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.lines {
		text = fmt.Sprintf("line %d: %s", n.Line, text)
	}
	c.faults = append(c.faults, errors.New(text))
}

// section checks the settings below a path.
func (c *checker) section(path string, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			first := c.below(path)
			c.fault(n, "%s, want settings with their values, such as %s: %s", strings.TrimPrefix(path+": got "+shown(n), ": "),
				strings.TrimPrefix(first.Path, path+"."), first.Default)
		}
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		before, twice := seen[key.Value]
		seen[key.Value] = key.Line
		why, gone := removed[at]
		s, known := c.settings[at]
		switch {
		case twice:
			c.fault(key, "%s is set twice: it stands in line %d too", at, before)
		case key.Tag == "!!merge":
			c.section(path, value)
		case gone:
			c.fault(key, "%s is no setting any more: %s", at, why)
		case c.sections[at]:
			c.section(at, value)
		case !known:
			c.fault(key, "%s is no setting%s", at, c.nearest(at))
		default:
			c.value(s, value)
		}
	}
}

// leadingZeros begin a number that is meant to be decimal: YAML 1.1 would read it as octal, with or
// without '_' between its digits.
var leadingZeros = regexp.MustCompile(`^([-+]?)[0_]+([0-9][0-9_]*)$`)

// value checks the kind of a setting's value.
func (c *checker) value(s Setting, n *yaml.Node) {
	if strings.HasSuffix(s.Type, "number") && n.Style&^yaml.TaggedStyle == 0 {
		n.Value = leadingZeros.ReplaceAllString(n.Value, "$1$2")
	}
	field, _ := s.Owner.FieldByName(s.Field)
	broken := false // YAML's reader would cut it off
	if f, err := strconv.ParseFloat(n.Value, 64); err == nil && s.Type == "whole number" {
		broken = f != math.Trunc(f)
	}
	if !broken && n.Decode(reflect.New(field.Type).Interface()) == nil {
		return
	}
	want := map[string]string{"list": "a list, such as [" + shown(n) + "]", "whole number": "a whole number", "number": "a number"}[s.Type]
	switch {
	case s.Type == "list" && n.Kind != yaml.ScalarNode:
		want = "a list of plain values, such as " + s.Default
	case field.Type.Kind() == reflect.Uint64:
		want += " of 0 or more"
	case want == "":
		want = s.Type
	}
	c.fault(n, "%s: got %s, want %s", s.Path, shown(n), want)
}

// shown returns a value as its author wrote it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!str" {
			return fmt.Sprintf("%q", n.Value)
		}
		return n.Value
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "settings below it"
	}
	return "*" + n.Value
}

// below returns the first setting below a section.
func (c *checker) below(path string) Setting {
	return c.all[slices.IndexFunc(c.all, func(s Setting) bool { return path == "" || strings.HasPrefix(s.Path, path+".") })]
}

// nearest names the setting that was meant, if one is near: by its whole path, or by its last name
// in another section.
func (c *checker) nearest(at string) string {
	last := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	best, least := "", len(at)
	for _, p := range slices.Sorted(maps.Keys(c.sections)) {
		if d := format.Distance(at, p); d < least {
			best, least = p, d
		}
	}
	for _, s := range c.all {
		p := s.Path
		d := format.Distance(at, p)
		if name := format.Distance(last(at), last(p)); name < d {
			d = name + 1
		}
		if d < least || d == least && best != "" && format.Distance(at, p) < format.Distance(at, best) {
			best, least = p, d
		}
	}
	if best == "" || least > max(2, len(last(at))/3) {
		return "; hdseg help settings lists all"
	}
	return "; did you mean " + best + "?"
}

// Nearest returns of some names the one that was meant by a name that is none of them, "" if none
// is near.
func Nearest(name string, names []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		if len(n) >= len(name)+least || len(n)+least <= len(name) {
			continue // there are many ids
		}
		if d := format.Distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// Meant ends a message about a name that is none of some names: "; did you mean X?", or "".
func Meant(name string, names []string) string {
	if best := Nearest(name, names); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}

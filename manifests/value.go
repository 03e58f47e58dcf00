package manifests

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// A value is one field of the layout: a pointer to a Go value that knows its YAML form. The same table of
// fields (layout.go) drives the canonical writer, the fast reader of the canonical form and the reader of
// any YAML, so that the three cannot drift apart.
type value interface {
	// zero tells whether the value is one that an optional field leaves out.
	zero() bool
	// write appends what stands after "key:", without the last line break; lines of its own get indent.
	write(b []byte, indent int) []byte
	// scan reads what write wrote and tells whether it was in the canonical form.
	scan(s *scanner, indent int) bool
	// decode reads any YAML form and reports faults to d.
	decode(d *decoder, n *yaml.Node)
}

// The scalars. A text is always quoted; an id too, and its quotes are demanded on reading, since people
// write 2008_000008 and mean no number; a word is bare where that is safe.
type (
	text    string
	id      string
	word    string
	integer int
	natural uint64
	decimal float64
)

func (v *text) zero() bool                   { return *v == "" }
func (v *text) write(b []byte, _ int) []byte { return appendQuoted(append(b, ' '), string(*v)) }
func (v *text) scan(s *scanner, _ int) bool  { return s.byte(' ') && s.quoted((*string)(v)) }
func (v *text) decode(d *decoder, n *yaml.Node) {
	d.text(n, (*string)(v), false)
}

func (v *id) zero() bool                      { return *v == "" }
func (v *id) write(b []byte, _ int) []byte    { return appendQuoted(append(b, ' '), string(*v)) }
func (v *id) scan(s *scanner, _ int) bool     { return s.byte(' ') && s.quoted((*string)(v)) }
func (v *id) decode(d *decoder, n *yaml.Node) { d.text(n, (*string)(v), true) }

func (v *word) zero() bool { return *v == "" }
func (v *word) write(b []byte, _ int) []byte {
	if isWord(string(*v)) {
		return append(append(b, ' '), *v...)
	}
	return appendQuoted(append(b, ' '), string(*v))
}
func (v *word) scan(s *scanner, _ int) bool {
	return s.byte(' ') && (s.word((*string)(v)) || s.quoted((*string)(v)))
}
func (v *word) decode(d *decoder, n *yaml.Node) { d.text(n, (*string)(v), false) }

func (v *integer) zero() bool { return *v == 0 }
func (v *integer) write(b []byte, _ int) []byte {
	return strconv.AppendInt(append(b, ' '), int64(*v), 10)
}
func (v *integer) scan(s *scanner, _ int) bool {
	t, ok := s.number()
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(string(t), 10, 0)
	*v = integer(n)
	return err == nil
}
func (v *integer) decode(d *decoder, n *yaml.Node) { d.number(n, (*int)(v), "an integer", "!!int") }

func (v *natural) zero() bool { return *v == 0 }
func (v *natural) write(b []byte, _ int) []byte {
	return strconv.AppendUint(append(b, ' '), uint64(*v), 10)
}
func (v *natural) scan(s *scanner, _ int) bool {
	t, ok := s.number()
	if !ok {
		return false
	}
	n, err := strconv.ParseUint(string(t), 10, 64)
	*v = natural(n)
	return err == nil
}
func (v *natural) decode(d *decoder, n *yaml.Node) {
	d.number(n, (*uint64)(v), "an integer from 0 on", "!!int")
}

func (v *decimal) zero() bool { return *v == 0 }

// write never uses an exponent: PyYAML takes 1e-05 for a string.
func (v *decimal) write(b []byte, _ int) []byte {
	return strconv.AppendFloat(append(b, ' '), float64(*v), 'f', -1, 64)
}
func (v *decimal) scan(s *scanner, _ int) bool {
	t, ok := s.number()
	if !ok {
		return false
	}
	f, err := strconv.ParseFloat(string(t), 64)
	*v = decimal(f)
	return err == nil
}
func (v *decimal) decode(d *decoder, n *yaml.Node) {
	d.number(n, (*float64)(v), "a number", "!!int", "!!float")
}

// A row is a list of strings on one line: ["a", "b"].
type row[S ~string] []S

func (v *row[S]) zero() bool { return len(*v) == 0 }
func (v *row[S]) write(b []byte, _ int) []byte {
	b = append(b, " ["...)
	for i, s := range *v {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendQuoted(b, string(s))
	}
	return append(b, ']')
}
func (v *row[S]) scan(s *scanner, _ int) bool {
	if !s.byte(' ') || !s.byte('[') {
		return false
	}
	s.row = s.row[:0]
	for !s.byte(']') {
		if len(s.row) > 0 && !(s.byte(',') && s.byte(' ')) {
			return false
		}
		var t string
		if !s.quoted(&t) {
			return false
		}
		s.row = append(s.row, t)
	}
	if len(s.row) > 0 {
		*v = make([]S, len(s.row))
		for i, t := range s.row {
			(*v)[i] = S(t)
		}
	}
	return true
}
func (v *row[S]) decode(d *decoder, n *yaml.Node) {
	for _, s := range d.row(n, false) {
		*v = append(*v, S(s))
	}
}

// ids are a row that demands quotes.
type ids []string

func (v *ids) zero() bool                        { return len(*v) == 0 }
func (v *ids) write(b []byte, indent int) []byte { return (*row[string])(v).write(b, indent) }
func (v *ids) scan(s *scanner, indent int) bool  { return (*row[string])(v).scan(s, indent) }
func (v *ids) decode(d *decoder, n *yaml.Node)   { *v = d.row(n, true) }

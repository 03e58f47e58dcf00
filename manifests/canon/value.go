// Package canon writes and reads YAML in one canonical form: the same values give the same bytes.
//
// A table of Fields says which keys a mapping has, in which order, and where each value lives in a
// Go struct. The same table drives the canonical writer, the Scanner, which reads only what the
// writer writes and does so at about 100,000 records a second, and the Decoder, which reads any
// YAML and says what is wrong on which line. So the three cannot drift apart.
package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A Field is one key of a mapping and where its value lives in a T.
type Field[T any] struct {
	Key      string
	Optional bool // left out when zero
	Of       func(*T) Value
}

// Required is a field that always stands there.
func Required[T any](key string, of func(*T) Value) Field[T] { return Field[T]{key, false, of} }

// Optional is a field that is left out when its value is zero.
func Optional[T any](key string, of func(*T) Value) Field[T] { return Field[T]{key, true, of} }

// Mapping is a mapping of one line per key.
func Mapping[T any](v *T, fields []Field[T]) Value { return &block[T]{v, fields} }

// Items is a list of mappings of one line per key.
func Items[T any](v *[]T, fields []Field[T]) Value { return &list[T]{v, fields, false} }

// Inline is a list of mappings, each on one line: {xMin: 1, yMin: 2, xMax: 3, yMax: 4}.
func Inline[T any](v *[]T, fields []Field[T]) Value { return &list[T]{v, fields, true} }

// A Value is one value of a layout: a pointer to a Go value that knows its YAML form.
type Value interface {
	// zero tells whether the value is one that an optional field leaves out.
	zero() bool
	// write appends what stands after "key:", without the last line break; own lines get indent.
	write(b []byte, indent int) []byte
	// scan reads what write wrote and tells whether it was in the canonical form.
	scan(s *Scanner, indent int) bool
	// decode reads any YAML form and reports faults to d.
	decode(d *Decoder, n *yaml.Node)
}

// The scalars. A Text is always quoted, and so is an ID, of which reading demands it, since people
// write 2008_000008 and mean no number. A Word is bare where that is safe.
type (
	Text    string
	ID      string
	Word    string
	Integer int
	Natural uint64
	Decimal float64
)

func (v *Text) zero() bool                   { return *v == "" }
func (v *Text) write(b []byte, _ int) []byte { return appendQuoted(append(b, ' '), string(*v)) }
func (v *Text) scan(s *Scanner, _ int) bool  { return s.byte(' ') && s.quoted((*string)(v)) }
func (v *Text) decode(d *Decoder, n *yaml.Node) {
	d.text(n, (*string)(v), false)
}

func (v *ID) zero() bool                      { return *v == "" }
func (v *ID) write(b []byte, _ int) []byte    { return appendQuoted(append(b, ' '), string(*v)) }
func (v *ID) scan(s *Scanner, _ int) bool     { return s.byte(' ') && s.quoted((*string)(v)) }
func (v *ID) decode(d *Decoder, n *yaml.Node) { d.text(n, (*string)(v), true) }

func (v *Word) zero() bool { return *v == "" }
func (v *Word) write(b []byte, _ int) []byte {
	if isWord(string(*v)) {
		return append(append(b, ' '), *v...)
	}
	return appendQuoted(append(b, ' '), string(*v))
}
func (v *Word) scan(s *Scanner, _ int) bool {
	return s.byte(' ') && (s.word((*string)(v)) || s.quoted((*string)(v)))
}
func (v *Word) decode(d *Decoder, n *yaml.Node) { d.text(n, (*string)(v), false) }

func (v *Integer) zero() bool { return *v == 0 }
func (v *Integer) write(b []byte, _ int) []byte {
	return strconv.AppendInt(append(b, ' '), int64(*v), 10)
}
func (v *Integer) scan(s *Scanner, _ int) bool {
	n, err := strconv.Atoi(string(s.number()))
	*v = Integer(n)
	return err == nil
}
func (v *Integer) decode(d *Decoder, n *yaml.Node) { d.number(n, (*int)(v), "an integer", "!!int") }

func (v *Natural) zero() bool { return *v == 0 }
func (v *Natural) write(b []byte, _ int) []byte {
	return strconv.AppendUint(append(b, ' '), uint64(*v), 10)
}
func (v *Natural) scan(s *Scanner, _ int) bool {
	n, err := strconv.ParseUint(string(s.number()), 10, 64)
	*v = Natural(n)
	return err == nil
}
func (v *Natural) decode(d *Decoder, n *yaml.Node) {
	d.number(n, (*uint64)(v), "an integer from 0 on", "!!int")
}

func (v *Decimal) zero() bool { return *v == 0 }

// write never uses an exponent: PyYAML takes 1e-05 for a string.
func (v *Decimal) write(b []byte, _ int) []byte {
	return strconv.AppendFloat(append(b, ' '), float64(*v), 'f', -1, 64)
}
func (v *Decimal) scan(s *Scanner, _ int) bool {
	f, err := strconv.ParseFloat(string(s.number()), 64)
	*v = Decimal(f)
	return err == nil
}
func (v *Decimal) decode(d *Decoder, n *yaml.Node) {
	d.number(n, (*float64)(v), "a number", "!!int", "!!float")
}

// A Row is a list of strings on one line: ["a", "b"].
type Row[S ~string] []S

func (v *Row[S]) zero() bool { return len(*v) == 0 }
func (v *Row[S]) write(b []byte, _ int) []byte {
	b = append(b, " ["...)
	for i, s := range *v {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendQuoted(b, string(s))
	}
	return append(b, ']')
}
func (v *Row[S]) scan(s *Scanner, _ int) bool {
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
func (v *Row[S]) decode(d *Decoder, n *yaml.Node) {
	for _, s := range d.row(n, false) {
		*v = append(*v, S(s))
	}
}

// IDs are a row that demands quotes.
type IDs []string

func (v *IDs) zero() bool                        { return len(*v) == 0 }
func (v *IDs) write(b []byte, indent int) []byte { return (*Row[string])(v).write(b, indent) }
func (v *IDs) scan(s *Scanner, indent int) bool  { return (*Row[string])(v).scan(s, indent) }
func (v *IDs) decode(d *Decoder, n *yaml.Node)   { *v = d.row(n, true) }

// isWord tells whether every YAML reader takes a bare s for a string: a letter, then letters,
// digits and "_./-", and no word for a bool or null.
func isWord(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return !isReserved(s)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isWordByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '/' || c == '-'
}

// isReserved lists the words of https://yaml.org/type/bool.html and null.html.
func isReserved(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "":
		return true
	}
	return false
}

// isPlainRune tells whether r may stand unescaped between double quotes, for every reader.
func isPlainRune(r rune) bool {
	switch {
	case r < 0x20, r == '"', r == '\\', r >= 0x7f && r < 0xa0:
		// controls, C1 (and NEL, a line break)
		return false
	case r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		// line breaks, byte order marks
		return false
	}
	return true
}

// appendQuoted appends s, which must be valid UTF-8, in double quotes with YAML's escapes.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // s[:done] is written
	for i, r := range s {
		if isPlainRune(r) {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + utf8.RuneLen(r)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x100:
			b = append(b, '\\', 'x', hex[r>>4], hex[r&15])
		default: // below 0x10000, see isPlainRune
			b = append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// quotedEnd returns the length, with quotes, of the double-quoted scalar that b begins with, 0
// unless it has only plain runes.
func quotedEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); {
		c := b[i]
		switch {
		case c == '"':
			return i + 1
		case c < utf8.RuneSelf:
			if c < 0x20 || c == 0x7f || c == '\\' {
				return 0
			}
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 || !isPlainRune(r) {
				return 0
			}
			i += n
		}
	}
	return 0
}

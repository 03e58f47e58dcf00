package manifests

import "gopkg.in/yaml.v3"

// A block is a mapping of one line per key.
type block[T any] struct {
	v      *T
	fields []field[T]
}

func (m *block[T]) zero() bool {
	for _, f := range m.fields {
		if !f.of(m.v).zero() {
			return false
		}
	}
	return true
}

func (m *block[T]) write(b []byte, indent int) []byte {
	for _, f := range m.fields {
		v := f.of(m.v)
		if f.optional && v.zero() {
			continue
		}
		b = append(append(appendLine(b, indent), f.key...), ':')
		b = v.write(b, indent+2)
	}
	return b
}

func (m *block[T]) scan(s *scanner, indent int) bool {
	some := false
	for _, f := range m.fields {
		mark := s.b
		if s.line(indent) && s.key(f.key) {
			if !f.of(m.v).scan(s, indent+2) {
				return false
			}
			some = true
			continue
		}
		s.b = mark
		if !f.optional {
			return false
		}
	}
	return some
}

func (m *block[T]) decode(d *decoder, n *yaml.Node) { decodeMapping(d, n, m.fields, m.v) }

// A list is a sequence of mappings, each a block or inline: {xMin: 1, yMin: 2, xMax: 3, yMax: 4}.
type list[T any] struct {
	v      *[]T
	fields []field[T]
	inline bool
}

func (l *list[T]) zero() bool { return len(*l.v) == 0 }

func (l *list[T]) write(b []byte, indent int) []byte {
	for i := range *l.v {
		b = appendItem(b, &(*l.v)[i], l.fields, indent, l.inline)
	}
	return b
}

func appendItem[T any](b []byte, v *T, fields []field[T], indent int, inline bool) []byte {
	if inline {
		b = append(appendLine(b, indent), "- {"...)
		for i, f := range fields {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = f.of(v).write(append(append(b, f.key...), ':'), 0)
		}
		return append(b, '}')
	}
	dash := len(b) + 1 + indent
	b = (&block[T]{v, fields}).write(b, indent+2)
	b[dash] = '-'
	return b
}

func appendLine(b []byte, indent int) []byte {
	return append(append(b, '\n'), spaces[:indent]...)
}

func (l *list[T]) scan(s *scanner, indent int) bool {
	for {
		mark := s.b
		if !s.line(indent) || !s.byte('-') || !s.byte(' ') {
			s.b = mark
			return len(*l.v) > 0
		}
		*l.v = append(*l.v, *new(T))
		v := &(*l.v)[len(*l.v)-1]
		if l.inline {
			if !scanInline(s, v, l.fields) {
				return false
			}
			continue
		}
		s.dash = true
		if !(&block[T]{v, l.fields}).scan(s, indent+2) {
			return false
		}
	}
}

func scanInline[T any](s *scanner, v *T, fields []field[T]) bool {
	if !s.byte('{') {
		return false
	}
	for i, f := range fields {
		if i > 0 && !(s.byte(',') && s.byte(' ')) || !s.key(f.key) || !f.of(v).scan(s, 0) {
			return false
		}
	}
	return s.byte('}')
}

func (l *list[T]) decode(d *decoder, n *yaml.Node) {
	if !d.kind(n, yaml.SequenceNode, "a list") {
		return
	}
	*l.v = make([]T, len(n.Content))
	for i, c := range n.Content {
		decodeMapping(d, c, l.fields, &(*l.v)[i])
	}
}

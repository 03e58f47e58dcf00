package canon

import "gopkg.in/yaml.v3"

type block[T any] struct {
	v      *T
	fields []Field[T]
}

func (m *block[T]) zero() bool {
	for _, f := range m.fields {
		if !f.Of(m.v).zero() {
			return false
		}
	}
	return true
}

func (m *block[T]) write(b []byte, indent int) []byte {
	for _, f := range m.fields {
		v := f.Of(m.v)
		if f.Optional && v.zero() {
			continue
		}
		b = append(append(appendLine(b, indent), f.Key...), ':')
		b = v.write(b, indent+2)
	}
	return b
}

func (m *block[T]) scan(s *Scanner, indent int) bool {
	some := false
	for _, f := range m.fields {
		mark := s.b
		if s.line(indent) && s.key(f.Key) {
			if !f.Of(m.v).scan(s, indent+2) {
				return false
			}
			some = true
			continue
		}
		s.b = mark
		if !f.Optional {
			return false
		}
	}
	return some
}

func (m *block[T]) decode(d *Decoder, n *yaml.Node) { DecodeMapping(d, n, m.fields, m.v) }

// A list is a sequence of mappings, each a block or inline: {xMin: 1, yMin: 2, xMax: 3, yMax: 4}.
type list[T any] struct {
	v      *[]T
	fields []Field[T]
	inline bool
}

func (l *list[T]) zero() bool { return len(*l.v) == 0 }

func (l *list[T]) write(b []byte, indent int) []byte {
	for i := range *l.v {
		b = AppendItem(b, &(*l.v)[i], l.fields, indent, l.inline)
	}
	return b
}

// AppendItem appends one item of a list, with a line break before it.
func AppendItem[T any](b []byte, v *T, fields []Field[T], indent int, inline bool) []byte {
	if inline {
		b = append(appendLine(b, indent), "- {"...)
		for i, f := range fields {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = f.Of(v).write(append(append(b, f.Key...), ':'), 0)
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

func (l *list[T]) scan(s *Scanner, indent int) bool {
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

// AppendMapping appends a mapping of one line per key, as a file begins with.
func AppendMapping[T any](b []byte, v *T, fields []Field[T]) []byte {
	start := len(b)
	b = (&block[T]{v, fields}).write(b, 0)
	return append(append(b[:start], b[start+1:]...), '\n') // a key begins with a line break
}

// ScanList reads a file that is a list in the canonical form into the room of into, if that
// suffices. ok tells whether it was canonical.
func ScanList[T any](s *Scanner, text []byte, into []T, fields []Field[T], inline bool) (items []T, ok bool) {
	if s.names == nil {
		s.names = map[string]string{}
	}
	clear(s.names)
	s.b, s.first, s.dash, items = text, true, false, into
	ok = (&list[T]{&items, fields, inline}).scan(s, 0) && string(s.b) == "\n"
	return items, ok
}

func scanInline[T any](s *Scanner, v *T, fields []Field[T]) bool {
	if !s.byte('{') {
		return false
	}
	for i, f := range fields {
		if i > 0 && !(s.byte(',') && s.byte(' ')) || !s.key(f.Key) || !f.Of(v).scan(s, 0) {
			return false
		}
	}
	return s.byte('}')
}

func (l *list[T]) decode(d *Decoder, n *yaml.Node) {
	if !d.Kind(n, yaml.SequenceNode, "a list") {
		return
	}
	*l.v = make([]T, len(n.Content))
	for i, c := range n.Content {
		DecodeMapping(d, c, l.fields, &(*l.v)[i])
	}
}

// A Scanner reads the canonical form and nothing else. After a false the whole file is read again
// by the Decoder, which accepts what a Scanner accepts with the same result.
type Scanner struct {
	b     []byte
	names map[string]string // every string seen: ids, digests and words repeat
	row   []string          // scratch
	first bool              // nothing was read: the first line has no break before it
	dash  bool              // "- " was read: the next key stands on the same line
}

func (s *Scanner) byte(c byte) bool {
	if len(s.b) == 0 || s.b[0] != c {
		return false
	}
	s.b = s.b[1:]
	return true
}

const spaces = "                    "

// line reads a line break and indent spaces, unless the dash of a list stands in their place.
func (s *Scanner) line(indent int) bool {
	if s.dash {
		s.dash = false
		return true
	}
	if s.first {
		s.first = false
		return indent == 0
	}
	if len(s.b) <= indent || s.b[0] != '\n' || string(s.b[1:1+indent]) != spaces[:indent] {
		return false
	}
	s.b = s.b[1+indent:]
	return true
}

func (s *Scanner) key(k string) bool {
	if len(s.b) <= len(k) || string(s.b[:len(k)]) != k || s.b[len(k)] != ':' {
		return false
	}
	s.b = s.b[len(k)+1:]
	return true
}

// quoted reads a double-quoted string without escapes: those that need them go to the decoder.
func (s *Scanner) quoted(v *string) bool {
	n := quotedEnd(s.b)
	if n == 0 {
		return false
	}
	*v = s.intern(s.b[1 : n-1])
	s.b = s.b[n:]
	return true
}

func (s *Scanner) word(v *string) bool {
	n := 0
	for n < len(s.b) && isWordByte(s.b[n]) {
		n++
	}
	t := s.intern(s.b[:n])
	if !isWord(t) {
		return false
	}
	*v, s.b = t, s.b[n:]
	return true
}

// number reads a space and digits, for some types with a fraction, and returns them, nothing for
// others: 012 is octal in YAML 1.1.
func (s *Scanner) number() []byte {
	if !s.byte(' ') {
		return nil
	}
	n := 0
	for n < len(s.b) && (s.b[n] == '.' || s.b[n] >= '0' && s.b[n] <= '9') {
		n++
	}
	t := s.b[:n]
	if n == 0 || t[0] == '.' || t[n-1] == '.' || n > 1 && t[0] == '0' && t[1] != '.' {
		return nil
	}
	s.b = s.b[n:]
	return t
}

func (s *Scanner) intern(b []byte) string {
	if t, ok := s.names[string(b)]; ok {
		return t
	}
	t := string(b)
	s.names[t] = t
	return t
}

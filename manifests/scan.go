package manifests

// A scanner reads the canonical form and nothing else. Every method tells whether the input was canonical
// so far; after a false the whole file is read again by the decoder, which accepts any YAML and can say
// what is wrong where. What a scanner accepts, the decoder accepts with the same result.
type scanner struct {
	b     []byte
	names map[string]string // every string seen: ids, digests and words repeat
	row   []string          // scratch
	dash  bool              // "- " was read: the next key stands on the same line
}

func (s *scanner) byte(c byte) bool {
	if len(s.b) == 0 || s.b[0] != c {
		return false
	}
	s.b = s.b[1:]
	return true
}

const spaces = "                    "

// line reads a line break and indent spaces, unless the dash of a list stands in their place.
func (s *scanner) line(indent int) bool {
	if s.dash {
		s.dash = false
		return true
	}
	if len(s.b) <= indent || s.b[0] != '\n' || string(s.b[1:1+indent]) != spaces[:indent] {
		return false
	}
	s.b = s.b[1+indent:]
	return true
}

// key reads "k:".
func (s *scanner) key(k string) bool {
	if len(s.b) <= len(k) || string(s.b[:len(k)]) != k || s.b[len(k)] != ':' {
		return false
	}
	s.b = s.b[len(k)+1:]
	return true
}

// quoted reads a double-quoted string without escapes (strings that need them are rare and go to the decoder).
func (s *scanner) quoted(v *string) bool {
	n := quotedEnd(s.b)
	if n == 0 {
		return false
	}
	*v = s.intern(s.b[1 : n-1])
	s.b = s.b[n:]
	return true
}

// word reads a bare word, see isWord.
func (s *scanner) word(v *string) bool {
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

// number reads a space and digits with neither sign nor leading zeros, which YAML 1.1 takes for octal,
// and perhaps a fraction.
func (s *scanner) number() ([]byte, bool) {
	if !s.byte(' ') {
		return nil, false
	}
	digits := func() (n int) {
		for n < len(s.b) && s.b[n] >= '0' && s.b[n] <= '9' {
			n++
		}
		return n
	}
	whole := s.b
	n := digits()
	if n == 0 || n > 1 && s.b[0] == '0' {
		return nil, false
	}
	s.b = s.b[n:]
	if s.byte('.') {
		f := digits()
		if f == 0 {
			return nil, false
		}
		s.b = s.b[f:]
		n += 1 + f
	}
	return whole[:n], true
}

func (s *scanner) intern(b []byte) string {
	if t, ok := s.names[string(b)]; ok {
		return t
	}
	t := string(b)
	s.names[t] = t
	return t
}

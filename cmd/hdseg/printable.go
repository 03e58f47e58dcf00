package main

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// A printable writer shows control characters, and what is not UTF-8, as escapes: tables hold what manifests of other people say, and a terminal obeys those. Line breaks
// and tabs are the tables' own.
type printable struct{ to io.Writer }

func (p printable) Write(data []byte) (int, error) {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, data[i])
		case r == '\n' || r == '\t' || !control(r):
			out = append(out, data[i:i+n]...)
		case r < 0x80:
			out = fmt.Appendf(out, `\x%02x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	_, err := p.to.Write(out)
	return len(data), err
}

// control tells of a character that is no text: control characters, and those that change the direction of what follows.
func control(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

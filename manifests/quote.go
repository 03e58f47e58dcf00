package manifests

import (
	"strings"
	"unicode/utf8"
)

// isWord tells whether every YAML 1.1 and 1.2 reader takes s, unquoted, for the string s: a letter,
// then letters, digits and "_./-", and none of the words that some reader takes for a bool or null.
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

// isReserved lists the words of https://yaml.org/type/bool.html and https://yaml.org/type/null.html.
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

// isPlainRune tells whether r may stand unescaped between double quotes on one line, for every reader.
func isPlainRune(r rune) bool {
	switch {
	case r < 0x20, r == '"', r == '\\', r >= 0x7f && r < 0xa0: // controls, C1 (and NEL, a line break)
		return false
	case r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff: // line breaks, byte order marks
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

// quotedEnd returns the length of the double-quoted scalar that b begins with, both quotes included, if
// it has only plain runes and stands on one line; 0 otherwise.
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

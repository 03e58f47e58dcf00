package ingest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hdseg/manifests"
)

// maxID bounds ids, which become file names: with its folders, digest and extension a stored path
// stays below the 260 characters that some systems allow.
const maxID = 180

// safeID turns a picture's path into an id that is safe as a file name anywhere: no extension; %XX
// for every byte but letters, digits, '-', '_' and '.', for a leading dot and for the first letter
// of a name that Windows keeps for a device. Over 180 bytes it is cut after 163, or up to two fewer
// so that no %XX is cut, and '-' and the first 16 hex digits of the sha256 of all of it follow.
func safeID(name string) string {
	name = unpictured(name)
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if idByte(c) && (c != '.' || i > 0) && (i > 0 || !device(name)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	id := b.String()
	if len(id) <= maxID {
		return id
	}
	digest := "-" + string(manifests.Sum([]byte(id))[:16])
	end := maxID - len(digest)
	if i := strings.LastIndexByte(id[:end], '%'); i > end-3 {
		end = i
	}
	return id[:end] + digest
}

// unpictured is a name without the extension of a picture.
func unpictured(name string) string {
	if pictureName(name) {
		return stem(name)
	}
	return name
}

func idByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// device tells whether Windows takes a file of that name for a device, whatever its extension.
func device(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch {
	case stem == "CON", stem == "PRN", stem == "AUX", stem == "NUL":
		return true
	case len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT"):
		return stem[3] >= '1' && stem[3] <= '9'
	}
	return false
}

// checkID reports an id that cannot be a file name: one that a source states itself.
func checkID(id string) error {
	if len(id) > maxID {
		return fmt.Errorf("id: got %d bytes, want at most %d", len(id), maxID)
	}
	for i := range len(id) {
		if c := id[i]; !idByte(c) && c != '%' || c == '.' && i == 0 {
			return fmt.Errorf("id %q: got byte %q, want letters, digits, '-', '_' and '.'", id, c)
		}
	}
	if id == "" || device(id) {
		return fmt.Errorf("id %q cannot be a file name everywhere", id)
	}
	return nil
}

// printable writes what is not UTF-8, and control characters, as %XX: names of files can have both,
// manifests cannot.
func printable(s string) string {
	clean := func(r rune) bool { return r == utf8.RuneError || r < 0x20 || r == 0x7f }
	if !strings.ContainsFunc(s, clean) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if clean(r) && n == 1 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

package format

import (
	"bytes"
	"strings"
	letters "unicode"

	"golang.org/x/text/encoding/unicode"
)

// Near tells whether a label that is not the class may be meant for it: they differ only in case,
// space, punctuation, a plural, or the number of an object, as horse-1.
func Near(label, class string) bool {
	x, y := bare(label), bare(class)
	if n := strings.TrimRight(x, "0123456789"); n == y {
		x = n
	}
	return label != class && x != "" && (plural(x, y) || plural(y, x))
}

// bare keeps letters and digits, in lower case.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if letters.IsLetter(r) || letters.IsMark(r) || letters.IsNumber(r) {
			return letters.ToLower(r)
		}
		return -1
	}, s)
}

// plural tells whether many is one, or more of it.
func plural(one, many string) bool {
	return many == one || many == one+"s" || many == one+"es" || many == strings.TrimSuffix(one, "y")+"ies"
}

// FromUTF16 turns UTF-16 with a byte order mark into UTF-8 and drops the mark of UTF-8; converted
// tells of either.
func FromUTF16(data []byte) (utf8 []byte, converted bool, err error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return data[3:], true, nil
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		utf8, err = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		return utf8, true, err
	}
	return data, false, nil
}

// Distance is the number of letters to insert, delete, replace or swap with their neighbor that
// make one text the other.
func Distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+1)
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

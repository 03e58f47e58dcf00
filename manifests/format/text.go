package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// NameClass is the advice to give the class a name, with the setting as a shell takes it.
func NameClass(name string) string {
	value, plain := name, bare(name) == strings.ToLower(name) && letters.IsLetter([]rune(name + "1")[0])
	if !plain || slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(name)) {
		value = strconv.Quote(name) // YAML would read another value
	}
	return fmt.Sprintf("give the class the name %q (class.name of the config, or --set %s)", name, Shell("class.name="+value))
}

// Shell returns an argument of a command as a shell takes it.
func Shell(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./,=:@%+", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
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

// PlainText is what a text file says, whatever program wrote it: UTF-8, or UTF-16 after a byte
// order mark, with lines that end in \n. Neither a mark nor the carriage returns of Windows and old
// Macs are left. It fails for UTF-16 that does not say so, which would read as other text.
func PlainText(data []byte) ([]byte, error) {
	data, _, err := FromUTF16(data)
	if err == nil && bytes.IndexByte(data, 0) >= 0 {
		err = errors.New("got zero bytes, want text in UTF-8, or in UTF-16 with its mark")
	}
	if err != nil || bytes.IndexByte(data, '\r') < 0 {
		return data, err
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n")), nil
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

package format

import (
	"bytes"

	"golang.org/x/text/encoding/unicode"
)

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

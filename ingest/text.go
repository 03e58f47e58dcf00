package ingest

import (
	"bytes"
	"errors"
	"strings"

	"hdseg/manifests/format"
)

// text is what a text file says, whatever program wrote it: UTF-8, or UTF-16 after a byte order mark, with lines that end in \n. Neither a mark
// nor the carriage returns of Windows and old Macs are left. It fails for UTF-16 that does not say so, which would read as other text.
func text(data []byte) ([]byte, error) {
	data, _, err := format.FromUTF16(data)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("got zero bytes, which text does not have: save it as UTF-8")
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	return data, nil
}

// readText reads a text file of at most limit bytes.
func (e *entry) readText(limit int64) ([]byte, error) {
	data, err := e.read(limit)
	if err != nil {
		return nil, err
	}
	return text(data)
}

// listed are the first words of a list's lines: some have a second column.
func listed(list []byte) []string {
	var out []string
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			out = append(out, fields[0])
		}
	}
	return out
}

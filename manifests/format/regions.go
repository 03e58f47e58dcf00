package format

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"hdseg/manifests/raster"
)

// ParseRegions reads a label file of the Stanford Background layout (*.regions.txt): one line per
// row of the picture, one number per pixel, separated by blanks; 0..254 are labels and any negative
// number is unknown, which becomes VOCVoid. Lines must be of one length. Errors name line and
// column, counting from 1.
func ParseRegions(data []byte, lim raster.Limits) (*Indexed, error) {
	m := &Indexed{}
	for line := 1; len(data) > 0; line++ {
		row := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			row, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		n := len(m.Pix)
		if err := m.appendRow(row, line); err != nil {
			return nil, err
		}
		width := len(m.Pix) - n
		switch {
		case width == 0 && len(bytes.TrimSpace(data)) == 0: // blank lines at the end
			continue
		case m.Height > 0 && width != m.Width || width == 0:
			return nil, fmt.Errorf("regions: line %d: got %d numbers, want %d", line, width, m.Width)
		}
		m.Width = width
		m.Height++
		if int64(len(m.Pix)) > lim.MaxPixels {
			return nil, fmt.Errorf("regions: %w: got more than %d pixels", raster.ErrLimit, lim.MaxPixels)
		}
	}
	if m.Height == 0 {
		return nil, errors.New("regions: got no line")
	}
	return m, nil
}

// appendRow parses one line.
func (m *Indexed) appendRow(row []byte, line int) error {
	for i := 0; i < len(row); {
		c := row[i]
		if c == ' ' || c == '\t' || c == '\r' {
			i++
			continue
		}
		start := i
		for i < len(row) && row[i] != ' ' && row[i] != '\t' && row[i] != '\r' {
			i++
		}
		v, ok := regionNumber(row[start:i])
		if !ok {
			return fmt.Errorf("regions: line %d, column %d: got %.20q, want a label below %d or a negative number",
				line, start+1, row[start:i], VOCVoid)
		}
		m.Pix = append(m.Pix, v)
	}
	return nil
}

func regionNumber(s []byte) (v uint8, ok bool) {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return s[0] - '0', true
	}
	n, err := strconv.Atoi(string(s))
	switch {
	case err != nil || n >= VOCVoid:
		return 0, false
	case n < 0:
		return VOCVoid, true
	}
	return uint8(n), true
}

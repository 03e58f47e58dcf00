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
	for row := range bytes.Lines(bytes.TrimRight(data, " \t\r\n")) {
		n := len(m.Pix)
		if err := m.appendRow(row, m.Height+1); err != nil {
			return nil, err
		}
		width := len(m.Pix) - n
		if m.Height > 0 && width != m.Width || width == 0 {
			return nil, fmt.Errorf("regions: line %d: got %d numbers, want %d", m.Height+1, width, m.Width)
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
	at := 0 // where the next number is looked for
	for number := range bytes.FieldsSeq(row) {
		at += bytes.Index(row[at:], number)
		v, err := strconv.Atoi(string(number))
		if err != nil || v >= VOCVoid {
			return fmt.Errorf("regions: line %d, column %d: got %.20q, want a label below %d or a negative number",
				line, at+1, number, VOCVoid)
		}
		if v < 0 {
			v = VOCVoid
		}
		m.Pix = append(m.Pix, uint8(v))
		at += len(number)
	}
	return nil
}

package format

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// BoxCSVRule is how the coordinates of a box table are meant.
var BoxCSVRule = BoxRule{Exclusive: true}

// A BoxTable is a table of boxes for a folder of pictures.
type BoxTable struct {
	Files  map[string]*BoxFile // by picture, as written; of no stated size, with lines
	Unread []string            // the columns that say nothing here, as written
}

// boxColumns are the columns that a box table must have; labelColumns are the names of the one that
// it may have.
var (
	boxColumns   = []string{"image", "xmin", "ymin", "xmax", "ymax"}
	labelColumns = []string{"label", "class", "category", "name"}
)

// ParseBoxCSV reads a table of boxes: a header line with the columns image, xmin, ymin, xmax and
// ymax in any order and case, and label (or class, category, name) if wanted; others are not read.
// Coordinates count pixels from 0, maxima lie one past the last pixel. Columns end in the first of
// comma, semicolon and tab that the header has; beside the latter two, decimals may have a comma.
// The text is UTF-8, or UTF-16 with its mark; a first line sep=; names the separator, and rows
// without any cell are passed over, as spreadsheets write both. An error names the line.
func ParseBoxCSV(data []byte) (*BoxTable, error) {
	data, _, err := FromUTF16(data)
	if err != nil {
		return nil, fmt.Errorf("box table: %w", err)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("box table: got zero bytes, want text in UTF-8, or in UTF-16 with its mark")
	}
	comma, rest := statedSeparator(data)
	if comma != 0 {
		data = rest
	}
	r := csv.NewReader(bytes.NewReader(data))
	if r.Comma = comma; comma == 0 {
		r.Comma = separator(data)
	}
	r.TrimLeadingSpace = r.Comma != '\t' // else it would take empty fields away
	head, err := r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("got no header line")
		}
		return nil, fmt.Errorf("box table: %w", err)
	}
	at, label, unread, err := columns(head)
	if err != nil {
		return nil, fmt.Errorf("box table: header: %w", err)
	}
	out := &BoxTable{Files: map[string]*BoxFile{}, Unread: unread}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("box table: %w", err)
		}
		line, _ := r.FieldPos(0)
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		var o BoxObject
		for i, to := range []*float64{&o.XMin, &o.YMin, &o.XMax, &o.YMax} {
			s := strings.TrimSpace(row[at[i+1]])
			number := s
			if r.Comma != ',' {
				number = strings.Replace(s, ",", ".", 1)
			}
			v, err := strconv.ParseFloat(number, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("box table: line %d: %s: got %q, want a number", line, boxColumns[i+1], s)
			}
			*to = v
		}
		if label >= 0 {
			o.Name = strings.TrimSpace(row[label])
		}
		image := strings.TrimSpace(row[at[0]])
		if image == "" {
			return nil, fmt.Errorf("box table: line %d: image: got nothing", line)
		}
		f := out.Files[image]
		if f == nil {
			f = &BoxFile{}
			out.Files[image] = f
		}
		f.Objects, f.Lines = append(f.Objects, o), append(f.Lines, line)
	}
}

// statedSeparator returns what a first line sep=; says and the rest, which begins with the line's
// end so that lines keep their numbers; 0 without such a line.
func statedSeparator(data []byte) (comma rune, rest []byte) {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	text := strings.Trim(strings.TrimSpace(string(head)), `"`)
	if len(text) == 5 && strings.EqualFold(text[:4], "sep=") && strings.ContainsAny(text[4:], ",;\t") {
		return rune(text[4]), data[len(head):]
	}
	return 0, nil
}

// separator is the first of comma, semicolon and tab that the first line has.
func separator(data []byte) rune {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	for _, c := range ",;\t" {
		if bytes.ContainsRune(head, c) {
			return c
		}
	}
	return ','
}

// columns finds boxColumns in a header, and the column of the label, -1 for none. The others are
// unread; two that say the same are an error.
func columns(head []string) (at [5]int, label int, unread []string, err error) {
	for i := range at {
		at[i] = -1
	}
	label = -1
	for i, name := range head {
		known := strings.ToLower(strings.TrimSpace(name))
		to := &label
		if k := slices.Index(boxColumns, known); k >= 0 {
			to = &at[k]
		} else if !slices.Contains(labelColumns, known) {
			unread = append(unread, strings.TrimSpace(name))
			continue
		}
		if *to >= 0 {
			return at, label, nil, fmt.Errorf("got both %s and %s, want one", strings.TrimSpace(head[*to]), known)
		}
		*to = i
	}
	if i := slices.Index(at[:], -1); i >= 0 {
		return at, label, nil, fmt.Errorf("got %q, want a column %s (of image, xmin, ymin, xmax, ymax and, if wanted, "+
			"label)", strings.Join(head, ","), boxColumns[i])
	}
	return at, label, unread, nil
}

package format

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// BoxCSVRule is how the coordinates of a box table are meant.
var BoxCSVRule = BoxRule{Exclusive: true}

// A BoxTable is a table of boxes for a folder of pictures.
type BoxTable struct {
	Files  map[string]*BoxFile // by picture, as written; of no stated size, with lines
	Unread []string            // the columns that say nothing here, as written
	Lost   []error             // rows of no picture, which name their line
}

// boxColumns are the columns that a box table must have; labelColumns are the names of the one that
// it may have.
var (
	boxColumns   = []string{"image", "xmin", "ymin", "xmax", "ymax"}
	labelColumns = []string{"label", "class", "category", "name"}
)

// ParseBoxCSV reads a table of boxes: a header line with the columns image, xmin, ymin, xmax and
// ymax in any order and case (filename or file_name for a missing image), and label (or class,
// category, name) if wanted; others are not read.
// Coordinates count pixels from 0, maxima lie one past the last pixel. Columns end in the first of
// comma, semicolon and tab that the header has; beside the latter two, decimals may have a comma.
// A line sep=; before the header names the separator, and rows without any cell are passed over,
// as spreadsheets write both. The text is as PlainText reads it. A row that cannot be read is a
// fault of its own: of its box, or in Lost.
func ParseBoxCSV(data []byte) (*BoxTable, error) {
	data, err := PlainText(data)
	if err != nil {
		return nil, fmt.Errorf("box table: %w", err)
	}
	comma, data := tableStart(data)
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = comma
	r.FieldsPerRecord = -1
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
		// a quote that is not closed takes all lines that follow
		if p := new(csv.ParseError); errors.As(err, &p) && p.StartLine == p.Line {
			out.Lost = append(out.Lost, fmt.Errorf("line %d: %w", p.Line, p.Err))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("box table: %w", err)
		}
		if blankRow(strings.Join(row, "")) {
			continue
		}
		line, _ := r.FieldPos(0)
		image, o := boxRow(row, len(head), at, label, r.Comma != ',')
		if image == "" {
			out.Lost = append(out.Lost, fmt.Errorf("line %d: image: got nothing, want the name of a picture", line))
			continue
		}
		f := out.Files[image]
		if f == nil {
			f = &BoxFile{}
			out.Files[image] = f
		}
		f.Objects, f.Lines = append(f.Objects, o), append(f.Lines, line)
	}
}

// boxRow reads a row of a table whose header has so many cells; comma tells whether decimals may
// have one.
func boxRow(row []string, want int, at [5]int, label int, comma bool) (image string, o BoxObject) {
	cell := func(i int) string {
		if i < 0 || i >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[i])
	}
	var text [4]string
	for i := range text {
		text[i] = cell(at[i+1])
		if point := strings.Replace(text[i], ",", ".", 1); comma && isNumber(point) {
			text[i] = point
		}
	}
	o.Name = cell(label)
	o.set(text)
	if n := len(row); n > want && strings.Join(row[want:], "") != "" || n < want && o.Err != nil {
		// the name may be another cell
		o.Name, o.Err = "", fmt.Errorf("got %d cells, want the header's %d", n, want)
	}
	return cell(at[0]), o
}

// tableStart returns the separator of a table and its text without the rows before its header: rows
// without any cell, and sep=; and the like. Their line ends stay, so that lines keep their numbers.
func tableStart(data []byte) (comma rune, rest []byte) {
	n := 0
	for ; len(data) > 0; n++ {
		head, after, _ := bytes.Cut(data, []byte("\n"))
		text := strings.ToLower(strings.Trim(string(head), `" `))
		if stated, ok := strings.CutPrefix(text, "sep="); ok && comma == 0 && stated != "" && blankRow(stated) {
			comma = rune(stated[0])
		} else if !blankRow(text) {
			break
		}
		data = after
	}
	if comma == 0 {
		comma = separator(data)
	}
	return comma, slices.Concat(bytes.Repeat([]byte("\n"), n), data)
}

// blankRow tells whether a row of a table has no cell.
func blankRow(row string) bool { return strings.Trim(row, ",;\t \"") == "" }

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

// columns finds boxColumns in a header, and the column of the label, -1 for none. filename or
// file_name is image where that is missing. The others are unread; two that say the same are an
// error.
func columns(head []string) (at [5]int, label int, unread []string, err error) {
	for i := range at {
		at[i] = -1
	}
	label = -1
	names := make([]string, len(head))
	for i, name := range head {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	if i := slices.IndexFunc(names, func(n string) bool { return n == "filename" || n == "file_name" }); i >= 0 &&
		!slices.Contains(names, boxColumns[0]) {
		names[i] = boxColumns[0]
	}
	for i, known := range names {
		name := head[i]
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

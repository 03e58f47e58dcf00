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

// ParseBoxCSV reads a table of boxes for a folder of pictures, by picture: a header line with the columns image, xmin, ymin, xmax
// and ymax in any order, label if wanted, others ignored; coordinates count pixels from 0, maxima lie one past the
// last pixel. An error names the line.
func ParseBoxCSV(data []byte) (map[string]*BoxFile, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("got no header line")
		}
		return nil, fmt.Errorf("box table: %w", err)
	}
	var at [5]int
	for i, name := range []string{"image", "xmin", "ymin", "xmax", "ymax"} {
		if at[i] = slices.Index(head, name); at[i] < 0 {
			return nil, fmt.Errorf("box table: header: got %s, want a column %s", strings.Join(head, ","), name)
		}
	}
	label := slices.Index(head, "label")
	out := map[string]*BoxFile{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("box table: %w", err)
		}
		line, _ := r.FieldPos(0)
		var o BoxObject
		for i, to := range []*float64{&o.XMin, &o.YMin, &o.XMax, &o.YMax} {
			s := strings.TrimSpace(row[at[i+1]])
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("box table: line %d: %s: got %q, want a number", line, head[at[i+1]], s)
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
		f := out[image]
		if f == nil {
			f = &BoxFile{}
			out[image] = f
		}
		f.Objects, f.Lines = append(f.Objects, o), append(f.Lines, line)
	}
}

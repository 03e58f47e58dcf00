package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A COCOVisitor takes the entries of an instances file one at a time; nil functions skip theirs.
type COCOVisitor struct {
	Image      func(COCOImage) error
	Category   func(COCOCategory) error
	Annotation func(COCOAnnotation) error
}

// ReadCOCO reads an instances file of any size in its own order: annotations may come before
// categories. Other keys are skipped. A list that is there twice and anything after the object's
// end are errors, which name line and entry. UTF-16 is read if its mark says so.
func ReadCOCO(r io.Reader, v COCOVisitor) error {
	lines := &lineReader{r: transform.NewReader(r, unicode.BOMOverride(transform.Nop))}
	d := json.NewDecoder(lines)
	lines.done = d.InputOffset
	if err := readCOCO(d, v); err != nil {
		at := d.InputOffset()
		var s *json.SyntaxError
		if errors.As(err, &s) {
			at = max(at, s.Offset-1)
		}
		return fmt.Errorf("coco: line %d: %w", lines.line(at), err)
	}
	return nil
}

func readCOCO(d *json.Decoder, v COCOVisitor) error {
	if err := delim(d, '{'); err != nil {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if list := key == "images" || key == "categories" || key == "annotations"; list && seen[key] {
			return fmt.Errorf("%s: the file has this list twice", key)
		}
		seen[key] = true
		switch {
		case key == "images" && v.Image != nil:
			err = each(d, "image", v.Image)
		case key == "categories" && v.Category != nil:
			err = each(d, "category", v.Category)
		case key == "annotations" && v.Annotation != nil:
			err = each(d, "annotation", v.Annotation)
		case key == "images" || key == "annotations":
			err = each(d, "entry", func(struct{}) error { return nil })
		default:
			var skip json.RawMessage
			err = d.Decode(&skip)
		}
		if err != nil {
			return err
		}
	}
	if err := delim(d, '}'); err != nil {
		return err
	}
	switch t, err := d.Token(); {
	case err == nil:
		return fmt.Errorf("got %v after the end, want nothing: files that were joined must be given one by one", t)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("after the end: %w", err)
	}
	return nil
}

// A lineReader remembers where the lines begin that its decoder has read but not yet decoded, which
// is a few kilobytes of the file.
type lineReader struct {
	r      io.Reader
	done   func() int64 // offset up to which the decoder is done
	at     int64        // offset of the next read
	before int          // line ends that are forgotten
	ends   []int64      // offsets of the others
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	forget := l.count(l.done())
	l.before += forget
	l.ends = append(l.ends[:0], l.ends[forget:]...)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.at+int64(i))
		}
	}
	l.at += int64(n)
	return n, err
}

// count tells how many of the line ends lie before an offset.
func (l *lineReader) count(offset int64) int {
	n, _ := slices.BinarySearch(l.ends, offset)
	return n
}

// line is the number of the line, from 1, that an offset lies in.
func (l *lineReader) line(offset int64) int { return 1 + l.before + l.count(offset) }

// each decodes the elements of an array; an error of one names it.
func each[T any](d *json.Decoder, kind string, visit func(T) error) error {
	if err := delim(d, '['); err != nil {
		return err
	}
	for i := 1; d.More(); i++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			var named struct {
				ID COCOID `json:"id"`
			}
			if json.Unmarshal(raw, &named) == nil && named.ID != "" {
				return fmt.Errorf("%s %s: %w", kind, named.ID, err)
			}
			return fmt.Errorf("%s number %d of its list: %w", kind, i, err)
		}
		if err := visit(v); err != nil {
			return err
		}
	}
	return delim(d, ']')
}

func delim(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if t != want {
		return fmt.Errorf("got %v, want %v", t, want)
	}
	return nil
}

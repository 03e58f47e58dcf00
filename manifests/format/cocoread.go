package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A COCOVisitor takes the entries of an instances file one at a time; nil functions pass over
// theirs unread.
// Bad takes entries that cannot be read; without it they are errors.
type COCOVisitor struct {
	Bad        func(COCOBad) error
	Image      func(COCOImage) error
	Category   func(COCOCategory) error
	Annotation func(COCOAnnotation) error
}

// A COCOBad is an entry of an instances file that cannot be read.
type COCOBad struct {
	Kind string // image, category or annotation
	ID   COCOID // "" if it has none
	Err  error  // names the line of its end, the entry, and byte (from 0) and name of the value
	// of an annotation: image, category and box as far as they can be read
	Annotation COCOAnnotation
}

// ReadCOCO reads an instances file of any size in its own order: annotations may come before
// categories. Other keys are skipped. A list that is there twice and anything after the object's
// end are errors, which name line and entry. UTF-16 is read if its mark says so.
func ReadCOCO(r io.Reader, v COCOVisitor) error {
	lines := &lineCounter{r: transform.NewReader(r, transform.Chain(unicode.BOMOverride(transform.Nop), &nanFilter{}))}
	d := json.NewDecoder(lines)
	if bad := v.Bad; bad != nil {
		v.Bad = func(b COCOBad) error {
			line, _ := lines.at(d, d.InputOffset())
			b.Err = fmt.Errorf("line %d: %w", line, b.Err)
			return bad(b)
		}
	}
	if err := readCOCO(d, v); err != nil {
		at := d.InputOffset()
		_, rest := lines.at(d, at)
		switch s := new(json.SyntaxError); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			at += int64(len(rest))
			err = errors.New(cutShort)
		case errors.As(err, &s):
			words := plainSyntax(s)
			// within a value, which is in the buffer
			if off, fault := syntax(rest); s.Offset != at && fault != "" {
				at, words = at+off, fault
			}
			err = errors.New(strings.Replace(err.Error(), s.Error(), words, 1))
		}
		line, _ := lines.at(d, at)
		return fmt.Errorf("coco: line %d: %w, at byte %d", line, err, at)
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
		switch key {
		case "images":
			err = each(d, "image", v.Image, v.Bad)
		case "categories":
			err = each(d, "category", v.Category, v.Bad)
		case "annotations":
			err = each(d, "annotation", v.Annotation, v.Bad)
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
		return errors.New("got more after the end, want nothing")
	}
	return nil
}

// A lineCounter counts the line ends that a decoder has read.
type lineCounter struct {
	r    io.Reader
	ends int
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.ends += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// at returns the number of the line, from 1, that an offset lies in which d is at or has not yet
// decoded, and what d has read of it and behind it.
func (l *lineCounter) at(d *json.Decoder, offset int64) (line int, rest []byte) {
	rest, _ = io.ReadAll(d.Buffered())
	rest = rest[min(offset-d.InputOffset(), int64(len(rest))):]
	return 1 + l.ends - bytes.Count(rest, []byte("\n")), rest
}

// An entry of a list.
type entry[T any] interface {
	*T
	fields() map[string]any // where the values of its names go
}

// each decodes the elements of an array, unless visit is nil. One that cannot be read goes to bad,
// or is an error that names it.
func each[T any, E entry[T]](d *json.Decoder, kind string, visit func(T) error, bad func(COCOBad) error) error {
	if err := delim(d, '['); err != nil {
		return fmt.Errorf("list of each %s: %w", kind, err)
	}
	for i := 1; d.More(); i++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if visit == nil {
			continue
		}
		var v T
		value := Value{raw, d.InputOffset() - int64(len(raw))}
		fields := E(&v).fields()
		err := value.ReadFields(fields)
		if err != nil {
			b := COCOBad{Kind: kind}
			if id, ok := fields["id"].(*COCOID); ok {
				b.ID = *id
			}
			if b.Err = fmt.Errorf("%s %s: %w", kind, b.ID, err); b.ID == "" {
				b.Err = fmt.Errorf("%s number %d of its list: %w", kind, i, err)
			}
			if a, ok := any(&v).(*COCOAnnotation); ok {
				a.fault = err
				b.Annotation = *a
			}
			if err = b.Err; bad != nil {
				err = bad(b)
			}
		} else {
			if a, ok := any(&v).(*COCOAnnotation); ok {
				a.at = value.At
			}
			err = visit(v)
		}
		if err != nil {
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
	if t == nil {
		t = "null"
	}
	if t != want {
		return fmt.Errorf("got %v, want %v", t, want)
	}
	return nil
}

// A NoClass is the error of a file whose labels do not have the class.
type NoClass struct {
	Text string
	Near string // a label that may be meant for it; "" for none
}

func (e *NoClass) Error() string { return e.Text }

// NoCategory is the error of a file whose categories do not have the class, a *NoClass.
func NoCategory(names []string, class string) error {
	if len(names) == 0 {
		return &NoClass{Text: fmt.Sprintf("categories: got none with the name %s, the file has no categories", class)}
	}
	all, near := slices.Compact(slices.Sorted(slices.Values(names))), ""
	if i := slices.IndexFunc(all, func(n string) bool { return Near(n, class) }); i >= 0 {
		near = all[i]
	}
	return &NoClass{fmt.Sprintf("categories: got none with the name %s, the file has %s", class, Some(all, 100)), near}
}

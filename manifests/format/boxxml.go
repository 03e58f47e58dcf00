package format

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
)

// A BoxFile is one VOC-style annotation file (root element <annotation>), the numbers as written.
type BoxFile struct {
	// as written, which need not be the picture's: identity is the XML file's own name
	Filename      string
	Width, Height int // of the picture that the annotator saw; 0 where the file gives none
	Objects       []BoxObject
	Lines         []int // of the objects in a table, from 1; nil for an XML file
}

// A BoxObject is one <object> and its own <bndbox>; boxes of parts are left out.
type BoxObject struct {
	Name string
	// unchecked: minima may exceed maxima, and all may lie outside the picture
	XMin, YMin, XMax, YMax float64
	Err                    error // why it has no coordinates: nil, or the value that is no number
}

// set takes four coordinates as they are written, or the fault of the first that is no number.
func (o *BoxObject) set(text [4]string) {
	for i, to := range []*float64{&o.XMin, &o.YMin, &o.XMax, &o.YMax} {
		s := strings.TrimSpace(text[i])
		if !isNumber(s) {
			o.Err = fmt.Errorf("%s: got %q, want a number", boxColumns[i+1], s)
			return
		}
		*to, _ = strconv.ParseFloat(s, 64)
	}
}

// isNumber tells whether a text is a finite number.
func isNumber(s string) bool {
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// MaxBoxBytes is the size above which ParseBoxXML refuses a file; the largest known ones have some
// 50 KB.
const MaxBoxBytes = 4 << 20

// ParseBoxXML reads an annotation file in any encoding that HTML knows, or UTF-16 with a byte order
// mark. Elements are found by name, in any order. Sizes may be missing; a file without objects is
// legal. An object without four finite coordinates has its fault for a box.
func ParseBoxXML(data []byte) (*BoxFile, error) {
	if len(data) > MaxBoxBytes {
		return nil, fmt.Errorf("box xml: got %d bytes, want at most %d", len(data), MaxBoxBytes)
	}
	data, converted, err := FromUTF16(data)
	if err != nil {
		return nil, fmt.Errorf("box xml: %w", err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if converted {
			return in, nil // the declaration still names the encoding that is gone
		}
		return charset.NewReaderLabel(label, in)
	}
	var f xmlAnnotation
	if err := d.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("got no element")
		}
		return nil, fmt.Errorf("box xml: %w", err)
	}
	if f.XMLName.Local != "annotation" {
		return nil, fmt.Errorf("box xml: root element: got <%s>, want <annotation>", f.XMLName.Local)
	}
	if err := onlyMisc(d); err != nil {
		return nil, fmt.Errorf("box xml: %w", err)
	}
	out := &BoxFile{Filename: strings.TrimSpace(f.Filename)}
	if out.Width, err = size(f.Width, "width"); err != nil {
		return nil, err
	}
	if out.Height, err = size(f.Height, "height"); err != nil {
		return nil, err
	}
	for _, o := range f.Objects {
		b := BoxObject{Name: strings.TrimSpace(o.Name)}
		b.set([4]string{o.Box.XMin, o.Box.YMin, o.Box.XMax, o.Box.YMax})
		out.Objects = append(out.Objects, b)
	}
	return out, nil
}

// onlyMisc wants nothing behind the root but what XML allows there: space, comments and
// instructions.
func onlyMisc(d *xml.Decoder) error {
	for {
		t, err := d.Token()
		switch t := t.(type) {
		case nil:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("after </annotation>: %w", err)
		case xml.StartElement:
			return fmt.Errorf("after </annotation>: got a second root element <%s>, want the end", t.Name.Local)
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return fmt.Errorf("after </annotation>: got %.20q, want the end", t)
			}
		}
	}
}

type xmlAnnotation struct {
	XMLName  xml.Name
	Filename string `xml:"filename"`
	Width    string `xml:"size>width"`
	Height   string `xml:"size>height"`
	Objects  []struct {
		Name string `xml:"name"`
		Box  struct {
			XMin string `xml:"xmin"`
			YMin string `xml:"ymin"`
			XMax string `xml:"xmax"`
			YMax string `xml:"ymax"`
		} `xml:"bndbox"`
	} `xml:"object"`
}

// size reads a picture's side; empty means not given.
func size(s, name string) (int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v != math.Trunc(v) || v < 0 || v > 1<<24 {
		return 0, fmt.Errorf("box xml: size: %s: got %q, want pixels", name, s)
	}
	return int(v), nil
}

// A VOCAnnotation is the XML of one picture, in VOC's and ImageNet's common form.
type VOCAnnotation struct {
	XMLName   xml.Name    `xml:"annotation"`
	Folder    string      `xml:"folder"`
	Filename  string      `xml:"filename"`
	Database  string      `xml:"source>database"`
	Width     int         `xml:"size>width"`
	Height    int         `xml:"size>height"`
	Depth     int         `xml:"size>depth"`
	Segmented int         `xml:"segmented"`
	Objects   []VOCObject `xml:"object"`
}

// A VOCObject is one box, 1-based and inclusive, in the picture size that its annotation states.
type VOCObject struct {
	Name      string `xml:"name"`
	Pose      string `xml:"pose"`
	Truncated int    `xml:"truncated"`
	Difficult int    `xml:"difficult"`
	XMin      int    `xml:"bndbox>xmin"`
	YMin      int    `xml:"bndbox>ymin"`
	XMax      int    `xml:"bndbox>xmax"`
	YMax      int    `xml:"bndbox>ymax"`
}

// Bytes returns the text of an annotation.
func (a VOCAnnotation) Bytes() []byte {
	data, err := xml.MarshalIndent(a, "", "\t")
	if err != nil {
		panic("format: annotation: " + err.Error()) // strings and numbers always marshal
	}
	return append(data, '\n')
}

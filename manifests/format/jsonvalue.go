package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Whole is a whole number as JSON writers write it: 96, 96.0, "96". null is 0.
type Whole int

// UnmarshalJSON refuses what is no whole number of at most 2^31.
func (w *Whole) UnmarshalJSON(b []byte) error {
	f, err := number(b)
	if err == nil && (f != math.Trunc(f) || math.Abs(f) > 1<<31) {
		err = fmt.Errorf("got %s, want a whole number", b)
	}
	*w = Whole(f)
	return err
}

// Float is a number as JSON writers write it: 1.5 or "1.5".
type Float float64

// UnmarshalJSON refuses null and what is no finite number.
func (f *Float) UnmarshalJSON(b []byte) error {
	v, err := number(b)
	if string(b) == "null" {
		err = errNull
	}
	*f = Float(v)
	return err
}

// number reads a JSON number, also in quotes or as a boolean; null is 0.
func number(b []byte) (float64, error) {
	switch s := strings.Trim(string(b), `"`); {
	case s == "null" || s == "false":
		return 0, nil
	case s == "true":
		return 1, nil
	default:
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, fmt.Errorf("got %s, want a number", b)
		}
		return f, nil
	}
}

// Text is a text as JSON writers write it: "7" or 7. null is "".
type Text string

// UnmarshalJSON refuses lists and objects.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*t = Text(s)
		return nil
	}
	if len(b) > 0 && (b[0] == '[' || b[0] == '{') {
		return fmt.Errorf("got %s, want a text", cut(b))
	}
	*t = Text(b)
	return nil
}

// flag is a JSON boolean or number, also in quotes; MATLAB writes [] for none.
type flag bool

func (f *flag) UnmarshalJSON(b []byte) error {
	if s := string(b); s == "[]" || s == `""` {
		return nil
	}
	v, err := number(b)
	*f = v != 0
	return err
}

// cut shortens a value for a message.
func cut(b []byte) string {
	const most = 40
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}

// A nanReader makes JSON of what Python writes: NaN, Infinity and -Infinity outside texts become
// texts of the same length. They do no harm in fields that are not read, and are errors in others.
type nanReader struct {
	r      *bufio.Reader
	inText bool
	escape bool
	rest   string // of a word that is being replaced
}

func newNaNReader(r io.Reader) io.Reader { return &nanReader{r: bufio.NewReaderSize(r, 1<<16)} }

var nanWords = []struct{ word, text string }{{"-Infinity", `"-inf"   `}, {"Infinity", `"inf"   `}, {"NaN", `"" `}}

func (n *nanReader) Read(p []byte) (int, error) {
	for i := range p {
		c, err := n.next()
		if err != nil {
			return i, err
		}
		p[i] = c
		if i+1 < len(p) && n.rest == "" && n.r.Buffered() == 0 {
			return i + 1, nil // do not wait for more
		}
	}
	return len(p), nil
}

func (n *nanReader) next() (byte, error) {
	if n.rest != "" {
		c := n.rest[0]
		n.rest = n.rest[1:]
		return c, nil
	}
	c, err := n.r.ReadByte()
	if err != nil {
		return 0, err
	}
	switch {
	case n.escape:
		n.escape = false
	case n.inText && c == '\\':
		n.escape = true
	case c == '"':
		n.inText = !n.inText
	case !n.inText && (c == 'N' || c == 'I' || c == '-'):
		for _, w := range nanWords {
			tail := w.word[1:]
			if c != w.word[0] {
				continue
			}
			if ahead, _ := n.r.Peek(len(tail)); string(ahead) == tail {
				if _, err := n.r.Discard(len(tail)); err != nil {
					return 0, err
				}
				c, n.rest = w.text[0], w.text[1:]
				break
			}
		}
	}
	return c, nil
}

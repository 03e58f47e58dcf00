package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/transform"
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

// Size is a width or height that is stated beside a picture, which knows it better: what cannot be
// read is UnreadSize, and no error.
type Size int

// UnreadSize is a Size that cannot be read.
const UnreadSize Size = -1 << 31

// UnmarshalJSON never fails.
func (s *Size) UnmarshalJSON(b []byte) error {
	var w Whole
	if *s = UnreadSize; w.UnmarshalJSON(b) == nil {
		*s = Size(w)
	} else if text := strings.Trim(string(b), `" `); text == "" || string(b) == nanText {
		*s = 0 // nothing was written
	}
	return nil
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

// errNull is what a number null is where 0 would be wrong.
var errNull = errors.New("got null, want a number")

// number reads a JSON number, also in quotes or as a boolean; null is 0.
func number(b []byte) (float64, error) {
	switch s := strings.Trim(string(b), `"`); strings.ToLower(s) {
	case "null", "false":
		return 0, nil
	case "true":
		return 1, nil
	default:
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, fmt.Errorf("got %s, want a number", cut(b))
		}
		return f, nil
	}
}

// Text is a text as JSON writers write it: "7" or 7. null and NaN, which pandas writes for nothing,
// are "".
type Text string

// UnmarshalJSON refuses lists and objects.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if string(b) == nanText {
		return nil
	}
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
	if s := string(b); s == "[]" || s == `""` || s == nanText {
		return nil
	}
	v, err := number(b)
	*f = v != 0
	return err
}

// cut shortens a value for a message, and writes it as it is in the file.
func cut(b []byte) string {
	const most = 40
	s := string(b)
	for _, w := range nanWords {
		s = strings.ReplaceAll(s, w.text, w.word)
	}
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// A Value is a value of a JSON file: its text, and the byte of the file at which it begins, from 0.
type Value struct {
	Text []byte
	At   int64
}

// ReadJSON returns the value of a JSON file in UTF-8, or in UTF-16 with its mark. NaN and Infinity,
// which Python writes, do no harm in values that are not read. An error names the byte.
func ReadJSON(data []byte) (Value, error) {
	data, _, err := FromUTF16(data)
	if err == nil {
		data, _, err = transform.Bytes(&nanFilter{}, data)
	}
	if err != nil {
		return Value{}, err
	}
	if at, fault := syntax(data); fault != "" {
		return Value{}, fmt.Errorf("byte %d: %s", at, fault)
	}
	return Value{Text: data}, nil
}

// syntax returns the first place in a text at which it stops being JSON, and what is wrong there;
// "" for JSON.
func syntax(data []byte) (at int64, fault string) {
	var all json.RawMessage
	wrong := new(json.SyntaxError)
	if err := json.Unmarshal(data, &all); !errors.As(err, &wrong) {
		return 0, ""
	}
	if strings.HasPrefix(wrong.Error(), "unexpected end") {
		return int64(len(data)), cutShort
	}
	at = min(max(0, wrong.Offset-1), int64(len(data)))
	if bytes.HasSuffix(bytes.TrimRight(data[:at], " \t\r\n"), []byte(",")) && strings.ContainsAny(string(data[at:at+1]), "]}") {
		return at, fmt.Sprintf("got '%c' after a comma, want no comma there", data[at])
	}
	return at, plainSyntax(wrong)
}

const cutShort = "the file is cut short"

// plainSyntax says what a syntax error of encoding/json means.
func plainSyntax(wrong *json.SyntaxError) string {
	got, where, _ := strings.Cut(strings.Replace(wrong.Error(), "invalid character", "got", 1), "' ")
	if where != "" {
		got += "'"
	} else {
		got, where = "", wrong.Error()
	}
	want := "which is not JSON"
	for _, w := range []struct{ words, want string }{
		{"beginning of value", "want a value"}, {"key string", "want a name in quotes"}, {"key:value pair", "want a comma, or } at the end"},
		{"array element", "want a comma, or ] at the end"}, {"after object key", "want a colon"}, {"top-level", "want nothing after the end"},
		{"in string", "which must be written with a backslash in a text"},
	} {
		if strings.Contains(where, w.words) {
			want = w.want
			break
		}
	}
	return strings.TrimPrefix(got+", "+want, ", ")
}

// ReadFields decodes the members of an object. to says by name where their values go, others are
// not read; a *Value takes one as it is. Names count to the letter: encoding/json would take
// "Width" for "width". The error is the first fault, with field and byte; all other members are
// read.
func (v Value) ReadFields(to map[string]any) (err error) {
	if text := bytes.TrimSpace(v.Text); len(text) == 0 || text[0] != '{' {
		return fmt.Errorf("byte %d: got %s, want an object {...}", v.At, cut(text))
	}
	v.each(func(name string, value Value) {
		at, ok := to[name]
		if raw, is := at.(*Value); is {
			*raw = value
			return
		}
		if !ok {
			return
		}
		bad := json.Unmarshal(value.Text, at)
		if wrong := new(json.UnmarshalTypeError); errors.As(bad, &wrong) {
			bad = fmt.Errorf("got %s, want another kind of value", cut(value.Text))
		}
		if bad != nil && err == nil {
			err = fmt.Errorf("%s at byte %d: %w", name, value.At, bad)
		}
	})
	return err
}

// List returns the elements of a list.
func (v Value) List() (list []Value, err error) {
	if text := bytes.TrimSpace(v.Text); len(text) == 0 || text[0] != '[' {
		return nil, fmt.Errorf("byte %d: got %s, want a list [...]", v.At, cut(text))
	}
	v.each(func(_ string, value Value) { list = append(list, value) })
	return list, nil
}

// each visits the members of an object, or the elements of a list, which have no names. The text
// must be sound.
func (v Value) each(visit func(name string, value Value)) {
	d := json.NewDecoder(bytes.NewReader(v.Text))
	open, _ := d.Token()
	for d.More() {
		name := ""
		if open == json.Delim('{') {
			key, _ := d.Token()
			name, _ = key.(string)
		}
		var text json.RawMessage
		if d.Decode(&text) != nil {
			return
		}
		visit(name, Value{text, v.At + d.InputOffset() - int64(len(text))})
	}
}

// A nanFilter makes JSON of what Python writes: NaN, Infinity and -Infinity outside texts become
// texts of the same length. They do no harm in fields that are not read, and are errors in others.
type nanFilter struct {
	transform.NopResetter
	inText, escape bool
}

var nanWords = []struct{ word, text string }{{"-Infinity", `"-inf"   `}, {"Infinity", `"inf"   `}, {"NaN", nanText}}

// nanText stands for NaN: a text that no tool writes.
const nanText = "\"\x7f\""

// Transform is that of a transform.Transformer.
func (n *nanFilter) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	i := 0
	for i < len(src) {
		if i == len(dst) {
			return i, i, transform.ErrShortDst
		}
		c, put := src[i], string(src[i:i+1])
		switch {
		case n.escape:
			n.escape = false
		case n.inText && c == '\\':
			n.escape = true
		case c == '"':
			n.inText = !n.inText
		case !n.inText && (c == 'N' || c == 'I' || c == '-'):
			for _, w := range nanWords {
				ahead := string(src[i:min(i+len(w.word), len(src))])
				if ahead == w.word {
					put = w.text
				} else if !atEOF && strings.HasPrefix(w.word, ahead) {
					return i, i, transform.ErrShortSrc
				}
			}
		}
		if len(dst)-i < len(put) {
			return i, i, transform.ErrShortDst
		}
		i += copy(dst[i:], put)
	}
	return i, i, nil
}

package canon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Decoder reads any YAML form of a manifest file and collects every fault with its line. It is
// stricter than YAML: unknown, repeated and missing keys, anchors, tags, a second document,
// unquoted ids, and bare strings that some reader takes for another type are faults.
type Decoder struct {
	File   string // for messages
	Record string // the record being read, where one is
	Faults []Fault
}

// Fail reports a fault on a line of the file.
func (d *Decoder) Fail(line int, kind, format string, args ...any) {
	d.Faults = append(d.Faults, Fault{d.Record, kind, fmt.Sprintf("%s:%d: %s", d.File, line, fmt.Sprintf(format, args...))})
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// Document returns the one node that data holds, nil after a fault.
func (d *Decoder) Document(data []byte) *yaml.Node {
	in := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.Fail(1, FaultSyntax, "the file is empty")
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	switch err := in.Decode(&second); {
	case err == nil:
		d.Fail(max(second.Line, 1), FaultSyntax, "a second document begins: got 2 or more, want 1")
		return nil
	case !errors.Is(err, io.EOF):
		d.syntax(err)
		return nil
	}
	return doc.Content[0]
}

func (d *Decoder) syntax(err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		m = []string{"", ""}
	}
	line, _ := strconv.Atoi(m[1])
	d.Fail(max(line, 1), FaultSyntax, "%s", strings.TrimPrefix(err.Error(), m[0]))
}

// Kind tells whether n is a node of kind k without anchor or tag.
func (d *Decoder) Kind(n *yaml.Node, k yaml.Kind, want string) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.Fail(n.Line, FaultSyntax, "anchors and aliases are not used here")
	case n.Style&yaml.TaggedStyle != 0:
		d.Fail(n.Line, FaultSyntax, "tag %s: tags are not used here", n.Tag)
	case n.Kind != k:
		d.Fail(n.Line, FaultSyntax, "got %s, want %s", describe(n), want)
	default:
		return true
	}
	return false
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "nothing"
		}
		return quoteSome(n.Value)
	}
	return "an alias"
}

// quoteSome quotes a value, of a long one the beginning: a file of another kind may be one value.
func quoteSome(v string) string {
	const most = 60
	if len(v) <= most {
		return strconv.Quote(v)
	}
	return fmt.Sprintf("%q... of %d bytes", strings.ToValidUTF8(v[:most], ""), len(v))
}

// text reads a string. A bare one must be a string to every reader of YAML (in 1.1, 12:30:45 is a
// number and "=" a value); with quotes none may be bare.
func (d *Decoder) text(n *yaml.Node, v *string, quotes bool) {
	if !d.Kind(n, yaml.ScalarNode, "a string") {
		return
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		if quotes || n.Tag != "!!str" || isReserved(n.Value) || strings.IndexByte("0123456789+-.=<", n.Value[0]) >= 0 {
			d.Fail(n.Line, FaultQuotes, "%s needs quotes, or some reader takes it for another type", describe(n))
			return
		}
	}
	*v = n.Value
}

func (d *Decoder) row(n *yaml.Node, quotes bool) []string {
	if !d.Kind(n, yaml.SequenceNode, "a list") || len(n.Content) == 0 {
		return nil
	}
	out := make([]string, len(n.Content))
	for i, c := range n.Content {
		d.text(c, &out[i], quotes)
	}
	return out
}

// The numbers that all readers of YAML agree on: 0123 is 83 to some.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (d *Decoder) number(n *yaml.Node, v any, want string, tags ...string) {
	if !d.Kind(n, yaml.ScalarNode, want) {
		return
	}
	if n.Style != 0 || !slices.Contains(tags, n.Tag) || !plainNumber.MatchString(n.Value) || n.Decode(v) != nil {
		d.Fail(n.Line, FaultSyntax, "got %s, want %s", describe(n), want)
	}
}

// DecodeMapping reads a mapping of fields into v.
func DecodeMapping[T any](d *Decoder, n *yaml.Node, fields []Field[T], v *T) {
	if !d.Kind(n, yaml.MappingNode, "a mapping") {
		return
	}
	seen := make([]bool, len(fields))
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if !d.Kind(k, yaml.ScalarNode, "a key") {
			continue
		}
		at := slices.IndexFunc(fields, func(f Field[T]) bool { return f.Key == k.Value })
		switch {
		case at < 0:
			d.Fail(k.Line, FaultUnknownKey, "key %s is not known", quoteSome(k.Value))
		case seen[at]:
			d.Fail(k.Line, FaultRepeatedKey, "key %s is repeated", quoteSome(k.Value))
		default:
			seen[at] = true
			fields[at].Of(v).decode(d, n.Content[i+1])
		}
	}
	for i, f := range fields {
		if !f.Optional && !seen[i] {
			d.Fail(n.Line, FaultMissingKey, "key %q is missing", f.Key)
		}
	}
}

// LineOf returns the line of the dotted path ("masks.0.figure") below n, as far as there is one.
func LineOf(n *yaml.Node, path string) int {
	for path != "" {
		var head string
		head, path, _ = strings.Cut(path, ".")
		at := -1
		switch n.Kind {
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(head); err == nil && i < len(n.Content) {
				at = i
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == head {
					at = i + 1
				}
			}
		}
		if at < 0 {
			break
		}
		n = n.Content[at]
	}
	return n.Line
}

// A Fault is one thing that is wrong with a file. As an error it reads "record: message".
type Fault struct {
	Record  string `json:"record"`  // the id, or the file where no record is concerned
	Kind    string `json:"kind"`    // a short code
	Message string `json:"message"` // one line, with file and line number
}

func (f Fault) Error() string {
	if f.Record == "" {
		return f.Message
	}
	return f.Record + ": " + f.Message
}

// The kinds of fault in the form of a file.
const (
	FaultSyntax      = "syntax"       // not YAML, or a value of another type
	FaultUnknownKey  = "unknown_key"  //
	FaultRepeatedKey = "repeated_key" //
	FaultMissingKey  = "missing_key"  //
	FaultQuotes      = "quotes"       // a bare id, or a string of doubtful type
)

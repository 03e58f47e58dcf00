package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"gopkg.in/yaml.v3"

	"hdseg/manifests/canon"
)

// A partReader reads one part after the other in the same room.
type partReader struct {
	text []byte
	scan canon.Scanner
}

// readPart reads one part file into the room of into, if that suffices. After a wrong digest the
// items are read nevertheless, for Check. With check, bytes that are not canonical are a fault.
func (c *codec[T]) readPart(r *partReader, s *Store, p part, check bool, into []T) (items []T, faults []Fault) {
	name, err := s.Path(p.Path)
	if err != nil {
		return nil, nil // reported of the index
	}
	data, err := readRegular(name, r.text)
	r.text = data
	if faults = s.partFault(p, Sum(data), err); err != nil {
		return nil, faults
	}
	whole := len(faults) == 0
	items, ok := c.scanItems(&r.scan, data, into)
	if !ok {
		d := &canon.Decoder{File: p.Path}
		items = c.decodeItems(d, data)
		faults = append(faults, d.Faults...)
		// escapes, too, are left to the decoder
		if check && whole && len(d.Faults) == 0 && !c.canonical(items, data) {
			faults = append(faults, fault("", FaultCanonical, "%s: %s", p.Path, notCanonical))
		}
	}
	if len(items) != p.Records && (ok || items != nil) {
		faults = append(faults, fault("", FaultPartCount, "%s: got %d records, want %d", p.Path, len(items), p.Records))
	}
	return items, faults
}

// partFault says what is wrong with a part whose digest is got, or that could not be read.
func (s *Store) partFault(p part, got Digest, err error) []Fault {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Fault{fault("", FaultPart, "%s: the part is missing", p.Path)}
	case err != nil:
		return []Fault{fault("", FaultPart, "%s: %v", p.Path, err)}
	case got != p.SHA256:
		data, _ := s.Read(p.Path, "")
		return []Fault{fault("", FaultPartDigest, "%s: %s", p.Path, changed(data, p.SHA256))}
	}
	return nil
}

const notCanonical = "it says what it should, in other bytes than hdseg writes, such as other line ends or spaces: equal data " +
	"sets would differ"

func (c *codec[T]) canonical(items []T, text []byte) bool {
	for b := range pieces(items, c.fields, c.inline) {
		ok := false
		if text, ok = bytes.CutPrefix(text, b); !ok {
			return false
		}
	}
	return len(text) == 0
}

// scanItems reads what pieces yields into the room of into, if that suffices, and tells whether
// it is that and sound.
func (c *codec[T]) scanItems(s *canon.Scanner, data []byte, into []T) (items []T, ok bool) {
	if items, ok = canon.ScanList(s, data, into, c.fields, c.inline); !ok {
		return nil, false
	}
	var rep report = func(string, string, string, ...any) { ok = false }
	for i := range items {
		c.check(&items[i], rep)
		if i > 0 {
			c.order(&items[i], &items[i-1], rep)
		}
	}
	return items, ok
}

// decodeItems reads any YAML and says what is wrong with it.
func (c *codec[T]) decodeItems(d *canon.Decoder, data []byte) (items []T) {
	n := d.Document(data)
	if n == nil || !d.Kind(n, yaml.SequenceNode, "a list") {
		return nil
	}
	items = make([]T, len(n.Content))
	for i, item := range n.Content {
		sound := len(d.Faults)
		d.Record = nameOf(item)
		canon.DecodeMapping(d, item, c.fields, &items[i])
		if len(d.Faults) > sound {
			continue // what could not be read would be reported twice
		}
		rep := reporter(d, item)
		c.check(&items[i], rep)
		if i > 0 {
			c.order(&items[i], &items[i-1], rep)
		}
	}
	d.Record = ""
	return items
}

// reporter turns a fault's dotted path into its line below n.
func reporter(d *canon.Decoder, n *yaml.Node) report {
	return func(field, kind, format string, args ...any) {
		d.Fail(canon.LineOf(n, field), kind, "%s: %s", field, fmt.Sprintf(format, args...))
	}
}

func nameOf(n *yaml.Node) string {
	for _, key := range []string{"id", "record"} {
		if v := find(n, key); v != nil {
			return v.Value
		}
	}
	return ""
}

// decodeIndex reads an index and reports what is wrong with it by itself.
func decodeIndex(d *canon.Decoder, data []byte) (ix index) {
	n := d.Document(data)
	if n == nil {
		return ix
	}
	// A newer layout has keys of its own: say so rather than list them.
	if v := find(n, "schema"); v != nil && v.Value != fmt.Sprint(Schema) {
		d.Fail(v.Line, FaultSchema, "schema: got version %s, want %d", v.Value, Schema)
		return ix
	}
	canon.DecodeMapping(d, n, indexFields, &ix)
	if len(d.Faults) > 0 {
		return ix
	}
	rep := reporter(d, n)
	ix.Header.check(rep)
	if !validPath(ix.Name) {
		rep("name", FaultPath, "%q: want a clean relative path with '/'", ix.Name)
	}
	ix.checkParts("parts", ix.Parts, PartRecords, rep)
	ix.checkParts("skipped", ix.Skips, 1<<30, rep)
	ix.checkParts("settings", ix.Options, 1, rep)
	if len(ix.Options) > 1 {
		rep("settings", FaultValue, "got %d files, want one", len(ix.Options))
	}
	for _, p := range ix.Options {
		if p.SHA256 != ix.Config {
			rep("settings", FaultValue, "got sha256 %s, want that of config, %s", p.SHA256.Short(), ix.Config.Short())
		}
	}
	return ix
}

func (ix *index) checkParts(key string, parts []part, most int, rep report) {
	for i, p := range parts {
		if checkPath(at(key, i, "path"), p.Path, rep); validPath(p.Path) && !strings.HasPrefix(p.Path, ix.Name+".d/") {
			rep(at(key, i, "path"), FaultPath, "%q: want a path in %s.d/", p.Path, ix.Name)
		}
		checkDigest(at(key, i, "sha256"), p.SHA256, false, rep)
		if p.Records < 1 || p.Records > most {
			rep(at(key, i, "records"), FaultValue, "got %d, want 1..%d", p.Records, most)
		}
	}
}

func find(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

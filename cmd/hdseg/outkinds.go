package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A kind is what a file is that a command writes, as its first bytes tell.
type kind struct {
	name string
	is   func(head []byte) bool
}

// The kinds of files that replace older ones of the same kind.
var (
	manifestFile   = kind{"manifest", starts("schema: ")}
	modelFile      = kind{"model", starts("hdseg model ")}
	statisticsFile = kind{"file of statistics", starts("hdseg statistics ")}
	csvFile        = kind{"table of hdseg as CSV", starts("class,tiers,model,terms,balance,")}
	markdownFile   = kind{"report of hdseg as Markdown", starts("# What annotation is worth: ", "# Scenes: ")}
	htmlFile       = kind{"report of hdseg as HTML", func(head []byte) bool {
		return starts("<!doctype html>")(head) && bytes.Contains(head, []byte(`http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`))
	}}
	sheetFile = kind{"contact sheet of hdseg", func(head []byte) bool {
		return starts(pngMagic)(head) && bytes.Contains(head, []byte(sheetText))
	}}
	plotFile = kind{"plot of hdseg", func(head []byte) bool {
		return starts("<?xml")(head) && bytes.Contains(head, []byte("<svg")) && bytes.Contains(head, []byte("Plotinum"))
	}}
	maskFile = kind{"PNG", starts(pngMagic)}
	newFile  = kind{"new file", func([]byte) bool { return false }}
)

// starts tells whether a file starts with one of some texts.
func starts(texts ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, t := range texts {
			if bytes.HasPrefix(head, []byte(t)) {
				return true
			}
		}
		return false
	}
}

// replaces refuses to write over a file that is there and of another kind; an empty one is lost to nobody.
func (k kind) replaces(name string) error {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: is there, and what it is cannot be read: %w", name, err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return fmt.Errorf("%s: is there, and what it is cannot be read: %w", name, err)
	}
	if len(head) > 0 && !k.is(head) {
		return fmt.Errorf("%s: is there and is no %s: it is not written over; name another file, or remove it first", name, k.name)
	}
	return nil
}

const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	sheetText = "Software\x00hdseg contact sheet"
	headerEnd = len(pngMagic) + 8 + 13 + 4 // of the chunk that every PNG begins with
)

// signSheet puts what a contact sheet is into its PNG, as a chunk of text after the header (PNG specification, 11.3.3.2): it
// tells one from a picture of somebody, when the next is to be written over it.
func signSheet(png []byte) []byte {
	chunk := append([]byte("tEXt"), sheetText...)
	out := append([]byte(nil), png[:headerEnd]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(sheetText)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[headerEnd:]...)
}

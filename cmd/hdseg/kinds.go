package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/manifests/raster"
	"hdseg/transfer"
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
	picturesFile   = kind{"list of training pictures", starts(pipeline.PicturesHead)}
	statisticsFile = kind{"file of statistics", starts("hdseg statistics ")}
	csvFile        = kind{"table of hdseg as CSV", starts("class,tiers,model,terms,balance,", "id,iou,per_class,")}
	skippedFile    = kind{"list of skipped records", starts("record,reason,detail")}
	markdownFile   = kind{"report of hdseg as Markdown", starts("# What annotation is worth: ", "# Scenes: ")}
	htmlFile       = kind{"report of hdseg as HTML", func(head []byte) bool {
		return starts("<!doctype html>")(head) && bytes.Contains(head, []byte(`http-equiv="Content-Security-Policy" `+
			`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`))
	}}
	sheetFile = kind{"picture that hdseg drew", func(head []byte) bool {
		return starts(pngMagic)(head) && bytes.Contains(head, []byte(sheetText))
	}}
	plotFile = kind{"plot of hdseg", func(head []byte) bool {
		return starts("<?xml")(head) && bytes.Contains(head, []byte("<svg")) && bytes.Contains(head, []byte("Plotinum"))
	}}
	maskFile = kind{"PNG", starts(pngMagic)}
	newFile  = kind{"new file", nil}
)

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

// replaces refuses to overwrite a file of another kind; an empty one holds nothing to lose.
func (k kind) replaces(name string) error {
	head, err := headOf(name, 1024)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: exists, but cannot be read: %w", name, err)
	}
	if len(head) > 0 && k.name == newFile.name {
		return fmt.Errorf("%s: is there already: it is not overwritten; name another file, or remove it first", name)
	}
	if len(head) > 0 && !k.is(head) {
		return fmt.Errorf("%s: exists and is no %s: hdseg does not overwrite it; name another file, or remove it first", name, k.name)
	}
	return nil
}

const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	sheetText = "Software\x00hdseg contact sheet"
	headerEnd = len(pngMagic) + 8 + 13 + 4 // of the chunk that every PNG begins with
)

// signSheet adds a chunk of text to the PNG of a contact sheet or a record (PNG specification,
// 11.3.3.2): the next one may replace it, but no other picture.
func signSheet(png []byte) []byte {
	chunk := append([]byte("tEXt"), sheetText...)
	out := append([]byte(nil), png[:headerEnd]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(sheetText)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[headerEnd:]...)
}

// An infoKind is a kind of file that info knows: how it is told, and what is said of it.
type infoKind struct {
	name string
	is   func(head []byte) bool
	read func(r *infoResult, data []byte) error
}

// infoKinds returns the kinds of files, the first that fits being taken.
func infoKinds() []infoKind {
	return []infoKind{
		{"manifest", manifestFile.is, (*infoResult).manifest},
		{"part of a manifest", starts("- id: "), (*infoResult).part},
		{"model", modelFile.is, (*infoResult).model},
		{"list of training pictures", picturesFile.is, (*infoResult).pictures},
		{"statistics", statisticsFile.is, (*infoResult).statistics},
		{"checkpoint", starts(`{"Model":`), (*infoResult).checkpoint},
		{"expert of transfer", starts("hdseg expert "), func(_ *infoResult, data []byte) error { return transfer.CheckExpert(data) }},
		{"feature file", starts("ARROW1"), func(r *infoResult, _ []byte) error { return r.features() }},
		{"run record", isRunRecord, (*infoResult).run},
		{"results table", isJSON(`"rows"`), func(r *infoResult, _ []byte) error { return r.results() }},
		{"evaluation of models", isJSON(`"test"`, `"truth"`, `"oracle"`), (*infoResult).evaluation},
		{"list of checksums", checksums.Match, func(r *infoResult, data []byte) error {
			r.add("files", bytes.Count(data, []byte("\n")))
			return nil
		}},
		{skippedFile.name, skippedFile.is, (*infoResult).list},
		{"list of duplicates", starts("record,of,bits"), (*infoResult).list},
		{"list of files left aside", starts("code,file"), (*infoResult).list},
		{"table as CSV", csvFile.is, (*infoResult).list},
		{"table of boxes", func(head []byte) bool {
			first, _, _ := bytes.Cut(head, []byte("\n"))
			return bytes.Contains(first, []byte("xmin")) && bytes.Contains(first, []byte("ymax"))
		}, (*infoResult).list},
		{"report", func(head []byte) bool { return htmlFile.is(head) || markdownFile.is(head) }, func(*infoResult, []byte) error { return nil }},
		{"config", isSettings(""), (*infoResult).config},
		{"settings of a manifest", isSettings("ingest", "transfer"), (*infoResult).settings},
	}
}

// checksums match a line of SHA256SUMS.
var checksums = regexp.MustCompile(`^[0-9a-f]{64}  `)

func isRunRecord(head []byte) bool {
	return bytes.Contains(head, []byte("finished: ")) && bytes.Contains(head, []byte("\nplatform: "))
}

// isJSON tells of an object that has these keys.
func isJSON(keys ...string) func(head []byte) bool {
	return func(head []byte) bool {
		return starts("{")(head) && !slices.ContainsFunc(keys, func(k string) bool { return !bytes.Contains(head, []byte(k)) })
	}
}

// isSettings tells of settings of one of these parts of an experiment.
func isSettings(parts ...string) func(head []byte) bool {
	return func(head []byte) bool {
		part, ok := configs.PartOf(head)
		return ok && slices.Contains(parts, part)
	}
}

// sniffed is how many bytes of a file tell its kind: a table names all test images first.
const sniffed = 1 << 20

// kindOf tells by the first bytes what a file is; nil if it is none of the kinds.
func kindOf(head []byte) *infoKind {
	kinds := infoKinds()
	if i := slices.IndexFunc(kinds, func(k infoKind) bool { return k.is(head) }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// wants refuses a file that is missing, or of another kind than a command wants. What no kind fits
// is left to its reader, and so is a folder for a manifest, as manifests are named in it.
func wants(file, kind string) error {
	st, err := os.Stat(file)
	switch {
	case err != nil:
		return inWords(fmt.Errorf("%w: want %s", err, article(kind)))
	case st.IsDir() && kind != "manifest":
		return fmt.Errorf("%s: is a folder, want %s", file, article(kind))
	case !st.Mode().IsRegular():
		return nil
	}
	head, err := headOf(file, sniffed)
	if err != nil {
		return inWords(err)
	}
	k := kindOf(head)
	switch {
	case k == nil && raster.Sniff(head) != "":
		return fmt.Errorf("%s: is a picture, want %s", file, article(kind))
	case k == nil && kind == "manifest" && !strings.HasPrefix(filepath.Ext(file), ".y"):
		return fmt.Errorf("%s: is no manifest: got a %s, want a YAML file such as out/horseseg.yaml", file, unknownFile(file, head))
	case k == nil || k.name == kind:
		return nil
	case kind == "config":
		return fmt.Errorf("%s: is %s, want a config: hdseg init writes one", file, article(k.name))
	}
	err = fmt.Errorf("%s: is %s, want %s", file, article(k.name), article(kind))
	if of := manifestOf(file); kind == "manifest" && exists(of) {
		err = fmt.Errorf("%w: %s", err, of)
	}
	return err
}

// unknownFile says what a file of no kind is: a text or bytes, by the end of its name.
func unknownFile(name string, head []byte) string {
	what := "text file"
	if bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head[:len(head)-min(len(head), utf8.UTFMax)]) {
		what = "binary file"
	}
	if end := filepath.Ext(name); end != "" {
		what += " with the ending " + end
	}
	return what
}

func article(kind string) string {
	switch {
	case kind == "statistics" || strings.HasPrefix(kind, "settings"):
		return kind
	case strings.ContainsRune("aeiou", rune(kind[0])):
		return "an " + kind
	}
	return "a " + kind
}

// manifestOf names the manifest that a run record, a part or a settings file belongs to.
func manifestOf(file string) string {
	if base, ok := strings.CutSuffix(file, ".run.yaml"); ok {
		return base + ".yaml"
	}
	return strings.TrimSuffix(filepath.Dir(file), ".d") + ".yaml"
}

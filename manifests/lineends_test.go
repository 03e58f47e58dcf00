package manifests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What git with core.autocrlf did to the text files of a data set is said, file by file.
func TestLineEndsAreNamed(t *testing.T) {
	s := testStore(t)
	if _, err := WriteListed(s, "out", stored(t, s)); err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(s.Dir(), "out.yaml"), filepath.Join(s.Dir(), SumsFile)}
	parts, err := filepath.Glob(filepath.Join(s.Dir(), "out.d", "*.yaml"))
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	for _, f := range append(files, parts...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Read(s, "out"); err == nil || !strings.Contains(err.Error(), ".gitattributes") {
		t.Errorf("got %v, want what to put into .gitattributes", err)
	}
	_, _, faults, err := read(s, "out", true)
	if err != nil || len(faults) != 1+len(parts) {
		t.Errorf("got %v, %v, want a fault of the index and of each of %d parts", faults, err, len(parts))
	}
	for _, f := range faults {
		if !strings.Contains(f.Message, lineEnds) {
			t.Errorf("got %v, want %s", f, lineEnds)
		}
	}
	data, err := s.Read(SumsFile, "")
	if _, of := ParseSums(data); err != nil || of == nil || !strings.Contains(of.Error(), SumsFile+":1: "+lineEnds) {
		t.Errorf("got %v, %v, want %s", of, err, lineEnds)
	}
}

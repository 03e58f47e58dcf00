package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names of results lie in the folder that was asked for, whatever the picture is called.
func TestNamesOfSegmentedPictures(t *testing.T) {
	got, err := outputNames([]string{"pics/.png", "a/photo.tar.jpg", "plain"})
	if want := ".png photo.tar plain"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v, want %s", got, err, want)
	}
	for _, bad := range []string{".", "..", "pics/..", "/"} {
		if _, err := outputNames([]string{bad}); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
}

func TestSegmentWritesOverNoInput(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "x.png"), filepath.Join(dir, "x.mask.png")
	for _, f := range []string{a, b} {
		if err := os.WriteFile(f, []byte("\x89PNG\r\n\x1a\n"+f), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names, err := outputNames([]string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if err := overInputs([]string{a, b}, []string{a, b}, dir, names); err == nil || !strings.Contains(err.Error(), "its x.mask.png would be written over") {
		t.Errorf("got %v", err)
	}
	if err := overInputs([]string{a, b}, []string{a, b}, filepath.Join(dir, "masks"), names); err != nil {
		t.Errorf("another folder: got %v", err)
	}
	if err := overInputs([]string{a}, []string{a}, dir, names[:1]); err != nil { // an earlier result is no input
		t.Errorf("again: got %v", err)
	}
}

package ingest

import (
	"strings"
	"testing"
)

// A source of which every member is refused says why.
func TestNothingLeftSaysWhy(t *testing.T) {
	for data, want := range map[string]string{
		string(zipOf(t, member{`a\n02374451_1.JPEG`, nil}, member{`a\n02374451_2.JPEG`, nil})): "Windows", string(tarOf(member{"a:b/n02374451_1.JPEG", nil})): "a drive on Windows",
		"\xfd7zXZ\x00": "format xz",
	} {
		req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 1, Version: "test", ImageNet: []string{archiveFile(t, "x.zip", []byte(data))}}
		if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "got no picture named wnid_number; ") || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "n02374451") > 1 {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

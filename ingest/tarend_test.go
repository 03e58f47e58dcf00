package ingest

import (
	"slices"
	"testing"
)

// What follows the end of an archive is said, and what stands before it is kept; zeros are padding.
func TestDataAfterTar(t *testing.T) {
	first, second := tarOf(member{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}), tarOf(member{"n02374451_2.JPEG", jpegBytes(40, 30, 2)})
	for name, c := range map[string]struct {
		data []byte
		more bool
	}{
		"whole": {first, false}, "padded": {slices.Concat(first, make([]byte, 1<<16)), false},
		"joined": {slices.Concat(first, second), true}, "garbage": {slices.Concat(first, []byte("x")), true},
	} {
		for suffix, data := range map[string][]byte{".tar": c.data, ".tar.gz": gz(c.data)} {
			dir := plant(t, t.TempDir(), member{"n02374451" + suffix, data})
			req := Request{Dataset: "x", Class: Horse(), ImageNet: []string{dir}, Options: Defaults(), Workers: 1, Version: "test"}
			res, _ := mustIngest(t, req)
			var reasons []string
			for _, s := range res.Manifest.Skipped {
				reasons = append(reasons, s.Reason)
			}
			if res.Kept != 1 || slices.Contains(reasons, "data_after_end") != c.more {
				t.Errorf("%s%s: got %d records, skips %v, want data_after_end: %v", name, suffix, res.Kept, reasons, c.more)
			}
		}
	}
}

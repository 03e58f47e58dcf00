package ingest

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"hdseg/manifests"
)

// A training picture is in the test split if it has the id, the bytes or the pixels of a test picture.
func TestSplit(t *testing.T) {
	req := world(t)
	lossless := grayMask(16, 12, 1, 2, 3, 4)
	again := append(slices.Clone(lossless), 0) // a trailing byte: other bytes, equal pixels
	req.ImageNet = []string{plant(t, t.TempDir(), member{"n02374451_1.JPEG", jpegBytes(40, 30, 8)},
		member{"n02374451_2.PNG", again}, member{"n02374451_3.JPEG", jpegBytes(9, 9, 9)}, member{"n02374451_4.JPEG", jpegBytes(40, 30, 4)})}
	plant(t, req.Test, member{"images/n02374451_3.jpg", jpegBytes(12, 12, 3)}, member{"masks/n02374451_3.png", grayMask(12, 12, 0, 255)},
		member{"images/p.png", lossless}, member{"masks/p.png", grayMask(16, 12, 0, 255)})
	res, _ := mustIngest(t, req)
	before := len(res.Manifest.Records)

	out, overlaps, err := Split(res.Manifest, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Overlap{{"n02374451_1", "t1", "sha256"}, {"n02374451_2", "p", "pixels"}, {"n02374451_3", "n02374451_3", "id"}}
	if !slices.Equal(overlaps, want) {
		t.Errorf("got %v, want %v", overlaps, want)
	}
	if len(res.Manifest.Records) != before || len(out.Records) != before-3 || out.Stage != "split" {
		t.Errorf("got %d records of %d, input now %d", len(out.Records), before, len(res.Manifest.Records))
	}
	ids := map[string]bool{}
	for _, r := range out.Records {
		if ids[r.ID] {
			t.Errorf("id %s is not unique", r.ID)
		}
		ids[r.ID] = true
	}
	n := 0
	for _, s := range out.Skipped {
		if s.Reason == InTest {
			n++
		}
	}
	if n != 3 {
		t.Errorf("got %d skips in_test, want 3", n)
	}
	for _, err := range out.Validate() {
		t.Error(err)
	}

	_, _, err = Split(res.Manifest, true)
	var overlap *OverlapError
	if !errors.As(err, &overlap) || len(overlap.Overlaps) != 3 {
		t.Errorf("strict: got %v", err)
	}
}

// A split without overlap changes nothing but the stage; one without a test set too.
func TestSplitNothing(t *testing.T) {
	req := world(t)
	for _, test := range []string{req.Test, ""} {
		req.Test = test
		res, _ := mustIngest(t, req)
		out, overlaps, err := Split(res.Manifest, true)
		if err != nil || len(overlaps) != 0 || len(out.Records) != len(res.Manifest.Records) {
			t.Errorf("%s: got %v, %v", filepath.Base(test), overlaps, err)
		}
		if test == "" && slices.ContainsFunc(out.Records, func(r manifests.Record) bool { return r.Split == manifests.Test }) {
			t.Error("a test record out of nowhere")
		}
	}
}

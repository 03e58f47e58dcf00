package ingest

import (
	"errors"
	"fmt"
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

	p, err := Split(res.Manifest, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, overlaps := p.Manifest, p.Overlaps
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

	_, err = Split(res.Manifest, SplitOptions{Strict: true})
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
		p, err := Split(res.Manifest, SplitOptions{Strict: true})
		if err != nil || len(p.Overlaps) != 0 || len(p.Manifest.Records) != len(res.Manifest.Records) {
			t.Fatalf("%s: got %+v, %v", filepath.Base(test), p, err)
		}
		if test == "" && slices.ContainsFunc(p.Manifest.Records, func(r manifests.Record) bool { return r.Split == manifests.Test }) {
			t.Error("a test record out of nowhere")
		}
	}
}

// Without a test split a share of the pictures with masks is held out, near duplicates together, and notes follow; one
// picture, or a test split, leaves all as it is.
func TestSplitHoldsOut(t *testing.T) {
	masked := func(id string, notes ...string) manifests.Record {
		return manifests.Record{ID: id, Split: manifests.Train, Image: manifests.Image{SHA256: manifests.Sum([]byte(id)), Notes: notes},
			Masks: []manifests.Mask{{Tier: manifests.Manual}}}
	}
	m := &manifests.Manifest{}
	for i := range 10 {
		m.Records = append(m.Records, masked(fmt.Sprint("p", i)))
	}
	m.Records = append(m.Records, masked("twin", "near_duplicate_of:train/p3"),
		manifests.Record{ID: "free", Split: manifests.Train, Image: manifests.Image{Notes: []string{"near_duplicate_of:train/p3"}}})
	slices.SortFunc(m.Records, func(a, b manifests.Record) int { return a.Compare(&b) })
	sawTwin := false
	for seed := range uint64(10) {
		m.Seed = seed
		p, err := Split(m, SplitOptions{TestShare: 0.25}) // of 10 groups: 2.5, rounded to 3
		if err != nil {
			t.Fatal(err)
		}
		test, twins, of := 0, 0, ""
		for i, r := range p.Manifest.Records {
			if i > 0 && p.Manifest.Records[i-1].Compare(&r) >= 0 {
				t.Errorf("seed %d: %s is out of order", seed, r.ID)
			}
			if r.Split == manifests.Test {
				test++
				if r.ID == "twin" || r.ID == "p3" {
					twins++
				}
			}
			if r.ID == "free" {
				if r.Split != manifests.Train {
					t.Error("a record without a mask is in the test split")
				}
				of = r.Image.Notes[0]
			}
		}
		want := map[int]string{0: "near_duplicate_of:train/p3", 2: "near_duplicate_of:test/p3"}[twins]
		if test != 3+twins/2 || test != p.Held || of != want {
			t.Errorf("seed %d: got %d test records of %d said, %d of the two that are alike, and the note %s", seed, test, p.Held, twins, of)
		}
		sawTwin = sawTwin || twins == 2
	}
	if !sawTwin {
		t.Error("the two that are alike were never held out, want it in 3 of 10 draws")
	}
	if len(m.Records) != 12 || slices.ContainsFunc(m.Records, func(r manifests.Record) bool { return r.Split == manifests.Test }) {
		t.Error("the input was changed")
	}
	two := &manifests.Manifest{Records: []manifests.Record{masked("a"), masked("b")}}
	if p, err := Split(two, SplitOptions{TestShare: 0.9}); err != nil || p.Held != 1 {
		t.Errorf("two pictures: got %+v, %v, want one held out and one left", p, err)
	}
	if p, err := Split(&manifests.Manifest{Records: two.Records[:1]}, SplitOptions{TestShare: 0.5}); err != nil || p.Held != 0 {
		t.Errorf("one picture: got %+v, %v, want it left in training", p, err)
	}
	two.Records[1].Split = manifests.Test
	if p, err := Split(two, SplitOptions{TestShare: 0.5}); err != nil || p.Held != 0 {
		t.Errorf("with a test split: got %+v, %v, want nothing held out", p, err)
	}
	if _, err := Split(two, SplitOptions{TestShare: 1}); err == nil {
		t.Error("a share of 1: got no error")
	}
}

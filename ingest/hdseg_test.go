package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

func hdsegFiles() []member {
	const im, an = "HDSeg/images/HorseSeg/", "HDSeg/annotations/HorseSeg/"
	return []member{
		{"HDSeg/README", nil},
		{im + "voc12/2007_000001.JPEG", jpegBytes(40, 30, 1)}, {an + "voc12/2007_000001.gt.png", grayMask(40, 30, 0, 255)},
		{im + "n02374451/n02374451_1.JPEG", jpegBytes(40, 30, 2)}, {an + "n02374451/n02374451_1.bb.png", grayMask(40, 30, 255, 0)},
		{im + "n02374451/n02374451_2.JPEG", jpegBytes(40, 30, 3)}, {an + "n02374451/n02374451_2.no.png", grayMask(40, 30, 0, 0, 255)},
		{im + "n02374451/n02374451_4.JPEG", jpegBytes(40, 30, 4)},
		{an + "n02374451/n02374451_5.no.png", grayMask(40, 30, 0, 255)},
		{im + "test/n02374451_9.JPEG", jpegBytes(40, 30, 5)}, {an + "test/17_n02374451_9_mask.png", grayMask(40, 30, 0, 255)},
		{im + "test/meadow-3.JPEG", jpegBytes(40, 30, 6)}, {an + "test/meadow-3.png", grayMask(40, 30, 255, 0)},
		{im + "test/2008_000008.JPEG", jpegBytes(40, 30, 7)}, {an + "test/2008_000008.gt.png", grayMask(40, 30, 255, 0)},
		{an + "n02374451/strange.png", nil},
		{"HDSeg/annotations/DogSeg/voc12/2007_000001.gt.png", grayMask(40, 30, 0, 255)},
	}
}

// A published tree by itself: masks have the tier of their suffix.
func TestHDSeg(t *testing.T) {
	req := Request{Dataset: "x", Class: Horse(), HDSeg: []string{plant(t, t.TempDir(), hdsegFiles()...)}, Options: Defaults(), Workers: 2, Version: "test"}
	res, _ := mustIngest(t, req)
	var got []string
	for _, r := range res.Manifest.Records {
		m := r.Masks[0]
		got = append(got, fmt.Sprint(name(&r), " ", r.Tier, " ", m.Tier, " ", m.Figure, " ", m.WasGeneratedBy))
	}
	want := []string{
		"train/2007_000001 manual manual 600 ingest/hdseg", "train/n02374451_1 bbox bbox 600 ingest/hdseg",
		"train/n02374451_2 label label 390 ingest/hdseg", "test/2008_000008 manual manual 600 ingest/hdseg", "test/meadow-3 manual manual 600 ingest/hdseg", "test/n02374451_9 manual manual 600 ingest/hdseg",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if r := reasons(res); len(r) != 2 || r[1] != "n02374451_5 missing_image" || !strings.HasSuffix(r[0], "strange.png bad_name") {
		t.Errorf("got skips %v", r)
	}
	if res.Other["image_without_mask"] != 1 || res.Other["other_dataset"] != 1 {
		t.Errorf("got %v", res.Other)
	}
	req.Class = manifests.Class{Name: "cat"}
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "annotations of catseg (got [DogSeg HorseSeg])") {
		t.Errorf("got %v", err)
	}
}

// Beside other sources, its masks become a tier of their own on their pictures, and one that cannot be used costs only itself.
func TestHDSegAttached(t *testing.T) {
	req := world(t)
	files := hdsegFiles()
	files = append(files, member{"HDSeg/annotations/HorseSeg/n02374451/n02374451_3.no.png", grayMask(41, 30, 0, 255)},
		member{"HDSeg/annotations/HorseSeg/n02374451/n02374451_10.bb.png", []byte("x")})
	req.HDSeg = []string{plant(t, t.TempDir(), files...)}
	res, _ := mustIngest(t, req)
	for id, want := range map[string]string{
		"2007_000001": "manual [external:hdseg manual]", "n02374451_1": "bbox [external:hdseg]", "n02374451_2": "bbox [external:hdseg]",
		"n02374451_3": "label []", "n02374451_10": "label []", "n02374451_9": "manual [manual]",
	} {
		r := record(t, res, id)
		tiers := []string{}
		for _, m := range r.Masks {
			tiers = append(tiers, string(m.Tier))
		}
		if got := fmt.Sprintf("%s %v", r.Tier, tiers); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	r := record(t, res, "n02374451_1")
	if m := r.Masks[0]; m.WasGeneratedBy != "ingest/hdseg" || m.WasAttributedTo != "HDSeg" || r.Source != "imagenet" || !strings.HasPrefix(m.Path, "masks/hdseg/n02374451/") {
		t.Errorf("got %+v", r)
	}
	got := reasons(res)
	if !slices.Contains(got, "n02374451_3 mask_size") || !slices.Contains(got, "n02374451_10 corrupt_mask") || !slices.Contains(got, "n02374451_5 missing_image") {
		t.Errorf("got %v", got)
	}
}

package ingest

import (
	"fmt"
	"os"
	"path/filepath"
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
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "got no annotations of catseg; want annotations/catseg/FOLDER/ID.gt.png, ID.bb.png or ID.no.png; got the data sets DogSeg, HorseSeg") {
		t.Errorf("got %v", err)
	}
}

// A feature file beside the annotations is held against them: its order names every image and tier.
func TestHDSegFeatures(t *testing.T) {
	features, err := os.ReadFile(filepath.Join("..", "manifests", "format", "hdf5", "testdata", "earliest.h5")) // imga_2007_000000 to 2
	if err != nil {
		t.Fatal(err)
	}
	const im, an = "HDSeg/images/HorseSeg/voc12/", "HDSeg/annotations/HorseSeg/voc12/"
	files := []member{
		{im + "2007_000000.JPEG", jpegBytes(40, 30, 1)}, {an + "2007_000000.gt.png", grayMask(40, 30, 0, 255)},
		{im + "2007_000001.JPEG", jpegBytes(40, 30, 2)}, {an + "2007_000001.no.png", grayMask(40, 30, 0, 255)}, // another tier
		{"data/horse-features.bin", features}, {"data/horse-features-test.bin", features[:50]}, {"data/dog-features.bin", nil},
		{"data/horse-superpixels/000000.png", nil}, {"data/horse-superpixels/000001.png", nil},
	}
	for _, root := range []string{plant(t, t.TempDir(), files...), archiveFile(t, "HDSeg.tar", tarOf(files...)), archiveFile(t, "HDSeg.tar.gz", gz(tarOf(files...)))} {
		req := Request{Dataset: "x", Class: Horse(), HDSeg: []string{root}, Options: Defaults(), Workers: 1, Version: "test"}
		res, _ := mustIngest(t, req)
		got := strings.Join(reasons(res), "\n")
		if len(reasons(res)) != 3 || !strings.Contains(got, "2007_000001 feature_without_mask\n2007_000002 feature_without_mask") || !strings.Contains(got, "data/horse-features-test.bin bad_feature_file") {
			t.Errorf("%s: got %v", root, res.Manifest.Skipped)
		}
		if res.Kept != 2 || res.Other["hdseg_features"] != 3 || res.Other["hdseg_superpixels"] != 2 || res.Other["other_dataset"] != 1 {
			t.Errorf("%s: kept %d, %v", root, res.Kept, res.Other)
		}
	}
	for _, c := range []struct {
		image, annotation string
		test              bool
		want              string
	}{
		{"imgb_n02374451_7.x", "annob_n02374451_7.y", false, "n02374451/n02374451_7 bbox"},
		{"imgc_2008_000008", "annoc_2008_000008", false, "voc12/2008_000008 label"},
		{"n02374451_9.JPEG", "17_n02374451_9_mask.png", true, "test/n02374451_9 manual"},
		{"imga_2007_1", "annob_2007_1", false, "error"},
		{"imga_2007_1", "annoa_2007_2", false, "error"},
		{"imga_2007_1", "strange", false, "error"},
		{"x", "x.jpg", true, "error"},
	} {
		key, tier, err := (&lister{}).featureKey(c.image, c.annotation, c.test)
		got := key + " " + string(tier)
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%+v: got %s, %v", c, got, err)
		}
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

// The case of a mask's extension does not matter.
func TestHDSegNameCase(t *testing.T) {
	for _, c := range []struct{ folder, base, id string }{{"voc12", "a.gt.PNG", "a"}, {"voc12", "A.GT.png", "A"}, {"test", "b.GT.PNG", "b"}, {"test", "c.PNG", "c"}} {
		if id, tier, ok := (&lister{}).hdsegName(c.folder, c.base); !ok || id != c.id || tier != manifests.Manual {
			t.Errorf("%s: got %q, %v, %v", c.base, id, tier, ok)
		}
	}
}

package export

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// oddWorld is a set of pictures whose names ingest had to escape, look like other names of the format, or are nearly too long, and of masks without figure.
func oddWorld(t *testing.T) (*manifests.Store, *manifests.Manifest) {
	t.Helper()
	s, m := horseWorld(t)
	m.Records = nil
	add := func(id string, split manifests.Split, boxes int) *manifests.Record {
		m.Records = append(m.Records, drawn(t, s, id, split, manifests.Manual, 1, boxes, manifests.Manual))
		return &m.Records[len(m.Records)-1]
	}
	for _, id := range []string{"a%20b", "a%2520b", "a.jpg", "%43ON", "%2Ehidden", "n02374451_9-%C3%BC", "sub%2Fc%2Cd", strings.Repeat("%20", 54) + "-0123456789abcdef"} {
		add(id, manifests.Train, 1)
	}
	add("my%20n02374451_70", manifests.Test, 1)
	void := func(r *manifests.Record, value uint8) {
		k, mask := &r.Masks[0], raster.NewMask(r.Image.Width, r.Image.Height)
		mask.Set(3, 3, value)
		var err error
		if k.Path, k.SHA256, err = s.Put("masks/manual", r.ID, "png", raster.EncodeMaskPNG(mask)); err != nil {
			t.Fatal(err)
		}
		_, k.Figure, k.Void = mask.Areas()
		k.Status = "empty"
	}
	void(add("empty", manifests.Train, 0), raster.Ground)
	void(add("empty-boxed", manifests.Train, 1), raster.Ground)
	void(add("empty-test", manifests.Test, 0), raster.Ground)
	void(add("void", manifests.Train, 0), raster.Void)
	if _, err := manifests.Write(s, "horseseg", m); err != nil {
		t.Fatal(err)
	}
	return s, m
}

// Names that were escaped, and masks without figure, come back from each format as they were exported.
func TestRestoreOddNames(t *testing.T) {
	s, m := oddWorld(t)
	for i, f := range exported {
		t.Run(f.format, func(t *testing.T) {
			_, got, n := reread(t, s, m, i, nothing)
			if n != len(m.Records) {
				t.Errorf("restored %d of %d", n, len(m.Records))
			}
			for _, k := range got.Skipped {
				t.Errorf("skipped %+v", k)
			}
			got.Header = m.Header
			for _, d := range manifests.Diff(m, got) {
				t.Errorf("%+v", d)
			}
			for k := range min(len(m.Records), len(got.Records)) {
				if !reflect.DeepEqual(got.Records[k], m.Records[k]) {
					t.Errorf("got  %+v\nwant %+v", got.Records[k], m.Records[k])
				}
			}
		})
	}
}

// A whole image folder that is named as training data keeps its test split, and says so.
func TestRestoreWholeFolder(t *testing.T) {
	s, m := oddWorld(t)
	whole := func(out string, r *ingest.Request) []string {
		r.Folders = []string{out}
		return r.Folders
	}
	back, got, sources := reingest(t, s, m, Options{Format: "imagefolder"}, whole, nothing)
	all, err := ReadCarried(sources)
	if err != nil {
		t.Fatal(err)
	}
	if n, not, missing, err := all.Restore(back, got); err != nil || n != len(m.Records) || not+missing != 0 {
		t.Errorf("restored %d of %d, %d not, %d missing: %v", n, len(m.Records), not, missing, err)
	}
	if d := manifests.Diff(m, got); len(d) > 0 {
		t.Errorf("%+v", d)
	}
}

// A test picture that somebody redrew is no training picture for that, and one that was taken away is counted.
func TestRestoreChanged(t *testing.T) {
	s, m := oddWorld(t)
	for _, i := range []int{2, 3} { // VOC, image folder
		f := exported[i]
		t.Run(f.format, func(t *testing.T) {
			back, got, sources := reingest(t, s, m, Options{Format: f.format}, f.source, func(out string) {
				mask, gone := "VOCdevkit/VOC2012/SegmentationClass/", "VOCdevkit/VOC2012/JPEGImages/a%20b.jpg"
				if f.format == "imagefolder" {
					mask, gone = "test/masks/", "train/images/a%20b.jpg"
				}
				im := &m.Records[slices.IndexFunc(m.Records, func(r manifests.Record) bool { return r.ID == "my%20n02374451_70" })].Image
				err := os.WriteFile(filepath.Join(out, mask+"my%20n02374451_70.png"), raster.EncodeMaskPNG(raster.NewMask(im.Width, im.Height)), 0o666)
				if err == nil {
					err = os.Remove(filepath.Join(out, gone))
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			all, err := ReadCarried(sources)
			if err != nil {
				t.Fatal(err)
			}
			_, _, missing, err := all.Restore(back, got)
			if err != nil || missing != 1 {
				t.Errorf("%d missing, %v; want 1", missing, err)
			}
			tests := 0
			for _, r := range got.Records {
				if r.Split == manifests.Test {
					tests++
				}
			}
			if tests != 2 {
				t.Errorf("%d test records, want 2", tests)
			}
		})
	}
}

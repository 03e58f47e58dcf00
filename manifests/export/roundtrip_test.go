package export_test

import (
	"path/filepath"
	"slices"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests"
	. "hdseg/manifests/export"
)

// What ingest reads of an export is the data set again: the same ids, splits, tiers, picture bytes and mask pixels, and the boxes. Only
// where it was read from differs, and that settles: exported and read once more, the manifest is equal but for its header.
func TestRoundTrip(t *testing.T) {
	s, m := horseWorld(t)
	for i := range m.Records { // a reader that ignores EXIF tags gives stored pixels: see TestForeignReaders for the others
		if m.Records[i].Image.Orientation != 1 {
			m.Records[i].ID = "" // marked
		}
		m.Records[i].Masks = slices.DeleteFunc(m.Records[i].Masks, func(k manifests.Mask) bool { return k.Tier == "external:sam" })
	}
	m.Records = slices.DeleteFunc(m.Records, func(r manifests.Record) bool { return r.ID == "" })
	coco := func(out string, r *ingest.Request) {
		r.COCO = []ingest.COCO{{Instances: filepath.Join(out, "annotations/instances_train.json"), Images: filepath.Join(out, "train")}}
	}
	for _, f := range exported {
		t.Run(f.format, func(t *testing.T) {
			o, source := Options{Format: f.format}, f.source
			switch f.format {
			case "coco":
				o.Splits, source = []manifests.Split{manifests.Train}, coco
			case "voc":
				o.Splits = []manifests.Split{manifests.Train}
			}
			once := func(s *manifests.Store, m *manifests.Manifest) (*manifests.Store, *manifests.Manifest) {
				back, res := reingest(t, s, m, o, source, nothing, false)
				if len(res.Manifest.Skipped) > 0 {
					t.Fatalf("ingest skips: %v", res.Manifest.Skipped)
				}
				return back, res.Manifest
			}
			s1, m1 := once(s, m)
			compared := compareContent(t, m, m1, o.Splits, f.format == "hdseg", f.format == "coco")
			if f.format == "coco" { // pictures without boxes get one, which the second export lists
				s1, m1 = once(s1, m1)
			}
			_, m2 := once(s1, m1)
			m1.Header, m2.Header = manifests.Header{}, manifests.Header{}
			for _, d := range manifests.Diff(m1, m2) {
				t.Errorf("the second time: %+v", d)
			}
			if want := 5 - 2*len(o.Splits); compared != want { // two of them are test records
				t.Errorf("compared %d records, want %d", compared, want)
			}
		})
	}
}

// compareContent holds what was read back against what was exported.
func compareContent(t *testing.T, m, back *manifests.Manifest, splits []manifests.Split, tiers, boundsForNone bool) (n int) {
	t.Helper()
	read := map[string]*manifests.Record{}
	for i := range back.Records {
		read[string(back.Records[i].Split)+back.Records[i].ID] = &back.Records[i]
	}
	for i := range m.Records {
		a := &m.Records[i]
		if splits != nil && !slices.Contains(splits, a.Split) {
			continue
		}
		n++
		b := read[string(a.Split)+a.ID]
		if b == nil {
			t.Errorf("%s: not read back", a.ID)
			continue
		}
		if a.Image.SHA256 != b.Image.SHA256 || a.Image.Pixels != b.Image.Pixels || a.Image.Width != b.Image.Width || a.Image.Height != b.Image.Height {
			t.Errorf("%s: another picture", a.ID)
		}
		if !tiers {
			if !slices.Equal(a.Boxes, b.Boxes) && !(boundsForNone && len(b.Boxes) <= len(a.Boxes)+1) {
				t.Errorf("%s: boxes: got %v, want %v", a.ID, b.Boxes, a.Boxes)
			}
			if len(b.Masks) != 1 || b.Masks[0].SHA256 != a.Masks[0].SHA256 {
				t.Errorf("%s: another mask", a.ID)
			}
			continue
		}
		if a.Tier != b.Tier || len(a.Masks) != len(b.Masks) {
			t.Fatalf("%s: got tier %s and %d masks, want %s and %d", a.ID, b.Tier, len(b.Masks), a.Tier, len(a.Masks))
		}
		for k := range a.Masks {
			if a.Masks[k].Tier != b.Masks[k].Tier || a.Masks[k].SHA256 != b.Masks[k].SHA256 {
				t.Errorf("%s: another %s mask", a.ID, a.Masks[k].Tier)
			}
		}
	}
	if n != len(back.Records) {
		t.Errorf("read %d records, want %d", len(back.Records), n)
	}
	return n
}

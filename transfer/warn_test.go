package transfer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// stored returns the file of a record's mask.
func stored(t *testing.T, store *manifests.Store, r *manifests.Record, tier manifests.Tier) string {
	t.Helper()
	ref, ok := r.MaskOf(tier)
	name, err := store.Path(ref.Path)
	if !ok || err != nil {
		t.Fatalf("%s: mask of tier %s: %v, %v", r.ID, tier, ok, err)
	}
	return name
}

// A source whose mask is damaged is left out; when its bytes are back, so is the source, and a damaged result is made again: the bytes are those
// of a run to which nothing happened. Two runs without the source are equal in folders of different names.
func TestRunHeals(t *testing.T) {
	clean, store, _ := world(t, t.TempDir())
	want := run(t, clean, store, 2)

	var broken []*Result
	for _, dir := range []string{"a", "longer"} {
		m, store, _ := world(t, filepath.Join(t.TempDir(), dir))
		name := stored(t, store, &m.Records[9], manifests.Manual)
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		first := run(t, m, store, 2)
		if k := first.Manifest.Skipped; len(k) != 1 || k[0].Record != "m0" || k[0].Reason != SkipMask || strings.Contains(k[0].Detail, store.Dir()) {
			t.Errorf("got %+v skipped, want m0 without a folder's name", k)
		}
		if again := run(t, m, store, 2); !reflect.DeepEqual(again.Manifest, first.Manifest) || !reflect.DeepEqual(again.CPUms, first.CPUms) {
			t.Error("the same without the source: made again, or another manifest")
		}
		broken = append(broken, first)
		if err := os.WriteFile(name, good, 0o666); err != nil {
			t.Fatal(err)
		}
		healed := run(t, m, store, 2)
		if !reflect.DeepEqual(healed.Manifest, want.Manifest) {
			t.Error("with the source back: another manifest than of a clean run")
		}
		if err := os.WriteFile(stored(t, store, &healed.Manifest.Records[2], manifests.BBox), []byte("junk"), 0o666); err != nil {
			t.Fatal(err)
		}
		if last := run(t, m, store, 2); !reflect.DeepEqual(last.Manifest, want.Manifest) {
			t.Error("after a mask was damaged: another manifest than of a clean run")
		}
		r := &want.Manifest.Records[2]
		if _, err := loadMask(store, r, r.Masks[0]); err != nil {
			t.Errorf("a damaged mask was not made again: %v", err)
		}
	}
	if !reflect.DeepEqual(broken[0].Manifest, broken[1].Manifest) {
		t.Error("without a source: the manifest depends on the folder's name")
	}
}

// Without a source every mask carries a status, and a warning per tier says so.
func TestRunWithoutSources(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m.Records = slices.DeleteFunc(m.Records, func(r manifests.Record) bool { return r.Tier == manifests.Manual })
	res := run(t, m, store, 2)
	if w := res.Warnings; len(w) != 2 || !strings.Contains(w[0], "6 bbox images") || !strings.Contains(w[1], "3 label images") {
		t.Errorf("got warnings %q, want one of 6 bbox images and one of 3 label images", w)
	}
	for _, r := range res.Manifest.Records {
		if k, ok := r.MaskOf(r.Tier); !ok || k.Status == "" {
			t.Errorf("%s: got %+v, want a mask with a status", r.ID, k)
		}
	}
}

// A source without an object is named once, whether its expert was learned or recalled, by the first of many.
func TestRunSmallSources(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	for i := range m.Records {
		r := &m.Records[i]
		if r.ID != "m3" && r.ID != "m5" {
			continue
		}
		k, err := loadMask(store, r, r.Masks[0])
		if err != nil {
			t.Fatal(err)
		}
		clear(k.Pix)
		k.Set(1, 1, raster.Figure)
		if r.Masks[0].Path, r.Masks[0].SHA256, err = store.Put("masks/manual", r.ID, "png", raster.EncodeMaskPNG(k)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		res := run(t, m, store, 2)
		if w := res.Warnings; len(w) != 1 || !strings.HasSuffix(w[0], "(transfer.pool.minAreaPx): m3, m5") || len(res.Manifest.Skipped) > 0 {
			t.Errorf("got warnings %q and skips %+v, want one warning that names m3 and m5", w, res.Manifest.Skipped)
		}
	}
	var ids []string
	for i := range maxNamed + 2 {
		ids = append(ids, fmt.Sprintf("m%02d", i), "m00")
	}
	var many Result
	if many.warnSmall(ids, Defaults()); !strings.HasSuffix(many.Warnings[0], "m08, m09 and 2 more") {
		t.Errorf("got %q", many.Warnings)
	}
}

// Round label on what has no bbox masks says of how many; one that was skipped could not have any.
func TestRoundLabelWithoutMasks(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m.Skipped = []manifests.Skip{{Record: "b0", Reason: SkipNoBox, Detail: "transfer: b0: boxes: none"}}
	m.Records[2].Masks = []manifests.Mask{transferred(manifests.BBox, "sum", "model")}
	warnings := func(o Options, round manifests.Tier) []string {
		t.Helper()
		res, err := RunPart(context.Background(), m, store, o, Part{Round: round, LearnOnly: true}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res.Warnings
	}
	o := small()
	if w := warnings(o, manifests.Label); len(w) != 1 || !strings.HasPrefix(w[0], "4 of 6 bbox images have no mask from which the label tier could learn, the first is b1:") {
		t.Errorf("got warnings %q, want one of 4 images", w)
	}
	o.Staged = false
	if w := append(warnings(o, manifests.Label), warnings(small(), manifests.BBox)...); len(w) != 0 {
		t.Errorf("not staged, or round bbox: got warnings %q", w)
	}
}

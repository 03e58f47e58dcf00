package transfer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// beast draws a two-legged shape of one colour on noise at a random place and returns its box.
func beast(r *rand.Rand) (*raster.RGB, *raster.Mask, manifests.Box) {
	w, h := 90+r.IntN(20), 70+r.IntN(20)
	im, m := raster.NewRGB(w, h), raster.NewMask(w, h)
	b := manifests.Box{XMin: 15 + r.IntN(15), YMin: 12 + r.IntN(10)}
	b.XMax, b.YMax = b.XMin+40+r.IntN(10), b.YMin+36+r.IntN(8)
	for y := range h {
		for x := range w {
			im.Set(x, y, uint8(60+r.IntN(60)), uint8(110+r.IntN(60)), uint8(50+r.IntN(60)))
			u, v := float64(x-b.XMin)/float64(b.XMax-b.XMin), float64(y-b.YMin)/float64(b.YMax-b.YMin)
			inside := u >= 0 && u < 1 && v >= 0 && v < 1 && (v < 0.5 || u < 0.25 || u >= 0.75)
			if inside {
				im.Set(x, y, uint8(130+r.IntN(40)), uint8(80+r.IntN(40)), uint8(60+r.IntN(40)))
				m.Set(x, y, raster.Figure)
			}
		}
	}
	return im, m, b
}

// world is a store with manual, bbox, label and test records of beasts, and the true masks by id.
func world(t *testing.T, dir string) (*manifests.Manifest, *manifests.Store, map[string]*raster.Mask) {
	t.Helper()
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	m := &manifests.Manifest{Header: manifests.Header{Version: "v9", Class: manifests.Class{Name: "beast"}}}
	truth := map[string]*raster.Mask{}
	add := func(id string, split manifests.Split, tier manifests.Tier) {
		truth[id] = addBeast(t, m, store, r, id, split, tier)
	}
	for i := range 6 {
		add(fmt.Sprintf("b%d", i), manifests.Train, manifests.BBox)
	}
	for i := range 3 {
		add(fmt.Sprintf("l%d", i), manifests.Train, manifests.Label)
	}
	for i := range 8 {
		add(fmt.Sprintf("m%d", i), manifests.Train, manifests.Manual)
	}
	for i := range 2 {
		add(fmt.Sprintf("t%d", i), manifests.Test, manifests.Manual)
	}
	return m, store, truth
}

// addBeast draws a beast, makes it the last record of m and returns its true mask.
func addBeast(t *testing.T, m *manifests.Manifest, store *manifests.Store, r *rand.Rand, id string, split manifests.Split, tier manifests.Tier) *raster.Mask {
	t.Helper()
	im, mask, box := beast(r)
	rec := manifests.Record{ID: id, Split: split, Tier: tier, Image: manifests.Image{Width: im.Width, Height: im.Height, Orientation: 1}}
	var err error
	if rec.Image.Path, rec.Image.SHA256, err = store.Put("images", id, "png", raster.EncodePNG(im)); err != nil {
		t.Fatal(err)
	}
	switch tier {
	case manifests.Manual:
		ref := manifests.Mask{Tier: tier}
		if ref.Path, ref.SHA256, err = store.Put("masks/manual", id, "png", raster.EncodeMaskPNG(mask)); err != nil {
			t.Fatal(err)
		}
		rec.Masks = []manifests.Mask{ref}
	case manifests.BBox:
		rec.Boxes = []manifests.Box{box}
	}
	m.Records = append(m.Records, rec)
	return mask
}

// small returns options that learn in a second.
func small() Options {
	o := Defaults()
	o.windows.Side, o.scenes.Side = 48, 64
	o.windows.Trees.Trees, o.scenes.Trees.Trees = 20, 20
	return o
}

func run(t *testing.T, m *manifests.Manifest, store *manifests.Store, workers int) *Result {
	t.Helper()
	phases := map[string][2]int{} // how far they are, of how many
	res, err := Run(context.Background(), m, store, small(), workers, func(phase string) func(done, total int) {
		if _, again := phases[phase]; again {
			t.Errorf("phase %q begins again", phase)
		}
		return func(done, total int) {
			if last, ok := phases[phase]; done != last[0]+1 || done > total || ok && total != last[1] {
				t.Errorf("%s: progress went from %v to %d of %d", phase, last, done, total)
			}
			phases[phase] = [2]int{done, total}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"learning the class model (tier bbox)", "learning the class model for a second look (tier label)"} {
		if _, ok := phases[want]; !ok && workers == 1 {
			t.Errorf("no phase %q in %v", want, phases)
		}
	}
	for phase, at := range phases {
		if at[0] != at[1] {
			t.Errorf("%s: ended at %d of %d", phase, at[0], at[1])
		}
	}
	return res
}

func TestRun(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	// A test record's mask must not be needed, let alone used.
	if err := os.Remove(filepath.Join(store.Dir(), filepath.FromSlash(m.Records[len(m.Records)-1].Masks[0].Path))); err != nil {
		t.Fatal(err)
	}
	res := run(t, m, store, 2)
	for i := range res.Manifest.Records {
		r := &res.Manifest.Records[i]
		if r.Tier == manifests.Manual {
			if len(r.Masks) != 1 {
				t.Errorf("%s: got %d masks, want its own only", r.ID, len(r.Masks))
			}
			continue
		}
		ref, ok := r.MaskOf(r.Tier)
		if !ok {
			t.Errorf("%s: no mask", r.ID)
			continue
		}
		mask, err := loadMask(store, r, ref)
		if err != nil {
			t.Fatal(err)
		}
		if _, figure, void := mask.Areas(); figure != ref.Figure || void != ref.Void {
			t.Errorf("%s: mask has %d figure and %d void pixels, its entry says %d and %d", r.ID, figure, void, ref.Figure, ref.Void)
		}
		if got := iou(confusion(truth[r.ID], mask)); r.Tier == manifests.BBox && got < 0.9 {
			t.Errorf("%s: IoU %.2f, want 0.9 on a scene this plain", r.ID, got)
		}
		if ref.WasGeneratedBy != "transfer/"+string(r.Tier) || ref.WasAttributedTo != "hdseg@v9" || ref.Used[0] != r.Image.SHA256 || len(ref.WasDerivedFrom) == 0 {
			t.Errorf("%s: provenance %+v", r.ID, ref.Provenance)
		}
		for _, id := range ref.WasDerivedFrom {
			if !strings.HasPrefix(id, "m") && !(r.Tier == manifests.Label && strings.HasPrefix(id, "b")) {
				t.Errorf("%s: derived from %s, want manual training records, and boxed ones for the label tier", r.ID, id)
			}
		}
	}
	if len(m.Records[0].Masks) != 0 {
		t.Error("the input manifest was changed")
	}
}

// quiet is a progress that nobody sees.
func quiet(string) func(done, total int) { return func(int, int) {} }

func TestRunSameForAnyWorkers(t *testing.T) {
	m1, s1, _ := world(t, t.TempDir())
	m2, s2, _ := world(t, t.TempDir())
	if a, b := run(t, m1, s1, 1), run(t, m2, s2, 8); !reflect.DeepEqual(a.Manifest, b.Manifest) {
		t.Error("1 and 8 workers made different manifests")
	}
}

// A run that is stopped half-way and called again makes what one run makes, without the finished part.
func TestRunResumes(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, m, store, small(), 1, func(phase string) func(done, total int) {
		return func(done, _ int) {
			if phase == "cutting out figures (tier label)" && done == 1 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want a canceled run", err)
	}
	entries, err := filepath.Glob(filepath.Join(store.Dir(), ".work/transfer/image/*/*"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no journal entries: %v", err)
	}
	// One entry is torn and one mask is lost: both are done again.
	if err := os.WriteFile(entries[0], []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	masks, _ := filepath.Glob(filepath.Join(store.Dir(), "masks/bbox/*"))
	if err := os.Remove(masks[0]); err != nil {
		t.Fatal(err)
	}
	got := run(t, m, store, 2)
	m2, s2, _ := world(t, t.TempDir())
	if want := run(t, m2, s2, 2); !reflect.DeepEqual(got.Manifest, want.Manifest) {
		t.Error("the resumed run made another manifest")
	}
	if again := run(t, m, store, 2); !reflect.DeepEqual(again.CPUms, got.CPUms) {
		t.Error("a third run did work again: its times differ")
	}
}

// A class model that was finished before the run stopped is not learned again, and the masks are those of one run.
func TestRunKeepsClassModels(t *testing.T) {
	m2, s2, _ := world(t, t.TempDir())
	want := run(t, m2, s2, 1)
	const first, second = "learning the class model (tier label)", "learning the class model for a second look (tier label)"
	for stop, again := range map[string][]string{ // what is learned again
		first: {first, second}, second: {second}, "learning how good masks are (tier label)": nil,
	} {
		m, store, _ := world(t, t.TempDir())
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Run(ctx, m, store, small(), 1, func(phase string) func(done, total int) {
			return func(done, _ int) {
				if phase == stop && done == 2 {
					cancel()
				}
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: got %v, want a canceled run", stop, err)
		}
		var learned []string
		got, err := Run(context.Background(), m, store, small(), 1, func(phase string) func(done, total int) {
			if phase == first || phase == second {
				learned = append(learned, phase)
			}
			return func(int, int) {}
		})
		if err != nil || !reflect.DeepEqual(got.Manifest, want.Manifest) || !slices.Equal(learned, again) {
			t.Errorf("stopped at %q: learned %q again, want %q; the same manifest: %v; %v", stop, learned, again, err == nil && reflect.DeepEqual(got.Manifest, want.Manifest), err)
		}
		if left, _ := filepath.Glob(filepath.Join(store.Dir(), ".work/transfer/model/*/*")); len(left) > 0 {
			t.Errorf("stopped at %q: models are left beside the expert: %v", stop, left)
		}
	}
}

func TestRunSkips(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m.Records[0].Image.SHA256 = manifests.Sum([]byte("other"))
	m.Records[1].Boxes = []manifests.Box{{XMin: 500, YMin: 5, XMax: 600, YMax: 50}}
	m.Records[2].Image.Width++
	m.Records[9].Masks[0].SHA256 = manifests.Sum([]byte("other"))
	res := run(t, m, store, 2)
	var got []string
	for _, s := range res.Manifest.Skipped {
		got = append(got, s.Record+" "+s.Reason)
		if !strings.HasPrefix(s.Detail, "transfer: "+s.Record+": ") {
			t.Errorf("detail %q does not name the stage and record", s.Detail)
		}
	}
	want := []string{"b0 corrupt_image", "b1 no_box", "b2 corrupt_image", "m0 corrupt_mask"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A person's revision of a transferred mask stays.
func TestRunKeepsRevisions(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m.Records[0].Masks = []manifests.Mask{{Tier: manifests.BBox, Revision: 1, Provenance: manifests.Provenance{WasGeneratedBy: "annotate"}}}
	res := run(t, m, store, 2)
	if got := res.Manifest.Records[0].Masks; !reflect.DeepEqual(got, m.Records[0].Masks) {
		t.Errorf("got %+v, want the annotated mask untouched", got)
	}
}

func TestEvaluate(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	res := run(t, m, store, 2)
	dir := t.TempDir()
	for _, id := range []string{"b0", "b1", "l2"} {
		writeTruth(t, filepath.Join(dir, id+".png"), truth[id])
	}
	rep, err := Evaluate(res.Manifest, store, dir, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := rep.Rows
	if len(rows) != 2 || rows[0].Tier != manifests.BBox || rows[0].Images != 2 || rows[1].Images != 1 || rows[0].Class != "beast" {
		t.Fatalf("got %+v, want two images of the bbox tier and one of the label tier", rows)
	}
	if rows[0].IoUMean < 0.9 || rows[0].PerClassMean < 90 || rows[0].IoUPooled < 0.9 {
		t.Errorf("got %+v, want at least 0.9", rows[0])
	}
	if v := rows[0]; !v.CPUms.OK || v.CPUms.V <= 0 || !v.BoundaryF.OK || v.IoUInterval.Low.V > v.IoUMean || v.IoUInterval.High.V < v.IoUMean {
		t.Errorf("got %+v, want the journal's time, a boundary score and an interval around the mean", v)
	}
	if none, err := Evaluate(res.Manifest, store, dir, 1.1, nil); err != nil || len(none.Rows) != 0 {
		t.Errorf("predicted IoU of 1.1 and more: got %+v, %v, want no rows", none, err)
	}
	for want, in := range map[string]struct {
		m   *manifests.Manifest
		dir string
	}{
		"no such file":               {res.Manifest, filepath.Join(dir, "nowhere")},
		"such as b0.png":             {res.Manifest, t.TempDir()},
		"nothing of the bbox or lab": {m, dir},
	} {
		if _, err := Evaluate(in.m, store, in.dir, 0, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// Two shards a round, merged, make what one run makes; also of what an earlier transfer left.
func TestShards(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m2, s2, _ := world(t, t.TempDir())
	for _, m := range []*manifests.Manifest{m, m2} {
		m.Records[0].Image.SHA256 = manifests.Sum([]byte("other")) // a skip in shard 0
		for i := range 2 {
			m.Records[i].Masks = []manifests.Mask{transferred(manifests.BBox, "old", "older")}
		}
		m.Skipped = []manifests.Skip{{Record: "b1", Reason: SkipImage, Detail: "transfer: b1: it could not be read"}, {Record: "x", Reason: SkipImage, Detail: "ingest: x"}}
	}
	want := run(t, m2, s2, 2).Manifest
	if _, err := RunPart(context.Background(), m, store, small(), Part{Count: 2}, 1, nil); err == nil {
		t.Error("shards of both rounds at once: no error")
	}
	got := m
	for _, round := range []manifests.Tier{manifests.BBox, manifests.Label} {
		var shards []Shard
		for k := range 2 {
			res, err := RunPart(context.Background(), got, store, small(), Part{Round: round, Index: k, Count: 2}, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			shards = append([]Shard{{Name: fmt.Sprint(k), Manifest: res.Manifest}}, shards...) // the last first
		}
		if _, err := mergeAll(got, round, shards[1:]); err == nil { // the old mask is not taken for what the other made
			t.Error("a shard is forgotten: no error")
		}
		merged, err := mergeAll(got, round, shards)
		if err != nil {
			t.Fatal(err)
		}
		got = merged
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("merged shards differ from one run")
	}
	if k := want.Skipped; len(k) != 2 || k[0].Record != "b0" || k[1].Record != "x" {
		t.Errorf("skipped: got %+v, want b0, and x of the input", k)
	}
}

package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	. "hdseg/manifests/export"
	"hdseg/manifests/load"
)

func mustRun(t testing.TB, req Request) *Result {
	t.Helper()
	req.Workers, req.Digest = 2, manifests.Sum(nil) // of all, so that nothing but the content tells exports apart
	res, err := Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Every format, read by the reader that its users have, has the pixels, boxes and counts of the data set.
func TestForeignReaders(t *testing.T) {
	s, m := horseWorld(t)
	for _, c := range []struct{ format, module, want string }{
		{"hdseg", "h5py", "equal: 13 pictures, 14 masks, 0 boxes"}, // the external mask has no place
		{"coco", "pycocotools", "equal: 13 pictures, 13 masks, 11 boxes"},
		{"voc", "xml", "equal: 13 pictures, 13 masks, 11 boxes"},
		{"imagefolder", "datasets", "equal: 13 pictures, 13 masks, 11 boxes"},
		{"croissant", "mlcroissant", "equal: 13 pictures, 13 masks, 11 boxes"},
	} {
		t.Run(c.format, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			req := Request{Options: Options{Format: c.format, Polygons: c.format == "coco"}, Manifest: m, Store: s, Out: out}
			if c.format == "hdseg" {
				req.Features = drawnFeatures{t, s}
			}
			res := mustRun(t, req)
			if got := fmt.Sprintf("equal: %d pictures, %d masks, %d boxes", res.Images, res.Masks, res.Boxes); got != c.want || len(res.Skips)+len(res.Strays) != 0 {
				t.Errorf("it says %q, want %q: %+v", got, c.want, res)
			}
			if got := foreign(t, c.module, c.format, out, filepath.Join(s.Dir(), "horseseg.yaml")); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// drawnFeatures are three numbers per superpixel.
type drawnFeatures struct {
	t testing.TB
	s *manifests.Store
}

func (f drawnFeatures) segment(r *manifests.Record) *superpixel.Map {
	img, err := load.Image(f.s, r)
	if err != nil {
		f.t.Fatal(err)
	}
	o := superpixel.Defaults()
	o.Count = 40
	return superpixel.Segment(img, o)
}

func (f drawnFeatures) Pixels(r *manifests.Record) ([]int32, error) { return f.segment(r).Labels, nil }

func (f drawnFeatures) Graph(r *manifests.Record) (*Graph, error) {
	sp := f.segment(r)
	g := &Graph{N: sp.N, Dim: 3, Features: make([]float32, 3*sp.N), Edges: sp.Edges(), Labels: map[manifests.Tier][]uint8{}}
	for k := range g.Features {
		g.Features[k] = float32(k) / 4
	}
	for _, k := range r.Masks {
		mask, err := load.Mask(f.s, r, k)
		if err != nil {
			return nil, err
		}
		g.Labels[k.Tier] = superpixel.Majority(sp, mask)
	}
	return g, nil
}

// A folder never holds pieces of two exports; the same export into it again changes nothing.
func TestFolderOfItsOwn(t *testing.T) {
	s, m := horseWorld(t)
	out := filepath.Join(t.TempDir(), "out")
	req := Request{Options: Options{Format: "voc"}, Manifest: m, Store: s, Out: out}
	mustRun(t, req)
	before, err := os.ReadFile(filepath.Join(out, manifests.SumsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(out, "VOCdevkit/VOC2012/JPEGImages/2007_000033.jpg")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, req)
	after, err := os.ReadFile(filepath.Join(out, manifests.SumsFile))
	if err != nil || string(before) != string(after) {
		t.Errorf("another export: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "VOCdevkit/VOC2012/JPEGImages/2007_000033.jpg")); err != nil {
		t.Error(err)
	}
	req.Options.Format, req.Workers = "coco", 1
	if _, err := Run(t.Context(), req); err == nil {
		t.Error("a second format went into the folder of the first")
	}
}

// A picture that is damaged in the store is left out and counted; the rest is exported.
func TestDamagedPicture(t *testing.T) {
	s, m := horseWorld(t)
	p, err := s.Path(m.Records[2].Image.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats {
		res := mustRun(t, Request{Options: Options{Format: f}, Manifest: m, Store: s, Out: filepath.Join(t.TempDir(), f)})
		if res.Images != 12 || len(res.Skips) != 1 || res.Skips[0].Reason != "unreadable" {
			t.Errorf("%s: got %+v", f, res)
		}
	}
}

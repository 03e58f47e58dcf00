package export_test

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests"
	. "hdseg/manifests/export"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// exported is a format and how ingest reads all of its export.
var exported = []struct {
	format string
	source func(out string, r *ingest.Request)
}{
	{"hdseg", func(out string, r *ingest.Request) {
		r.HDSeg = []string{filepath.Join(out, "HDSeg")}
	}},
	{"coco", func(out string, r *ingest.Request) {
		for _, s := range []string{"train", "test"} {
			c := ingest.COCO{Instances: filepath.Join(out, "annotations/instances_"+s+".json"), Images: filepath.Join(out, s)}
			r.COCO = append(r.COCO, c)
		}
	}},
	{"voc", func(out string, r *ingest.Request) {
		r.VOC = []string{filepath.Join(out, "VOCdevkit")}
	}},
	{"imagefolder", func(out string, r *ingest.Request) {
		r.Folders, r.Test = []string{filepath.Join(out, "train")}, filepath.Join(out, "test")
	}},
}

// reingest exports a set, calls edit on the export, and ingests what source names of it.
func reingest(t *testing.T, s *manifests.Store, m *manifests.Manifest, o Options, source func(out string, r *ingest.Request), edit func(out string), restore bool) (*manifests.Store, *ingest.Result) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if res := mustRun(t, Request{Options: o, Manifest: m, Store: s, Out: out}); len(res.Skips) > 0 {
		t.Fatalf("skips: %v", res.Skips)
	}
	edit(out)
	req := ingest.Request{Dataset: m.Dataset, Class: m.Class, Options: ingest.Defaults(), Workers: 2, Version: "test", Restore: restore}
	req.Options.MaskValues = string(format.ValuesVoid255)
	source(out, &req)
	back, err := manifests.OpenStore(filepath.Join(t.TempDir(), "back"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := ingest.Run(t.Context(), req, back, nil)
	if err != nil {
		t.Fatal(err)
	}
	return back, res
}

func nothing(string) {}

// reread is reingest of all that an export has, restored and written.
func reread(t *testing.T, s *manifests.Store, m *manifests.Manifest, i int, edit func(out string)) (*manifests.Store, *ingest.Result) {
	t.Helper()
	back, res := reingest(t, s, m, Options{Format: exported[i].format}, exported[i].source, edit, true)
	if res.Restored+res.NotRestored+res.NotFound != len(m.Records) {
		t.Errorf("got %d restored, %d not and %d not found, of %d records", res.Restored, res.NotRestored, res.NotFound, len(m.Records))
	}
	if _, err := manifests.WriteListed(back, "horseseg", res.Manifest); err != nil {
		t.Fatal(err)
	}
	return back, res
}

// Exported and ingested, the manifest is the one that was exported, apart from its header and the masks that the format has no room for: every field, whatever
// the split, the tier and the EXIF tag.
func TestRestore(t *testing.T) {
	s, m := horseWorld(t)
	m.Records[0].Masks[0].Quality, m.Records[0].Masks[0].Revision = 0.75, 3
	m.Records[1].Image.Origin = "some.tar!a/b.jpg"
	m.Records[2].Masks[0].WasGeneratedBy, m.Records[2].Masks[0].WasDerivedFrom = manifests.TransferActivity+"bbox", []string{"2007_000033"}
	m.Records[2].Masks[0].Used = []manifests.Digest{m.Records[2].Image.SHA256, m.Records[0].Image.SHA256}
	if _, err := manifests.Write(s, "horseseg", m); err != nil {
		t.Fatal(err)
	}
	for i, f := range exported {
		t.Run(f.format, func(t *testing.T) {
			want := slices.Clone(m.Records)
			for k := range want {
				r := &want[k]
				r.Masks = slices.DeleteFunc(slices.Clone(r.Masks), func(w manifests.Mask) bool {
					if f.format == "hdseg" {
						return w.Tier == "external:sam"
					}
					return w.Tier != r.Tier // the first one is of the record's own tier in this world
				})
			}
			back, res := reread(t, s, m, i, nothing)
			got, n := res.Manifest, res.Restored
			if n != len(want) || len(got.Records) != len(want) {
				t.Fatalf("restored %d of %d records, want %d", n, len(got.Records), len(want))
			}
			for k := range want {
				if !reflect.DeepEqual(got.Records[k], want[k]) {
					t.Errorf("got  %+v\nwant %+v", got.Records[k], want[k])
				}
			}
			faults, err := manifests.Check(t.Context(), back, "horseseg", manifests.CheckOptions{Workers: 2})
			if err != nil || len(faults) > 0 {
				t.Errorf("%v, %v", faults, err)
			}
			files := 0
			for _, top := range []string{"images", "masks"} {
				filepath.WalkDir(filepath.Join(back.Dir(), top), func(_ string, d os.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						files++
					}
					return err
				})
			}
			masks := 0
			for k := range want {
				masks += len(want[k].Masks)
			}
			if files != len(want)+masks {
				t.Errorf("%d files, want %d: one for each picture and mask", files, len(want)+masks)
			}
		})
	}
}

func boxText(x, y, w, h int) string { return fmt.Sprintf(`"bbox":[%d,%d,%d,%d]`, x, y, w, h) }

// A picture whose boxes or masks somebody changed in the export keeps what was read of it; the others are restored.
func TestRestoreOnlyWhatIsTheSame(t *testing.T) {
	s, m := horseWorld(t)
	_, res := reread(t, s, m, 1, func(out string) {
		name := filepath.Join(out, "annotations/instances_train.json")
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Records[2].Boxes[0]
		text := strings.Replace(string(data), boxText(b.XMin, b.YMin, b.XMax-b.XMin, b.YMax-b.YMin), boxText(b.XMin, b.YMin, b.XMax-b.XMin-1, b.YMax-b.YMin), 1)
		if text == string(data) {
			t.Fatal("the box is not there")
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	})
	if res.Restored != len(m.Records)-1 || res.NotRestored != 1 {
		t.Errorf("restored %d and %d not, want %d and 1", res.Restored, res.NotRestored, len(m.Records)-1)
	}
	for _, r := range res.Manifest.Records {
		if r.ID == m.Records[2].ID && (r.Source != "coco" || r.Masks[0].WasAttributedTo == "the test") {
			t.Errorf("the edited picture got its old provenance: %+v", r)
		}
	}
}

// A CarriedFile that is none is refused by name, with the remedy; one two folders above a plain folder is not the source's.
func TestCarriedGarbage(t *testing.T) {
	top := t.TempDir()
	source := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(top, CarriedFile)
	run := func(source string) error {
		req := ingest.Request{Dataset: "x", Class: manifests.Class{Name: "horse", VOC: 13}, VOC: []string{source}, Options: ingest.Defaults(), Workers: 1, Restore: true}
		s, err := manifests.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = ingest.Run(t.Context(), req, s, nil)
		return err
	}
	for _, text := range []string{"garbage", "{}"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(source); err == nil || strings.Contains(err.Error(), CarriedFile) {
			t.Errorf("%s two folders up: got %v; want it left alone", text, err)
		}
		err := run(filepath.Join(top, "a"))
		if err == nil || !strings.Contains(err.Error(), file+":1: ") || !strings.HasSuffix(err.Error(), "remove it or export again") {
			t.Errorf("%s: got %v, want the file and the remedy", text, err)
		}
	}
}

// pack makes an archive of a folder.
func pack(t *testing.T, dir, to string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch filepath.Ext(to) {
	case ".zip":
		z := zip.NewWriter(f)
		err = z.AddFS(os.DirFS(dir))
		err = cmp.Or(err, z.Close())
	case ".gz":
		z := gzip.NewWriter(f)
		w := tar.NewWriter(z)
		err = w.AddFS(os.DirFS(dir))
		err = cmp.Or(err, cmp.Or(w.Close(), z.Close()))
	default:
		w := tar.NewWriter(f)
		err = w.AddFS(os.DirFS(dir))
		err = cmp.Or(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An export that somebody packed into an archive comes back with the names that it had, as its folder does.
func TestRestorePacked(t *testing.T) {
	s, m := oddWorld(t)
	for _, c := range []struct {
		format, ext string
		source      func(archive, out string, r *ingest.Request)
	}{
		{"hdseg", ".tar", func(a, _ string, r *ingest.Request) { r.HDSeg = []string{a} }},
		{"voc", ".tar.gz", func(a, _ string, r *ingest.Request) { r.VOC = []string{a} }},
		{"imagefolder", ".zip", func(a, _ string, r *ingest.Request) { r.Folders = []string{a} }},
		{"imagefolder", ".tar", func(a, _ string, r *ingest.Request) { r.Folders = []string{a} }},
		{"coco", ".tar", func(a, out string, r *ingest.Request) {
			for _, s := range []string{"train", "test"} {
				images := filepath.Join(filepath.Dir(out), s+".tar")
				pack(t, filepath.Join(out, s), images)
				r.COCO = append(r.COCO, ingest.COCO{Instances: filepath.Join(out, "annotations/instances_"+s+".json"), Images: images})
			}
		}},
	} {
		t.Run(c.format+c.ext, func(t *testing.T) {
			_, res := reingest(t, s, m, Options{Format: c.format}, func(out string, r *ingest.Request) {
				archive := out + c.ext
				pack(t, out, archive)
				if c.format != "coco" {
					if err := os.RemoveAll(out); err != nil {
						t.Fatal(err)
					}
				}
				c.source(archive, out, r)
			}, nothing, true)
			got := res.Manifest
			if res.Restored != len(m.Records) || res.NotRestored+res.NotFound != 0 {
				t.Errorf("restored %d of %d, %d not, %d missing", res.Restored, len(m.Records), res.NotRestored, res.NotFound)
			}
			for _, d := range manifests.Diff(m, got) {
				t.Errorf("%+v", d)
			}
		})
	}
}

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
			_, res := reread(t, s, m, i, nothing)
			got, n := res.Manifest, res.Restored
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
	whole := func(out string, r *ingest.Request) { r.Folders = []string{out} }
	_, res := reingest(t, s, m, Options{Format: "imagefolder"}, whole, nothing, true)
	if res.Restored != len(m.Records) || res.NotRestored+res.NotFound != 0 {
		t.Errorf("restored %d of %d, %d not, %d missing", res.Restored, len(m.Records), res.NotRestored, res.NotFound)
	}
	if d := manifests.Diff(m, res.Manifest); len(d) > 0 {
		t.Errorf("%+v", d)
	}
}

// A test picture that somebody redrew is no training picture for that, and one that was taken away is counted.
func TestRestoreChanged(t *testing.T) {
	s, m := oddWorld(t)
	for _, i := range []int{2, 3} { // VOC, image folder
		f := exported[i]
		t.Run(f.format, func(t *testing.T) {
			_, res := reread(t, s, m, i, func(out string) {
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
			if res.NotFound != 1 {
				t.Errorf("%d missing, want 1", res.NotFound)
			}
			tests := 0
			for _, r := range res.Manifest.Records {
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

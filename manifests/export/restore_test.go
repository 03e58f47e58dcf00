package export

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// exported is a format and how ingest reads all of its export.
var exported = []struct {
	format string
	source func(out string, r *ingest.Request) []string
}{
	{"hdseg", func(out string, r *ingest.Request) []string {
		r.HDSeg = []string{filepath.Join(out, "HDSeg")}
		return r.HDSeg
	}},
	{"coco", func(out string, r *ingest.Request) (sources []string) {
		for _, s := range []string{"train", "test"} {
			c := ingest.COCO{Instances: filepath.Join(out, "annotations/instances_"+s+".json"), Images: filepath.Join(out, s)}
			r.COCO, sources = append(r.COCO, c), append(sources, c.Instances)
		}
		return sources
	}},
	{"voc", func(out string, r *ingest.Request) []string {
		r.VOC = []string{filepath.Join(out, "VOCdevkit")}
		return r.VOC
	}},
	{"imagefolder", func(out string, r *ingest.Request) []string {
		r.Folders, r.Test = []string{filepath.Join(out, "train")}, filepath.Join(out, "test")
		return append(r.Folders, r.Test)
	}},
}

// reingest exports a set, calls edit on the export, and ingests what source names of it.
func reingest(t *testing.T, s *manifests.Store, m *manifests.Manifest, o Options, source func(out string, r *ingest.Request) []string, edit func(out string)) (back *manifests.Store, got *manifests.Manifest, sources []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if res := mustRun(t, Request{Options: o, Manifest: m, Store: s, Out: out}); len(res.Skips) > 0 {
		t.Fatalf("skips: %v", res.Skips)
	}
	edit(out)
	req := ingest.Request{Dataset: m.Dataset, Class: m.Class, Options: ingest.Defaults(), Workers: 2, Version: "test"}
	req.Options.MaskValues = string(format.ValuesVoid255)
	sources = source(out, &req)
	all, err := ReadCarried(sources)
	if err != nil {
		t.Fatal(err)
	}
	req.Exported = map[string]ingest.Exported{}
	for source, ids := range all.IDs() {
		req.Exported[source] = ids
	}
	back, err = manifests.OpenStore(filepath.Join(t.TempDir(), "back"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := ingest.Run(t.Context(), req, back, nil)
	if err != nil {
		t.Fatal(err)
	}
	return back, res.Manifest, sources
}

func nothing(string) {}

// reread is reingest of all that an export has, restored and written.
func reread(t *testing.T, s *manifests.Store, m *manifests.Manifest, i int, edit func(out string)) (*manifests.Store, *manifests.Manifest, int) {
	t.Helper()
	back, got, sources := reingest(t, s, m, Options{Format: exported[i].format}, exported[i].source, edit)
	all, err := ReadCarried(sources)
	if err != nil {
		t.Fatal(err)
	}
	n, not, _, err := all.Restore(back, got)
	if n+not > len(got.Records) {
		t.Errorf("got %d restored and %d not, of %d records", n, not, len(got.Records))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifests.WriteListed(back, "horseseg", got); err != nil {
		t.Fatal(err)
	}
	return back, got, n
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
			back, got, n := reread(t, s, m, i, nothing)
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
	_, got, n := reread(t, s, m, 1, func(out string) {
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
	if n != len(m.Records)-1 {
		t.Errorf("restored %d, want %d", n, len(m.Records)-1)
	}
	for _, r := range got.Records {
		if r.ID == m.Records[2].ID && (r.Source != "coco" || r.Masks[0].WasAttributedTo == "the test") {
			t.Errorf("the edited picture got its old provenance: %+v", r)
		}
	}
}

// A CarryFile that is none is refused by name, with the remedy; one two folders above a plain folder is not the source's.
func TestReadCarriedGarbage(t *testing.T) {
	top := t.TempDir()
	source := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(top, CarryFile)
	for _, text := range []string{"garbage", "{}"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if all, err := ReadCarried([]string{source}); err != nil || len(all.Files) > 0 {
			t.Errorf("%s two folders up: got %v, %v; want it left alone", text, all, err)
		}
		_, err := ReadCarried([]string{filepath.Join(top, "a")})
		if err == nil || !strings.Contains(err.Error(), file+":1: ") || !strings.HasSuffix(err.Error(), "remove it or export again") {
			t.Errorf("%s: got %v, want the file and the remedy", text, err)
		}
	}
}

// A picture of another source that has the id of an exported one was not read of the export, and is none that could not be restored.
func TestRestoreCountsItsOwn(t *testing.T) {
	s, m := horseWorld(t)
	for origin, want := range map[string]int{"elsewhere/images/a.jpg": 0, "elsewhere.tar!HDSeg/a.jpg": 0, "HDSeg/images/HorseSeg/voc12/a.JPEG": 1, "HDSeg": 1} {
		back, got, sources := reingest(t, s, m, Options{Format: exported[0].format}, exported[0].source, nothing)
		other := got.Records[0]
		other.Image.Origin, other.Image.SHA256 = origin, manifests.Sum([]byte(origin))
		got.Records = append(got.Records, other)
		all, err := ReadCarried(sources)
		if err != nil {
			t.Fatal(err)
		}
		n, not, missing, err := all.Restore(back, got)
		if missing != 0 {
			t.Errorf("%s: %d missing, want 0", origin, missing)
		}
		if err != nil || n != len(m.Records) || not != want {
			t.Errorf("%s: restored %d and %d not, %v; want %d and %d", origin, n, not, err, len(m.Records), want)
		}
	}
}

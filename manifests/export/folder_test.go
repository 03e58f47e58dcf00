package export_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	. "hdseg/manifests/export"
)

// The feature file names a training picture only if the published loader finds its files: ids of VOC and ImageNet. Others are in the tree.
func TestFeaturesNameWhatReadersFind(t *testing.T) {
	s, m := horseWorld(t)
	m.Records = m.Records[:3]
	for _, id := range []string{"x_1", "2008_12", "n02374451", "a_b_c", "2012_000001"} { // VOC's segmentation years end in 2011
		m.Records = append(m.Records, drawn(t, s, id, manifests.Train, manifests.Manual, 1, 0, manifests.Manual))
	}
	out := filepath.Join(t.TempDir(), "out")
	req := Request{Options: Options{Format: "hdseg"}, Manifest: m, Store: s, Out: out}
	req.Features = drawnFeatures{t, s}
	res := mustRun(t, req)
	var left []string
	for _, k := range res.Skips {
		if k.Reason != "hdseg_name" {
			t.Errorf("%+v", k)
		}
		left = append(left, k.Record)
	}
	if want := []string{"x_1", "2008_12", "n02374451", "a_b_c", "2012_000001"}; !slices.Equal(left, want) || res.Images != 8 {
		t.Errorf("%d images, not listed %q, want 8 and %q", res.Images, left, want)
	}
	maps, err := filepath.Glob(filepath.Join(out, "data/horse-superpixels/*.png"))
	if err != nil || len(maps) != 3 {
		t.Errorf("%d pictures are listed, want 3: %v", len(maps), err)
	}
}

// Where pictures of both splits would have one name nothing is written, and the message says what to do; where splits have folders there is no such thing.
func TestIDInBothSplits(t *testing.T) {
	s, m := horseWorld(t)
	m.Records = append(m.Records[:2:2], drawn(t, s, "2007_000033", manifests.Test, manifests.Manual, 3, 0, manifests.Manual))
	for _, f := range Formats {
		out := filepath.Join(t.TempDir(), f)
		req := Request{Options: Options{Format: f}, Manifest: m, Store: s, Out: out, Workers: 1, Digest: manifests.Sum(nil)}
		res, err := Run(t.Context(), req)
		if f != "croissant" && f != "voc" {
			if err != nil || res.Images != 3 {
				t.Errorf("%s: %+v, %v", f, res, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "2007_000033: the test record's id is that of a train record too") || !strings.Contains(err.Error(), "run split first") {
			t.Errorf("%s: %v", f, err)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s: something was written: %v", f, err)
		}
		req.Options.Splits = []manifests.Split{manifests.Test}
		if res := mustRun(t, req); res.Images != 1 {
			t.Errorf("%s of one split: %+v", f, res)
		}
	}
}

// A run that ended before its mark was there left temporary files at most: the same command goes on. A folder with anything else is not taken.
func TestFolderOfAnEarlyEnd(t *testing.T) {
	s, m := horseWorld(t)
	for _, c := range []struct {
		left []string
		ok   bool
	}{
		{nil, true}, {[]string{".tmp/"}, true}, {[]string{".tmp/123456"}, true},
		{[]string{".tmp/notes.txt"}, false}, {[]string{".tmp/1/"}, false}, {[]string{".tmp/", "a.txt"}, false}, {[]string{".tmp"}, false},
	} {
		out := t.TempDir()
		for _, name := range c.left {
			p := filepath.Join(out, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
				t.Fatal(err)
			}
			var err error
			if strings.HasSuffix(name, "/") {
				err = os.MkdirAll(p, 0o777)
			} else {
				err = os.WriteFile(p, []byte("{"), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := Run(t.Context(), Request{Options: Options{Format: "voc"}, Manifest: m, Store: s, Out: out, Workers: 2, Digest: manifests.Sum(nil)})
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.left, err)
		}
		if _, err := os.Stat(filepath.Join(out, ".tmp")); c.ok && !os.IsNotExist(err) {
			t.Errorf("%q: .tmp is left: %v", c.left, err)
		}
	}
}

// What lies in the folder and is not of the export is named.
func TestStrays(t *testing.T) {
	s, m := horseWorld(t)
	out := filepath.Join(t.TempDir(), "out")
	req := Request{Options: Options{Format: "coco"}, Manifest: m, Store: s, Out: out}
	if res := mustRun(t, req); res.Strays != nil {
		t.Errorf("%q", res.Strays)
	}
	if err := os.WriteFile(filepath.Join(out, "train/stray.jpg"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if res := mustRun(t, req); !slices.Equal(res.Strays, []string{"train/stray.jpg"}) {
		t.Errorf("%q", res.Strays)
	}
}

// Ids that readers of tables take for numbers or for nothing come back from mlcroissant as they are, and croissant.json says of which formats the pictures are.
func TestCroissantIDs(t *testing.T) {
	s, m := horseWorld(t)
	m.Records = nil
	want := []string{"0007", "NA", "NULL", "nan", "1e3", "true"}
	for _, id := range want {
		m.Records = append(m.Records, drawn(t, s, id, manifests.Train, manifests.Manual, 1, 1, manifests.Manual))
	}
	out := filepath.Join(t.TempDir(), "out")
	mustRun(t, Request{Options: Options{Format: "croissant"}, Manifest: m, Store: s, Out: out})
	data, err := os.ReadFile(filepath.Join(out, "croissant.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		CiteAs       string
		Distribution []struct {
			ID     string `json:"@id"`
			Format any    `json:"encodingFormat"`
		}
	}
	if err := json.Unmarshal(data, &d); err != nil || d.CiteAs == "" || len(d.Distribution) != 4 {
		t.Fatalf("%+v, %v", d, err)
	}
	if f, ok := d.Distribution[2].Format.([]any); d.Distribution[2].ID != "images" || !ok || len(f) != 1 || f[0] != "image/jpeg" {
		t.Errorf("%+v", d.Distribution[2])
	}
	p := os.Getenv("HDSEG_PYTHON")
	if p == "" || exec.Command(p, "-c", "import mlcroissant").Run() != nil {
		t.Skip("SKIPPED in part: set HDSEG_PYTHON to a Python with mlcroissant, such as the one that .ci/run makes")
	}
	c := exec.Command(p, "-c", `import sys, mlcroissant
for r in mlcroissant.Dataset(jsonld=sys.argv[1]).records("records"): print(r["records/id"].decode())`, filepath.Join(out, "croissant.json"))
	c.Env = append(os.Environ(), "CROISSANT_CACHE="+t.TempDir())
	got, err := c.Output()
	if err != nil || !slices.Equal(strings.Fields(string(got)), want) {
		t.Errorf("got %q, want %q: %v", got, want, err)
	}
}

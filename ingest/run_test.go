package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

func TestRun(t *testing.T) {
	res, store := mustIngest(t, world(t))
	type line struct {
		id    string
		split manifests.Split
		tier  manifests.Tier
		boxes string
	}
	var got []line
	for _, r := range res.Manifest.Records {
		got = append(got, line{r.ID, r.Split, r.Tier, fmt.Sprint(r.Boxes)})
	}
	// VOC: 1-based inclusive 1..20 is [0,20). ImageNet _2: 2..20 of 20 pixels is [1,20), doubled [2,40); 3..15 of 15 is [2,15), doubled [4,30).
	want := []line{
		{"2007_000001", "train", "manual", "[{0 0 20 30}]"},
		{"2008_000002", "train", "manual", "[]"},
		{"n02374451_1", "train", "bbox", "[{0 10 20 30}]"},
		{"n02374451_10", "train", "label", "[]"},
		{"n02374451_2", "train", "bbox", "[{2 4 40 30}]"},
		{"n02374451_3", "train", "label", "[]"},
		{"t1", "test", "manual", "[]"},
		{"t2", "test", "manual", "[]"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(res.Manifest.Skipped) != 0 || res.Other["other_class"] != 1 || res.Other["box_without_image"] != 1 || res.Other["box_of_other_class"] != 1 || res.Warnings["box_of_other_class"] != 0 {
		t.Errorf("got skips %v, other %v, warnings %v", res.Manifest.Skipped, res.Other, res.Warnings)
	}
	r := record(t, res, "2007_000001")
	if r.Source != "voc2012" || r.Image.Origin != "VOCdevkit/VOC2012/JPEGImages/2007_000001.jpg" || r.Image.Format != "jpeg" || r.Image.Width != 40 || r.Image.Height != 30 {
		t.Errorf("got %+v", r)
	}
	if m := r.Masks[0]; m.Figure != 20*30 || m.Void != 30 || m.WasGeneratedBy != "ingest/voc2012" || len(m.Used) != 1 || m.Status != "" {
		t.Errorf("got %+v", m)
	}
	if r = record(t, res, "n02374451_2"); r.Synset != "n02374451" || r.Image.Origin != "imagenet/n02374451.tar!n02374451_2.JPEG" {
		t.Errorf("got %+v", r)
	}
	r = record(t, res, "t1")
	data, err := store.Read(r.Masks[0].Path, r.Masks[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	mask, err := raster.DecodeMask(data)
	if err != nil || mask.At(0, 0) != raster.Ground || mask.At(39, 29) != raster.Figure {
		t.Errorf("mask of t1: %v", err)
	}
	if h := res.Manifest.Header; h.Stage != "ingest" || h.Dataset != "horseseg" || h.Class.VOC != 13 || h.Config == "" {
		t.Errorf("got header %+v", h)
	}
}

// tree lists a store's files and their digests, temporary files included.
func tree(t *testing.T, store *manifests.Store) map[string]manifests.Digest {
	t.Helper()
	out := map[string]manifests.Digest{}
	err := filepath.WalkDir(store.Dir(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		out[p[len(store.Dir())+1:]] = manifests.Sum(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Equal bytes and manifests for any number of workers.
func TestWorkers(t *testing.T) {
	req := world(t)
	req.Workers = 1
	a, storeA := mustIngest(t, req)
	req.Workers = 8
	b, storeB := mustIngest(t, req)
	if !reflect.DeepEqual(a, b) {
		t.Error("the results differ")
	}
	if x, y := tree(t, storeA), tree(t, storeB); len(x) == 0 || !reflect.DeepEqual(x, y) {
		t.Errorf("the stores differ: %v and %v", x, y)
	}
}

// Shards of any number, joined, give what one run gives; those of other sources and short ones are refused.
func TestShards(t *testing.T) {
	req := world(t)
	req.Workers = 2
	want, clean := mustIngest(t, req)
	shards := func(req Request, of int) (*manifests.Store, []*bytes.Buffer) {
		store, err := manifests.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		out, done := make([]*bytes.Buffer, of), 0
		for i := range of {
			out[i] = &bytes.Buffer{}
			n, err := RunShard(t.Context(), req, store, nil, i, of, out[i])
			if err != nil {
				t.Fatal(err)
			}
			done += n
		}
		if done == 0 || done > want.Read {
			t.Errorf("%d shards: got %d pictures, want at most %d", of, done, want.Read)
		}
		return store, out
	}
	join := func(store *manifests.Store, shards []*bytes.Buffer) (*Result, error) {
		var in []io.Reader
		for _, b := range shards {
			in = append(in, bytes.NewReader(b.Bytes()))
		}
		return Join(t.Context(), req, store, nil, in)
	}
	for _, of := range []int{1, 3, 50} {
		store, out := shards(req, of)
		got, err := join(store, out)
		if err != nil {
			t.Fatal(err)
		}
		// gob does not tell an empty list from none
		if w, g := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got); !reflect.DeepEqual(want.Manifest.Skipped, got.Manifest.Skipped) || len(w) != len(g) {
			t.Errorf("%d shards: got %s, want %s", of, g, w)
		}
		a, b := written(t, want.Manifest), written(t, got.Manifest)
		if a != b || !reflect.DeepEqual(tree(t, store), tree(t, clean)) {
			t.Errorf("%d shards give another data set", of)
		}
	}
	store, out := shards(req, 2)
	if _, err := join(store, []*bytes.Buffer{out[1], out[0]}); err == nil || !strings.Contains(err.Error(), "shard 0 of 2: it is of other sources") {
		t.Errorf("exchanged: got %v", err)
	}
	out[1].Truncate(out[1].Len() / 2)
	if _, err := join(store, out); err == nil || !strings.Contains(err.Error(), "shard 1 of 2: it ends before picture") {
		t.Errorf("cut short: got %v", err)
	}
	fewer := req
	fewer.VOC = nil
	if _, other := shards(fewer, 1); true {
		if _, err := join(store, other); err == nil || !strings.Contains(err.Error(), "of other sources") {
			t.Errorf("of other sources: got %v", err)
		}
	}
}

// written is the digest of a manifest.
func written(t *testing.T, m *manifests.Manifest) manifests.Digest {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d, err := manifests.Write(store, "m", m)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A run that is stopped at any task leaves only whole files, and the next one ends like an undisturbed run without
// writing again what is there.
func TestResume(t *testing.T) {
	req := world(t)
	req.Workers = 1
	want, clean := mustIngest(t, req)
	for stop := range 9 {
		store, err := manifests.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = Run(ctx, req, store, func(stage string, done, _ int) {
			if stage == "ingest" && done == stop {
				cancel()
			}
		})
		cancel()
		if stop > 0 && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: got %v", stop, err)
		}
		before := map[string]fs.FileInfo{}
		for p := range tree(t, store) {
			st, err := os.Stat(filepath.Join(store.Dir(), p))
			if err != nil {
				t.Fatal(err)
			}
			before[p] = st
		}
		got, err := Run(t.Context(), req, store, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(tree(t, store), tree(t, clean)) {
			t.Errorf("stopped at %d: the second run differs from a clean one", stop)
		}
		for p, st := range before {
			now, err := os.Stat(filepath.Join(store.Dir(), p))
			if err != nil || !os.SameFile(now, st) {
				t.Errorf("stopped at %d: %s was written again (%v)", stop, p, err)
			}
		}
	}
}

// Every layout of the same pictures gives the same records.
func TestLayouts(t *testing.T) {
	want, _ := mustIngest(t, world(t))
	pictures := []member{
		{"n02374451_1.JPEG", jpegBytes(40, 30, 4)}, {"n02374451_2.JPEG", jpegBytes(40, 30, 5)},
		{"n02374451_10.JPEG", jpegBytes(40, 30, 6)}, {"n02374451_3.JPEG", jpegBytes(40, 30, 7)}}
	in := func(prefix string) (out []member) {
		for _, p := range pictures {
			out = append(out, member{prefix + p.name, p.data})
		}
		return out
	}
	synset := tarOf(pictures...)
	layouts := map[string][]member{
		"folder":           in("n02374451/"),
		"ILSVRC tree":      in("ILSVRC/Data/CLS-LOC/train/n02374451/"),
		"tar":              {{"x.tar", tarOf(in("./n02374451/")...)}},
		"tar of tars":      {{"ILSVRC2012_img_train.tar", tarOf(member{"n02374451.tar", synset}, member{"n01440764.tar", tarOf(member{"n01440764_1.JPEG", jpegBytes(8, 8, 1)})})}},
		"tar.gz":           {{"n02374451.tar.gz", gz(synset)}},
		"tar of tar.gz":    {{"all.tar", tarOf(member{"n02374451.tgz", gz(synset)})}},
		"tar.gz of tar.gz": {{"all.tar.gz", gz(tarOf(member{"n02374451.tar.gz", gz(synset)}))}},
	}
	ran := 0
	for name, files := range layouts {
		req := world(t)
		req.ImageNet = []string{plant(t, t.TempDir(), files...)}
		got, store := mustIngest(t, req)
		if len(got.Manifest.Records) != len(want.Manifest.Records) {
			t.Errorf("%s: got %d records, want %d", name, len(got.Manifest.Records), len(want.Manifest.Records))
			continue
		}
		for i, r := range got.Manifest.Records {
			w := want.Manifest.Records[i]
			r.Image.Origin, w.Image.Origin = "", ""
			if !reflect.DeepEqual(r, w) {
				t.Errorf("%s: got %+v, want %+v", name, r, w)
			}
		}
		if left, err := os.ReadDir(filepath.Join(store.Dir(), ".tmp")); err != nil || len(left) > 0 {
			t.Errorf("%s: temporary files left: %v, %v", name, left, err)
		}
		ran++
	}
	if ran != 7 {
		t.Errorf("ran %d layouts, want 7", ran)
	}
}

// The devkit as a tar, and one year's folder by itself.
func TestVOCLayouts(t *testing.T) {
	req := world(t)
	want, _ := mustIngest(t, req)
	year := filepath.Join(req.VOC[0], "VOC2012")
	var members []member
	err := filepath.WalkDir(year, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(filepath.Dir(year), p)
		members = append(members, member{"VOCdevkit/" + filepath.ToSlash(rel), data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{year, filepath.Join(plant(t, t.TempDir(), member{"VOCtrainval.tar", tarOf(members...)}), "VOCtrainval.tar")} {
		req.VOC = []string{root}
		got, _ := mustIngest(t, req)
		a, b := record(t, got, "2007_000001"), record(t, want, "2007_000001")
		if a.Source != "voc2012" || len(got.Manifest.Records) != len(want.Manifest.Records) || a.Masks[0].SHA256 != b.Masks[0].SHA256 || !slices.Equal(a.Boxes, b.Boxes) {
			t.Errorf("%s: got %+v", filepath.Base(root), a)
		}
	}
}

// An older year in the same devkit is left aside: the newest contains its pictures.
func TestOlderYear(t *testing.T) {
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2007/ImageSets/Segmentation/trainval.txt", []byte("000032\n")},
		member{"VOC2007/JPEGImages/000032.jpg", jpegBytes(10, 10, 1)}, member{"VOC2007/SegmentationClass/000032.png", vocMask(10, 10, 13)})
	res, _ := mustIngest(t, req)
	if res.Other["older_voc_year"] != 1 || res.Kept != 8 {
		t.Errorf("got %v and %d records", res.Other, res.Kept)
	}
	req.VOC = []string{filepath.Join(req.VOC[0], "VOC2007")}
	res, _ = mustIngest(t, req)
	if r := record(t, res, "000032"); r.Source != "voc2007" || r.Tier != manifests.Manual {
		t.Errorf("got %+v", r)
	}
}

func TestRequestValidate(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"no class":        func(r *Request) { r.Class.Name = "" },
		"a bad synset":    func(r *Request) { r.Class.Synsets = []string{"horse"} },
		"a synset twice":  func(r *Request) { r.Class.Synsets = []string{"n02374451", "n02374451"} },
		"VOC number 255":  func(r *Request) { r.Class.VOC = 255 },
		"no synsets":      func(r *Request) { r.Class.Synsets = nil },
		"no data set":     func(r *Request) { r.Dataset = "" },
		"no workers":      func(r *Request) { r.Workers = 0 },
		"no source":       func(r *Request) { r.VOC, r.ImageNet, r.Test = nil, nil, "" },
		"a box base of 2": func(r *Request) { r.Options.BoxBase = "2" },
		"mask values":     func(r *Request) { r.Options.MaskValues = "0,2" },
		"no VOC set":      func(r *Request) { r.Options.VOCSet = "" },
		"max skip of 2":   func(r *Request) { r.Options.MaxSkip = 2 },
		"no limits":       func(r *Request) { r.Options.Limits = raster.Limits{} },
	} {
		req := world(t)
		if err := req.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&req)
		if err := req.Validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, _, err := ingestOf(t, req); err == nil {
			t.Errorf("%s: ran", name)
		}
	}
}

func TestClasses(t *testing.T) {
	h, d := Horse(), Dog()
	if len(h.Synsets) != 88 || len(d.Synsets) != 190 || h.VOC != 13 || d.VOC != 12 {
		t.Errorf("got %d horse and %d dog synsets, VOC %d and %d", len(h.Synsets), len(d.Synsets), h.VOC, d.VOC)
	}
	if err := errors.Join(CheckClass(h), CheckClass(d)); err != nil {
		t.Error(err)
	}
	for _, s := range []string{"n02391049", "n02389559", "n02390101", "n02383604"} { // zebra, donkey, mule, a racehorse
		if slices.Contains(h.Synsets, s) {
			t.Errorf("%s is not a horse of ImageNet", s)
		}
	}
	for _, s := range []string{"n02115335", "n02115641", "n02116738", "n02114100"} { // wild dog, dingo, hunting dog, wolf
		if slices.Contains(d.Synsets, s) {
			t.Errorf("%s is not under dog", s)
		}
	}
	if !slices.Contains(d.Synsets, "n01322604") { // puppy
		t.Error("puppy is a dog")
	}
}

// Every layout of the same box files gives the same boxes.
func TestBoxLayouts(t *testing.T) {
	want, _ := mustIngest(t, world(t))
	in := func(prefix string) []member {
		return []member{
			{prefix + "n02374451_1.xml", boxXML(40, 30, [5]any{"n02374451", 1, 11, 20, 30})},
			{prefix + "n02374451_2.xml", boxXML(20, 15, [5]any{"horse", 2, 3, 20, 15})},
		}
	}
	synset := tarOf(in("Annotation/n02374451/")...)
	for name, files := range map[string][]member{
		"folder":           in("Annotation/n02374451/"),
		"flat":             in(""),
		"tar":              {{"x.tar", synset}},
		"tgz":              {{"x.tgz", gz(synset)}},
		"tar of tar.gz":    {{"Annotation.tar", tarOf(member{"n02374451.tar.gz", gz(synset)})}},
		"tar.gz of tar.gz": {{"bboxes_annotations.tar.gz", gz(tarOf(member{"n02374451.tar.gz", gz(synset)}))}},
	} {
		req := world(t)
		req.Boxes = []string{plant(t, t.TempDir(), files...)}
		got, _ := mustIngest(t, req)
		for _, id := range []string{"n02374451_1", "n02374451_2", "n02374451_3"} {
			if g, w := record(t, got, id), record(t, want, id); !slices.Equal(g.Boxes, w.Boxes) || g.Tier != w.Tier {
				t.Errorf("%s: %s: got %v %s, want %v %s", name, id, g.Boxes, g.Tier, w.Boxes, w.Tier)
			}
		}
	}
}

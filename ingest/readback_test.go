package ingest

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// readback runs the independent reader, a Python script, or skips when the interpreter lacks a module. HDSEG_PYTHON names
// another interpreter than python3.
func readback(t testing.TB, modules string, args ...string) {
	t.Helper()
	for _, p := range []string{os.Getenv("HDSEG_PYTHON"), "python3", "/usr/bin/python3"} {
		if p == "" || exec.Command(p, "-c", "import "+modules).Run() != nil {
			continue
		}
		script := filepath.Join("..", ".ci", "readback_ingest.py")
		if out, err := exec.Command(p, append([]string{script}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	t.Skipf("SKIPPED: no Python with %s: set HDSEG_PYTHON", modules)
}

// oddExceptions are pictures that Pillow reads and this program refuses, each for a reason.
var oddExceptions = map[string]string{
	"jpeg-decoder/tests/reftest/images/partial_progressive.jpg":    "cut short",         // a scan ends before its last block: Pillow shows what there is
	"jpeg-decoder/tests/reftest/images/progressive-missing-ac.jpg": "cut short",         // made without the scans that a decoder is to do without: Pillow smooths
	"jpeg-decoder/tests/reftest/images/progressive-missing-dc.jpg": "cut short",         // the same
	"pillow/Tests/images/hopper_bad_exif.jpg":                      "damaged data",      // a broken block in the middle: Pillow goes on with a grey one
	"libjpeg-turbo/testimages/testimgari.jpg":                      "arithmetic coding", // a process that hardly any other reader has
}

// Every file of the shared odd folder that Pillow reads and that has one of our formats has its very pixels here, JPEGs too, and
// the same orientation; every other file is refused. Nothing crashes.
func TestOddImages(t *testing.T) {
	root := filepath.Join(dataDir(t), "odd", "images")
	out := t.TempDir()
	readback(t, "PIL, numpy", "odd", root, out)
	f, err := os.Open(filepath.Join(out, "index.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	same, refused, excepted := 0, 0, 0
	for i, r := range rows {
		name, pillow, tag, fault := r[0], r[1], r[4], r[5]
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		m, info, err := raster.Decode(data, raster.DefaultLimits())
		ours := raster.Sniff(data) != ""
		switch {
		case err == nil && fault != "":
			t.Errorf("%s: accepted, but Pillow says %s", name, fault)
		case err == nil:
			ref, err := os.ReadFile(filepath.Join(out, strconv.Itoa(i)+".rgb"))
			if err != nil {
				t.Fatal(err)
			}
			if d := differences(m.Pix, ref); d != "" || fmt.Sprint(m.Width, m.Height, info.Orientation) != strings.Join([]string{r[2], r[3], tag}, " ") {
				t.Errorf("%s: %s; got %d x %d orientation %d, want %v", name, d, m.Width, m.Height, info.Orientation, r)
			}
			same++
		case fault == "" && ours:
			if want, ok := oddExceptions[name]; !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: Pillow reads it as %s, here: %v", name, pillow, err)
			}
			excepted++
		default:
			refused++
		}
	}
	t.Logf("%d with equal pixels, %d refused by both or of another format, %d exceptions", same, refused, excepted)
	if same < 200 || excepted != len(oddExceptions) {
		t.Errorf("compared %d files, %d exceptions of %d", same, excepted, len(oddExceptions))
	}
}

// differences tells how two pictures of one size differ, "" if they do not.
func differences(a, b []uint8) string {
	if len(a) != len(b) {
		return fmt.Sprintf("got %d bytes, want %d", len(a), len(b))
	}
	n, worst := 0, 0
	for i := range a {
		if d := max(int(a[i])-int(b[i]), int(b[i])-int(a[i])); d > 0 {
			n++
			worst = max(worst, d)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d bytes differ, by up to %d", n, len(a), worst)
}

// The masks of the shared VOC horses, stored by ingest, are those that Pillow and numpy read, pixel for pixel.
func TestVOCMasksAgainstPillow(t *testing.T) {
	dir := dataDir(t)
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("SKIPPED: about 3 s of CPU: set HDSEG_LONG=1")
	}
	out := t.TempDir()
	voc := filepath.Join(dir, "VOCdevkit", "VOC2012")
	readback(t, "PIL, numpy", "voc", voc, "trainval", "13", out)
	res, store := mustIngest(t, Request{Dataset: "horseseg", Class: Horse(), VOC: []string{voc}, Options: Defaults(), Workers: 2, Version: "test"})
	for _, r := range res.Manifest.Records {
		ref, err := os.ReadFile(filepath.Join(out, r.ID+".mask"))
		if err != nil {
			t.Fatal(err)
		}
		if d := differences(maskOf(t, store, r).Pix, ref); d != "" {
			t.Errorf("%s: %s", r.ID, d)
		}
	}
	if refs, err := filepath.Glob(filepath.Join(out, "*.mask")); err != nil || len(refs) != 147 || len(res.Manifest.Records) != 147 {
		t.Errorf("got %d records, Pillow %d, %v; want 147", len(res.Manifest.Records), len(refs), err)
	}
}

// Random polygons and run lengths become the masks of pycocotools.
func TestCOCOAgainstPycocotools(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(11, 12))
	type object map[string]any
	var images, annotations []object
	for id := 1; id <= n; id++ {
		w, h := 1+rng.IntN(60), 1+rng.IntN(60)
		images = append(images, object{"id": id, "file_name": fmt.Sprint(id), "width": w, "height": h})
		a := object{"id": id, "image_id": id, "category_id": 1, "iscrowd": 0, "area": 1, "bbox": []int{0, 0, 1, 1}}
		if id%4 == 0 { // run lengths of noise, as a list
			pix := raster.NewMask(w, h)
			for i := range pix.Pix {
				pix.Pix[i] = uint8(rng.IntN(2))
			}
			a["segmentation"] = object{"size": []int{h, w}, "counts": format.RLEOf(pix, raster.Figure).Counts}
		} else {
			var polygons [][]float64
			for range 1 + rng.IntN(3) {
				var p []float64
				for range 3 + rng.IntN(6) {
					// Some points lie outside, some on whole or half pixels.
					x, y := rng.Float64()*float64(w)*1.4-0.2*float64(w), rng.Float64()*float64(h)*1.4-0.2*float64(h)
					if rng.IntN(3) == 0 {
						x, y = float64(int(2*x))/2, float64(int(2*y))/2
					}
					if id%5 == 0 && rng.IntN(3) == 0 { // far away, so that edges pass the picture on any side
						x, y = (rng.Float64()-0.5)*30_000, (rng.Float64()-0.5)*30_000
					}
					p = append(p, x, y)
				}
				polygons = append(polygons, p)
			}
			a["segmentation"] = polygons
		}
		annotations = append(annotations, a)
	}
	data, err := json.Marshal(object{"images": images, "annotations": annotations, "categories": []object{{"id": 1, "name": "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	file := filepath.Join(out, "instances.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	readback(t, "pycocotools.coco, numpy", "rle", file, out)
	sizes := map[format.COCOID]format.COCOImage{}
	if err := readCOCO(file, format.COCOVisitor{Image: func(i format.COCOImage) error { sizes[i.ID] = i; return nil }}); err != nil {
		t.Fatal(err)
	}
	compared := 0
	err = readCOCO(file, format.COCOVisitor{Annotation: func(a format.COCOAnnotation) error {
		i := sizes[a.Image]
		m, bad, err := format.COCOMask([]format.COCOAnnotation{a}, int(i.Height), int(i.Width))
		if m == nil && len(bad) == 1 && errors.Is(bad[0], format.ErrNoFigure) { // pycocotools' mask of such polygons is ground alone
			m = raster.NewMask(int(i.Width), int(i.Height))
		}
		if m == nil && err == nil {
			err = errors.Join(bad...)
		}
		if err != nil {
			return err
		}
		ref, err := os.ReadFile(filepath.Join(out, string(a.ID)+".mask"))
		if err != nil {
			return err
		}
		if d := differences(m.Pix, ref); d != "" {
			return errors.New(string(a.ID) + ": " + d)
		}
		compared++
		return nil
	}})
	if err != nil || compared != n {
		t.Errorf("compared %d of %d: %v", compared, n, err)
	}
}

// The comparison itself, on what the shared sets do not have: pictures without masks, masks of turned pictures, values of other
// conventions, archives as sources, and a list of what was skipped beside the records.
func TestReadbackCompares(t *testing.T) {
	folder := plant(t, t.TempDir(),
		member{"images/none.jpg", jpegBytes(40, 30, 1)}, member{"images/sub/one.jpg", jpegBytes(40, 30, 2)}, member{"masks/sub/one.png", grayMask(40, 30, 0, 1)},
		member{"images/stored.jpg", withExif(jpegBytes(40, 30, 3), 6)}, member{"masks/stored.png", grayMask(40, 30, 0, 255)},
		member{"images/upright.jpg", withExif(jpegBytes(40, 30, 4), 6)}, member{"masks/upright.png", grayMask(30, 40, 0, 255)},
		member{"images/half.jpg", withExif(jpegBytes(40, 30, 5), 3)}, member{"masks/half.png", grayMask(40, 30, 0, 128, 255)},
		member{"images/bad.jpg", nil}, member{"masks/alone.png", grayMask(4, 3, 0, 1)})
	boxes := archiveFile(t, "boxes.tar", tarOf(member{"n02374451.tar.gz", gz(tarOf(member{"Annotation/n02374451/n02374451_1.xml", boxXML(80, 60, [5]any{"n02374451", 3, 5, 40, 50})}))}))
	pictures := archiveFile(t, "pictures.tar", tarOf(member{"n02374451_1.JPEG", jpegBytes(40, 30, 6)}, member{"n02374451_2.JPEG", jpegBytes(40, 30, 7)}))
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), Request{
		Dataset: "x", Class: Horse(), ImageNet: []string{pictures}, Boxes: []string{boxes}, Folders: []string{folder}, Options: Defaults(), Workers: 1, Version: "test",
	}, store, nil)
	if err != nil || res.Kept != 7 || len(res.Manifest.Skipped) != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if _, err := manifests.Write(store, "stages/ingest", res.Manifest); err != nil {
		t.Fatal(err)
	}
	readback(t, "yaml, numpy, PIL", "compare", filepath.Join(store.Dir(), "stages", "ingest.yaml"), "13", folder, boxes, pictures)
}

package main

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/load"
)

// A wanted is what a case of the shared cases gives: the right column of its cases.csv, with the choice where that leaves one.
type wanted struct {
	code    int
	records map[string]int // figure pixels of the manual mask by record id; -1: no manual mask
	says    string         // a part of what is printed
	silent  string         // what must not be printed
	boxes   string         // of the first record that has any: x,y,x,y; or of all: ID=x,y,x,y ID=...
}

// The objects of the drawn cases, in pixels: of p0 (74 x 40), of p1 (54 x 20), and what was drawn on p2 and p3 (60 x 35). The other
// figures below were counted in the files with Pillow.
const leftObject, rightObject, drawnObject = 74 * 40, 54 * 20, 60 * 35

var bothObjects = map[string]int{"p0": leftObject, "p1": rightObject}

// ingestCases are run as cases.csv says.
var ingestCases = map[string]wanted{
	"boxes-csv-fractions":             {code: 3, records: map[string]int{"p0": -1, "p1": -1}, says: "box_fraction"},
	"coco-abs-path":                   {records: bothObjects},
	"coco-url":                        {records: bothObjects},
	"coco-bbox-only-xyxy":             {records: map[string]int{"p0": -1, "p1": -1}}, // chosen: tier bbox
	"coco-category-name-number":       {records: bothObjects},
	"coco-file-name-missing":          {code: 3, records: map[string]int{"p1": rightObject}, says: "image 1 has no file_name"},
	"coco-flat-segmentation":          {code: 3, records: map[string]int{"p0": -1, "p1": rightObject}, says: "want a list of polygons, [[x, y, ...]]"},
	"coco-segmentation-as-string":     {code: 3, records: map[string]int{"p0": -1, "p1": rightObject}, says: "want a list of polygons, [[x, y, ...]]"},
	"coco-float-size":                 {records: bothObjects},
	"coco-string-size":                {records: bothObjects}, // chosen: read
	"coco-iscrowd-float":              {records: bothObjects},
	"coco-iscrowd-float-mixed":        {records: bothObjects},
	"coco-missing-size":               {records: bothObjects}, // chosen: read
	"coco-via-minus-one-size":         {records: bothObjects},
	"coco-nan-area":                   {records: bothObjects}, // chosen: read
	"coco-one-empty-among-good":       {code: 3, records: bothObjects, says: "annotation 7: no segmentation: its box is void; the picture is kept"},
	"coco-same-file-twice":            {records: map[string]int{"p0": leftObject}, says: "images 1 and 2 are both p0.jpg"}, // chosen: joined
	"coco-suffix-other-folder":        {records: map[string]int{"p0": leftObject}, says: "found_in_other_folder               1"},
	"coco-xyxy-bbox":                  {records: bothObjects, says: "box_disagrees                       2"},
	"imagenet-normalized-boxes":       {code: 3, records: map[string]int{"n02374451_0": -1, "n02374451_1": -1, "n02374451_2": -1}, says: "box_fraction", silent: "count from 0", boxes: "10,14,80,60"},
	"labelmap-own-colours":            {records: map[string]int{"p0": 1440, "p1": 1332, "p2": 1224}},
	"labelmap-swapped-colours":        {records: map[string]int{"p0": 1440, "p1": 1332, "p2": 1224}},
	"labelmap-voc-colours-two-labels": {records: map[string]int{"p0": 1440, "p1": 1332, "p2": 1224}},
	"labelmap-cvat-default-horse":     {records: map[string]int{"p0": 960, "p1": 960, "p2": 960}},
	"labelmap-background-not-black":   {records: map[string]int{"p0": 960, "p1": 960, "p2": 960}},
	"labelmap-without-class":          {code: 1, says: "labelmap.txt has no label horse, only background, thing1"},
	"labelmap-cvat-armadillo":         {code: 1, says: "labelmap.txt has no label horse, only background, armadillo"},
	"voc-aug":                         {code: 3, records: map[string]int{}, says: "masks lie in SegmentationClassAug"},
	"voc-set-with-ext":                {records: bothObjects},
	"voc-xml-no-size":                 {records: bothObjects}, // README: a size that is stated must be the picture's
	"voc-xml-normalized-one":          {code: 3, records: map[string]int{"p0": leftObject, "p1": rightObject, "p2": 2100, "p3": 2100}, says: "p0: box_fraction", silent: "count from 0"},
}

// importCases are run as cases.csv says, on the base data set, in which p0 and p1 have masks.
var importCases = map[string]wanted{
	"cvat-dot-slash":                {records: map[string]int{"p2": drawnObject, "p3": drawnObject}},
	"cvat-frames-in-subfolder":      {records: map[string]int{"p2": drawnObject, "p3": drawnObject}},
	"cvat-rezipped-with-top-folder": {records: map[string]int{"p2": drawnObject, "p3": drawnObject}},
	"cvat-zip-macosx-beside":        {records: map[string]int{"p2": drawnObject, "p3": drawnObject}},
	"annotate-import-archives":      {says: "2 masks came back unchanged", records: bothObjects}, // its archives hold p0 and p1 as they are
	"labelme-flags-list":            {records: map[string]int{"p2": drawnObject}},
	"labelme-flags-strings":         {records: map[string]int{"p2": drawnObject}},
	"labelme-group-id-string":       {records: map[string]int{"p2": drawnObject}},
	"labelme-ignore-label":          {records: map[string]int{"p2": drawnObject - 52*31}},
	"labelme-oriented-rectangle":    {records: map[string]int{"p2": drawnObject}},
	"labelme-other-label":           {code: 3, says: "--others-ground takes other labels for ground"},
	"labelme-rect-4-points":         {records: map[string]int{"p2": drawnObject}},
	"labelme-size-missing":          {records: map[string]int{"p2": drawnObject}},
	"labelme-version-number":        {records: map[string]int{"p2": drawnObject}},
	"png-appledouble":               {records: map[string]int{"p2": drawnObject}},
	"png-rgb":                       {records: map[string]int{"p2": drawnObject}},
}

// sharedCases copies the shared cases, or says why the test is skipped.
func sharedCases(t *testing.T) (dir string, commands map[string]string) {
	from := filepath.Join(os.Getenv("HDSEG_DATA"), "..", "cases")
	if os.Getenv("HDSEG_DATA") == "" {
		from = "../../../shared/cases"
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: the shared cases are not in %s", from)
	}
	dir = t.TempDir()
	try(t, os.CopyFS(dir, os.DirFS(from)))
	f, err := os.Open(filepath.Join(dir, "cases.csv"))
	try(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	try(t, err)
	commands = map[string]string{}
	for _, r := range rows[1:] {
		commands[r[0]] = r[1]
	}
	t.Chdir(dir)
	return dir, commands
}

// The shared cases give what their right column says.
func TestSharedCases(t *testing.T) {
	_, commands := sharedCases(t)
	ran := 0
	run := func(cases map[string]wanted, made, manifest string) {
		for name, want := range cases {
			t.Run(name, func(t *testing.T) {
				line, ok := commands[name]
				if !ok {
					t.Skip("SKIPPED: the shared cases have no such row")
				}
				os.RemoveAll(made)                     // by the case before
				line, _, _ = strings.Cut(line, "   (") // more of its kind
				said, code := "", 0
				for one := range strings.SplitSeq(line, "; ") {
					stdout, stderr, c := hdseg(t, append(words(one)[1:], "--progress", "none")...)
					said, code = said+stdout+stderr, max(code, c)
				}
				want.check(t, manifest, said, code)
			})
			ran++
		}
	}
	run(ingestCases, "out", "out/stages/ingest.yaml")
	const folders = "annotate-coco-same-name-in-folders"
	commands["instances.json"] = strings.ReplaceAll(commands[folders], "only-x.json", "instances.json")
	run(map[string]wanted{folders: {records: map[string]int{"x%2Fp0": drawnObject, "p0": -1, "y%2Fq0": -1}},
		"instances.json": {records: map[string]int{"x%2Fp0": drawnObject, "p0": -1, "y%2Fq0": drawnObject}}}, "out", "out/rev.yaml")
	must(t, "ingest", "--folder", "base/src", "-o", "base/out", "--progress", "none")
	run(importCases, "base/out/rev.yaml", "base/out/rev.yaml")
	for name := range commands {
		_, ingested := ingestCases[name]
		_, imported := importCases[name]
		if _, err := os.Stat(name); err == nil && !ingested && !imported && name != folders && name != "base" {
			t.Errorf("%s has data and does not run", name)
		}
	}
	if ran < 49 {
		t.Errorf("got %d cases, want 49 or more", ran)
	}
}

// check compares what a command printed and wrote.
func (w *wanted) check(t *testing.T, manifest, said string, code int) {
	t.Helper()
	if code != w.code {
		t.Fatalf("got exit %d, want %d\n%s", code, w.code, said)
	}
	if !strings.Contains(said, w.says) || w.silent != "" && strings.Contains(said, w.silent) {
		t.Errorf("got %s, want %q in it and not %q", said, w.says, w.silent)
	}
	if code == exitError || w.records == nil {
		return
	}
	store, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	got := map[string]int{}
	box := ""
	for i := range m.Records {
		r := &m.Records[i]
		got[r.ID] = -1
		if k, ok := r.MaskOf(manifests.Manual); ok {
			px, err := load.Mask(store, r, k)
			try(t, err)
			_, got[r.ID], _ = px.Areas()
		}
		if len(r.Boxes) > 0 && (box == "" || strings.Contains(w.boxes, "=")) {
			b, _ := json.Marshal([]int{r.Boxes[0].XMin, r.Boxes[0].YMin, r.Boxes[0].XMax, r.Boxes[0].YMax})
			if first := strings.Trim(string(b), "[]"); strings.Contains(w.boxes, "=") {
				box = strings.TrimSpace(box + " " + r.ID + "=" + first)
			} else {
				box = first
			}
		}
	}
	for id, figure := range w.records {
		if n, ok := got[id]; !ok || n != figure {
			t.Errorf("%s: got %d figure pixels (there: %v), want %d", id, n, ok, figure)
		}
	}
	if !strings.HasPrefix(manifest, "base") && len(got) != len(w.records) {
		t.Errorf("got the records %v, want %v", got, w.records)
	}
	if w.boxes != "" && box != w.boxes {
		t.Errorf("got the box %s, want %s", box, w.boxes)
	}
}

// What annotate export wrote comes back on the right records, by every path that a person takes: the folder, a zip of it, a zip with a
// folder above, the files below a prefix. Unedited it changes nothing, unless the person says that it was checked. Ids with folders,
// blanks and other letters have file names of their own.
func TestExchangeRoundTrips(t *testing.T) {
	dir, _ := sharedCases(t)
	for from, to := range map[string]string{"p0": "x/p0", "p1": "a b"} {
		for folder, ext := range map[string]string{"images": ".jpg", "masks": ".png"} {
			data, err := os.ReadFile(filepath.Join("base/src", folder, from+ext))
			try(t, err)
			if ext == ".jpg" { // no duplicate
				data, err = os.ReadFile(filepath.Join("base/src", folder, map[string]string{"p0": "p2", "p1": "p3"}[from]+ext))
			}
			file := filepath.Join("base/src", folder, to+ext)
			try(t, err, os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, data, 0o666))
		}
	}
	try(t, os.Rename("base/src/images/p4.jpg", "base/src/images/caf\u00e9.jpg"), os.Remove("base/src/images/p2.jpg"), os.Remove("base/src/images/p3.jpg"))
	had := map[string]int{"p0": leftObject, "p1": rightObject, "x%2Fp0": leftObject, "a%20b": rightObject, "caf%C3%A9": -1, "p5": -1}
	must(t, "ingest", "--folder", "base/src", "-o", "base/out", "--progress", "none")
	manifest := "base/out/stages/ingest.yaml"
	for _, format := range []string{"png", "labelme", "coco", "cvat"} {
		sent := "sent-" + format
		must(t, "annotate", "export", manifest, "--format", format, "-o", sent, "--progress", "none")
		ways := map[string]string{"folder": sent, "zip": zipFolder(t, sent, ""), "zip with a folder above": zipFolder(t, sent, "task_7/")}
		uploaded := filepath.Join(dir, "up-"+format)
		switch format {
		case "labelme":
			ways["below a prefix"] = uploaded
			try(t, os.CopyFS(filepath.Join(uploaded, "job/images"), os.DirFS(sent)))
		case "coco":
			ways["below a prefix"] = uploaded + ".json"
			data, err := os.ReadFile(filepath.Join(sent, "annotations.json"))
			data = []byte(strings.ReplaceAll(string(data), `"file_name":"`, `"file_name":"images/`))
			try(t, err, os.WriteFile(uploaded+".json", data, 0o666))
		case "cvat":
			task := unzipped(t, filepath.Join(sent, "annotations.zip"))
			ways["task"], ways["task with a folder above"] = zipFolder(t, task, ""), zipFolder(t, task, "task_7/")
			below := filepath.Join(task, "SegmentationClass")
			if err := errors.Join(os.CopyFS(filepath.Join(uploaded, "SegmentationClass/images"), os.DirFS(below)), os.RemoveAll(below),
				os.CopyFS(uploaded, os.DirFS(task))); err != nil {
				t.Fatal(err)
			}
			ways["below a prefix"] = uploaded
		case "png":
			ways["below a prefix"] = uploaded
			try(t, os.CopyFS(filepath.Join(uploaded, "images"), os.DirFS(filepath.Join(sent, "masks"))))
		}
		for how, path := range ways {
			by := []string{"annotate", "import", manifest, "--format", format, "--masks", path, "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "-o", "base/out/rev.yaml"}
			os.Remove("base/out/rev.yaml")
			_, stderr, code := hdseg(t, append(by, "--empty")...)
			w := wanted{says: "4 masks came back unchanged and were left out: --accept-unchanged takes them as checked by Ann", records: had}
			t.Log(format, how)
			w.check(t, "base/out/rev.yaml", stderr, code)
			os.Remove("base/out/rev.yaml")
			_, stderr, code = hdseg(t, append(by, "--accept-unchanged")...)
			if code != 0 && code != 3 { // labelme and COCO list pictures without a mask
				t.Fatal(stderr)
			}
			_, m, _, err := manifests.ReadFile("base/out/rev.yaml")
			try(t, err)
			for i := range m.Records {
				r := &m.Records[i]
				k, ok := r.MaskOf(manifests.Manual)
				if want := had[r.ID] > 0; ok != want || want && (k.Revision != 1 || k.WasGeneratedBy != "annotate/import/unchanged" ||
					k.WasAttributedTo != "Ann" || k.Figure != had[r.ID] || k.SHA256 != r.Masks[0].SHA256) {
					t.Errorf("%s, %s: %s: got %+v, want a checked revision 1 with %d figure pixels", format, how, r.ID, k, had[r.ID])
				}
			}
		}
	}
	says(t, exitUsage, "--by", "annotate", "import", manifest, "--masks", "sent-png", "--by", " ", "--at", "2026-03-04T05:06:07Z", "-o", "base/out/x.yaml")
}

// zipFolder packs a folder, its names below a prefix.
func zipFolder(t *testing.T, dir, prefix string) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.zip")
	try(t, err)
	defer f.Close()
	z := zip.NewWriter(f)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w, err := z.Create(prefix + filepath.ToSlash(rel))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	try(t, err, z.Close())
	return f.Name()
}

// unzipped unpacks an archive into a new folder.
func unzipped(t *testing.T, file string) string {
	t.Helper()
	z, err := zip.OpenReader(file)
	try(t, err)
	defer z.Close()
	dir := t.TempDir()
	try(t, os.CopyFS(dir, z))
	return dir
}

// More of the kinds of the shared cases, each with the result that its user expects.
func TestMoreCases(t *testing.T) {
	sharedCases(t)
	edit := func(name, old, new string) {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%s: %v, or it has no %q", name, err, old)
		}
		try(t, os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o666))
	}
	write := func(name, text string) {
		t.Helper()
		try(t, os.MkdirAll(filepath.Dir(name), 0o777))
		try(t, os.WriteFile(name, []byte(text), 0o666))
	}
	run := func(name string, want wanted, args ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			os.RemoveAll("out")
			stdout, stderr, code := hdseg(t, append(args, "-o", "out", "--progress", "none")...)
			want.check(t, "out/stages/ingest.yaml", stdout+stderr, code)
		})
	}
	edit("coco-iscrowd-float/instances.json", `"p0.jpg"`, `"C:\\data\\p0.jpg"`)
	run("a path of Windows", wanted{records: bothObjects}, "ingest", "--coco", "coco-iscrowd-float/instances.json=coco-iscrowd-float/images")
	edit("coco-float-size/instances.json", "[10, 14,", `["10.0", 14,`)
	run("a coordinate in quotes in a box", wanted{records: bothObjects}, "ingest", "--coco", "coco-float-size/instances.json=coco-float-size/images")
	edit("coco-nan-area/instances.json", "NaN", "-Infinity")
	run("-Infinity in a field that nobody reads", wanted{records: bothObjects}, "ingest", "--coco", "coco-nan-area/instances.json=coco-nan-area/images")
	edit("coco-string-size/instances.json", `"96"`, `"wide"`)
	run("a width that is no number", wanted{records: bothObjects, says: "image 1: its width or height is no whole number"}, "ingest", "--coco", "coco-string-size/instances.json=coco-string-size/images")
	edit("labelmap-swapped-colours/VOC/labelmap.txt", "horse", "Horse")
	run("a label in another case", wanted{code: 1, says: "has no label horse, but Horse: give the class the name \"Horse\" (class.name of the config, or --set class.name=Horse)"}, "ingest", "--voc", "labelmap-swapped-colours/VOC")
	edit("labelmap-own-colours/VOC/labelmap.txt", "cat:250,50,83::\n", "")
	run("a color outside the map", wanted{code: 3, records: map[string]int{}, says: "color (250,50,83) is not in labelmap.txt"}, "ingest", "--voc", "labelmap-own-colours/VOC")
	try(t, os.Rename("labelmap-cvat-default-horse/VOC/labelmap.txt", "labelmap-cvat-default-horse/labelmap.txt"))
	run("a map above the devkit", wanted{records: map[string]int{"p0": 960, "p1": 960, "p2": 960}}, "ingest", "--voc", "labelmap-cvat-default-horse")
	write("names/VOC/class_names.txt", "_background_\nhorse\n")
	for _, sub := range []string{"SegmentationClass", "JPEGImages", "ImageSets/Segmentation"} {
		try(t, os.CopyFS(filepath.Join("names/VOC", sub), os.DirFS(filepath.Join("voc-xml-no-size/VOC", sub))))
	}
	run("numbers beyond class_names.txt", wanted{code: 3, records: map[string]int{}, says: "number 13 is not in class_names.txt, which has 2 labels"}, "ingest", "--voc", "names/VOC")
	write("names/VOC/class_names.txt", "_background_\n"+strings.Repeat("a", 1)+"\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nhorse\n")
	run("class_names.txt of the pixels", wanted{records: bothObjects}, "ingest", "--voc", "names/VOC")
	try(t, os.RemoveAll("names/VOC/ImageSets"))
	write("names/VOC/Labels.txt", "horse\n")
	run("labels.txt, which has no fixed form", wanted{records: bothObjects, says: "1 files that may say what mask values mean were not used"}, "ingest", "--voc", "names/VOC")
	run("labelme's devkit without image sets", wanted{records: bothObjects}, "ingest", "--voc", "names/VOC")
	try(t, os.Rename("names/VOC/SegmentationClass", "names/VOC/SegmentationClassPNG"))
	run("masks in SegmentationClassPNG", wanted{records: bothObjects}, "ingest", "--voc", "names/VOC")
	for from, to := range map[string]string{"JPEGImages": "images", "SegmentationClassPNG": "masks", "class_names.txt": "class_names.txt"} {
		try(t, os.MkdirAll("labeled", 0o777), os.Rename("names/VOC/"+from, "labeled/"+to))
	}
	run("a plain folder with a label map", wanted{records: bothObjects}, "ingest", "--folder", "labeled")
	write("labeled/class_names.txt", "_background_\ncat\n")
	run("a plain folder whose map lacks the class", wanted{code: 1, says: "class_names.txt has no label horse, only _background_, cat"}, "ingest", "--folder", "labeled")
	move := func(from, to string) {
		t.Helper()
		try(t, os.MkdirAll(filepath.Dir(to), 0o777), os.Rename(from, to))
	}
	write("labeled/class_names.txt", "_background_\n"+strings.Repeat("a", 1)+"\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nhorse\n")
	move("labeled/images/p0.jpg", "labeled/images/x/p0.jpg")
	write("labeled/boxes.csv", "image,xmin,ymin,xmax,ymax\nC:\\data\\x\\p0.jpg,10,14,84,54\n")
	run("masks and boxes of a picture in a folder", wanted{records: map[string]int{"x%2Fp0": leftObject, "p1": rightObject}, boxes: "10,14,84,54", says: "found_in_other_folder               2"}, "ingest", "--folder", "labeled")
	move("labeled/masks/p0.png", "labeled/masks/y/p0.png")
	run("a mask in a folder that contradicts", wanted{code: 3, records: map[string]int{"x%2Fp0": -1, "p1": rightObject}, says: "x/p0 lies in another folder"}, "ingest", "--folder", "labeled")
	move("labeled/masks/y/p0.png", "labeled/masks/p0.png")
	try(t, os.CopyFS("labeled/images/y", os.DirFS("labeled/images/x")))
	run("a mask of one picture or another", wanted{code: 3, records: map[string]int{"x%2Fp0": -1, "y%2Fp0": -1, "p1": rightObject}, says: "several files may be meant: x/p0, y/p0"}, "ingest", "--folder", "labeled")
	write("labeled/boxes.csv", "image,xmin,ymin,xmax,ymax\n/srv/train/p1.jpg,10,14,84,54\n/srv/val/p1.jpg,0,0,9,9\nX/P0.JPG,0,0,9,9\n")
	twoNames := "several names may mean p1: srv/train/p1, srv/val/p1: keep one of them"
	run("rows of two names that fit one picture", wanted{code: 3, records: map[string]int{"x%2Fp0": -1, "y%2Fp0": -1, "p1": rightObject}, says: twoNames}, "ingest", "--folder", "labeled")
	run("rows of another case", wanted{code: 3, says: "X/P0.JPG that images does not have; x/p0, y/p0 differs in upper and lower case"}, "ingest", "--folder", "labeled")
	write("labeled/boxes.csv", "image,xmin,ymin,xmax,ymax\nval/p1.jpg,0,0,9,9\np1.jpg,10,14,84,54\n")
	run("rows of one name with more folders before", wanted{code: 3, boxes: "0,0,9,9"}, "ingest", "--folder", "labeled")
	move("labeled/masks/p1.png", "labeled/masks/val/p1.png")
	try(t, os.CopyFS("labeled/masks/train", os.DirFS("labeled/masks/val")))
	run("two masks that fit one picture", wanted{code: 3, records: map[string]int{"x%2Fp0": -1, "y%2Fp0": -1, "p1": -1}, says: "several names may mean p1: train/p1, val/p1"}, "ingest", "--folder", "labeled")
	run("the pictures' own folder", wanted{code: 1, says: "--folder labeled/images: got no pictures in a folder images; want images/ with the pictures and masks/ with masks of the same names: name the folder above, labeled, which holds images/"}, "ingest", "--folder", "labeled/images")
	write("panoptic.json", `{"images": [], "categories": [{"id": 1, "name": "horse"}], "annotations": [{"image_id": 1, "segments_info": []}]}`)
	run("panoptic segments", wanted{code: 1, says: "no annotation has a category_id: want a file of instances"}, "ingest", "--coco", "panoptic.json=labeled")
	write("via.json", `{"p0.jpg96": {"filename": "p0.jpg", "size": 96, "regions": []}}`)
	write("via/p0.json", `{"_via_settings": {}, "_via_img_metadata": {}}`)
	write("lm/p2.json", `{"shapes": []}`)
	for file, says := range map[string]string{"via.json": "got a file of VIA, the VGG Image Annotator: export it there as COCO", "via/p0.json": "a file of VIA", "lm/p2.json": "got a file of labelme: annotate import --format labelme reads it"} {
		run(file+" for COCO", wanted{code: 1, says: "--coco " + file + ": got "}, "ingest", "--coco", file+"=labeled")
		run(file+" for COCO, by its kind", wanted{code: 1, says: says}, "ingest", "--coco", file+"=labeled")
	}
	write("boxes-csv-fractions/boxes.csv", "sep=;\nimage;xmin;ymin;xmax;ymax\np0.jpg;10;14;84;54\n;;;;\n")
	run("a table of a spreadsheet", wanted{records: map[string]int{"p0": -1, "p1": -1}, boxes: "10,14,84,54"}, "ingest", "--folder", "boxes-csv-fractions")
	write("boxes-csv-fractions/boxes.csv", "image,xmin,ymin,xmax,ymax\np0.jpg,0,0,1,1\np1.jpg,10,14,84,54\n")
	run("one row in fractions", wanted{code: 3, records: map[string]int{"p0": -1, "p1": -1}, says: "p0: box_fraction", boxes: "10,14,84,54"}, "ingest", "--folder", "boxes-csv-fractions")

	must(t, "ingest", "--folder", "base/src", "-o", "base/out", "--progress", "none")
	take := func(name string, want wanted, args ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			os.Remove("base/out/rev.yaml")
			stdout, stderr, code := hdseg(t, append([]string{"annotate", "import", "base/out/stages/ingest.yaml", "--by", "A", "--at", "2026-03-04T05:06:07Z", "-o", "base/out/rev.yaml"}, args...)...)
			want.check(t, "base/out/rev.yaml", stdout+stderr, code)
		})
	}
	drawn := wanted{records: map[string]int{"p2": drawnObject}}
	same := wanted{says: "2 masks came back unchanged", records: bothObjects} // the archives hold p0 and p1 as they are
	// chosen: as labelme shows it
	take("another label drawn over the class", wanted{records: map[string]int{"p2": drawnObject - 52*31}}, "--format", "labelme", "--masks", "labelme-other-label", "--others-ground")
	take("a zip of labelme files", drawn, "--format", "labelme", "--masks", "annotate-import-archives/labelme.zip")
	take("COCO as CVAT packs it", same, "--format", "coco", "--masks", "annotate-import-archives/coco-as-cvat-exports.zip")
	take("COCO for labelme", wanted{code: 3, says: "instances.json: got a file of COCO: annotate import --format coco reads it"}, "--format", "labelme", "--masks", "coco-nan-area")
	take("labelme for COCO", wanted{code: 1, says: "p2.json: got a file of labelme: annotate import --format labelme reads it"}, "--format", "coco", "--masks", "lm")
	take("VIA for masks", wanted{code: 1, says: "p0.json: got a file of VIA"}, "--format", "png", "--masks", "via")
	take("COCO behind gzip", same, "--format", "coco", "--masks", "annotate-import-archives/coco.json.gz")
	try(t, os.CopyFS("voc", os.DirFS(unzipped(t, "cvat-dot-slash/task.zip"))), os.Rename("voc/SegmentationClass", "voc/SegmentationClassPNG"))
	take("masks in SegmentationClassPNG", wanted{records: map[string]int{"p2": drawnObject, "p3": drawnObject}}, "--format", "cvat", "--masks", "voc")
	try(t, os.CopyFS("coco/annotations", os.DirFS("annotate-import-archives")))
	write("coco/annotations/instances_val.json", `{"images": [{"id": 1, "file_name": "p2.jpg"}], "categories": [{"id": 1, "name": "horse"}], "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[0, 0, 4, 0, 4, 3, 0, 3]]}]}`)
	write("coco/annotations/captions_val.json", `{"images": [{"id": 1, "file_name": "p2.jpg"}], "annotations": [{"id": 1, "image_id": 1, "caption": "a horse"}]}`)
	take("COCO's instances beside captions", wanted{records: map[string]int{"p2": 4 * 3}}, "--format", "coco", "--masks", "coco")
	take("fractions of the picture", wanted{code: 3, says: "got fractions of the picture"}, "--format", "labelme", "--masks", fractionsOf(t))
	write("images-task/annotations.xml", "<annotations/>")
	take("CVAT for images", wanted{code: 1, says: `export the task as "Segmentation mask 1.1" instead`}, "--format", "cvat", "--masks", zipFolder(t, "images-task", ""))
}

// Names, several tasks in one place, and masks that came back.
func TestImportCases(t *testing.T) {
	sharedCases(t)
	copyTo := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		try(t, err, os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, data, 0o666))
	}
	for i, id := range []string{"a", "a.mask", "b", "b.overlay", "p0.v2", "x/s"} { // p2's picture, each with other bytes
		copyTo("base/src/images/p2.jpg", "base/src/images/"+id+".jpg")
		f, err := os.OpenFile("base/src/images/"+id+".jpg", os.O_APPEND|os.O_WRONLY, 0)
		try(t, err)
		_, err = f.WriteString(strings.Repeat("\x00", i+1))
		try(t, err, f.Close())
	}
	must(t, "ingest", "--folder", "base/src", "-o", "base/out", "--progress", "none")
	coco := func(name, category string, files ...string) string {
		var images, annotations []string
		for i, file := range files { // each has a square of its own
			images = append(images, fmt.Sprintf(`{"id": %d, "file_name": %q}`, i, file))
			x := 5 * i
			annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": 1, "segmentation": [[%d, 0, %d, 0, %d, 4, %d, 4]]}`, i, i, x, x+3, x+3, x))
		}
		text := fmt.Sprintf(`{"images": [%s], "categories": [{"id": 1, "name": %q}], "annotations": [%s]}`, strings.Join(images, ", "), category, strings.Join(annotations, ", "))
		try(t, os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	none := map[string]int{"p0": leftObject, "p1": rightObject, "p2": -1, "p3": -1, "a": -1, "a.mask": -1, "b": -1, "b.overlay": -1, "p0.v2": -1, "x%2Fs": -1}
	with := func(figures map[string]int) map[string]int {
		all := maps.Clone(none)
		maps.Copy(all, figures)
		return all
	}
	take := func(name string, code int, says string, figures map[string]int, args ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			os.Remove("base/out/rev.yaml")
			stdout, stderr, got := hdseg(t, append([]string{"annotate", "import", "base/out/stages/ingest.yaml", "--by", "A", "--at", "2026-03-04T05:06:07Z", "-o", "base/out/rev.yaml"}, args...)...)
			w := wanted{code: code, says: says, records: with(figures)}
			w.check(t, "base/out/rev.yaml", stdout+stderr, got)
		})
	}
	drawn := "png-rgb-one.png"
	copyTo("base/src/masks/p0.png", drawn)
	for _, id := range []string{"a.mask", "b.overlay"} {
		copyTo(drawn, "own/"+id+".png")
	}
	take("records whose names end as those of segment", 0, "", map[string]int{"a.mask": leftObject, "b.overlay": leftObject}, "--masks", "own")
	copyTo(drawn, "segments/b.mask.png")
	copyTo("base/src/images/p2.jpg", "segments/b.overlay.png") // never read
	take("what segment wrote", 0, "", map[string]int{"b": leftObject}, "--masks", "segments")
	take("an ending that is no extension", 0, "", map[string]int{"p0.v2": 12}, "--format", "coco", "--masks", coco("v2.json", "horse", "p0.v2"))
	copyTo(drawn, "other/z/p2.png")
	take("a mask from another folder", 0, "1 mask was taken from another folder", map[string]int{"p2": leftObject}, "--masks", "other")
	copyTo(drawn, "two/cats/p2.png")
	copyTo("base/src/masks/p1.png", "two/dogs/p2.png")
	take("two masks for one record", 3, "cats/p2.png: several names may mean p2: cats/p2.png, dogs/p2.png: keep one of them", nil, "--masks", "two")
	coco("tasks/a/annotations.json", "horse", "p2.jpg")
	coco("tasks/b/annotations.json", "horse", "p3.jpg")
	coco("tasks/instances_val.json", "horse", "x/s.jpg")
	take("three files of COCO", 0, "", map[string]int{"p2": 12, "p3": 12, "x%2Fs": 12}, "--format", "coco", "--masks", zipFolder(t, "tasks", ""))
	take("a picture under two entries", 0, "", map[string]int{"p2": 24}, "--format", "coco", "--masks", coco("twice.json", "horse", "p2.jpg", "images/p2.jpg"))
	take("a file of COCO without the class", 1, "categories: got none with the name horse, the file has Horse", nil, "--format", "coco", "--masks", coco("Horse.json", "Horse", "p2.jpg"), "--others-ground", "--empty")
	for task, id := range map[string]string{"1": "p2", "2": "p3"} {
		copyTo("cvat-dot-slash/task.zip", "packed.zip")
		from := unzipped(t, "packed.zip")
		copyTo(filepath.Join(from, "labelmap.txt"), "cvat/task"+task+"/labelmap.txt")
		copyTo(filepath.Join(from, "SegmentationClass", id+".png"), "cvat/task"+task+"/SegmentationClass/"+id+".png")
	}
	take("two tasks of CVAT", 0, "", map[string]int{"p2": drawnObject, "p3": drawnObject}, "--format", "cvat", "--masks", zipFolder(t, "cvat", ""))
}

// A mask that is any of a record's is nobody's work: one of another tier, or one that somebody corrected since.
func TestImportEarlierMasks(t *testing.T) {
	sharedCases(t)
	in := func(name string) string { return "base/out/" + name + ".yaml" }
	bring := func(from, to, by, masks string, more ...string) string {
		t.Helper()
		_, stderr, code := hdseg(t, append([]string{"annotate", "import", in(from), "--by", by, "--at", "2026-03-04T05:06:07Z", "--masks", masks, "-o", in(to)}, more...)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		return stderr
	}
	check := func(name string, said, says string, records map[string]int) {
		t.Helper()
		w := wanted{says: says, records: records}
		w.check(t, in(name), said, 0)
	}
	must(t, "ingest", "--folder", "base/src", "-o", "base/out", "--progress", "none")
	must(t, "annotate", "export", in("stages/ingest"), "-o", "sent", "--progress", "none")
	data, err := os.ReadFile("base/src/masks/p1.png")
	try(t, err, os.MkdirAll("fix", 0o777), os.WriteFile("fix/p0.png", data, 0o666), os.WriteFile("fix/p2.png", data, 0o666))
	bring("stages/ingest", "fixed", "Ben", "fix")
	said := bring("fixed", "back", "Ann", "sent")
	check("back", said, "1 mask that is not its record's newest came back: p0 (manual, revision 0)", map[string]int{"p0": rightObject, "p1": rightObject, "p2": rightObject, "p3": -1})
	said = bring("fixed", "taken", "Ann", "sent", "--accept-unchanged")
	check("taken", said, "p0 (manual, revision 0)", map[string]int{"p0": leftObject, "p1": rightObject, "p2": rightObject, "p3": -1})
	bring("stages/ingest", "tools", "SAM", "fix", "--tier", "external:sam")
	for _, format := range []string{"png", "labelme", "coco"} {
		must(t, "annotate", "export", in("tools"), "--tier", "external:sam", "--format", format, "-o", "sam-"+format, "--progress", "none")
		said = bring("tools", "sam-"+format, "Ann", "sam-"+format, "--format", format, "--empty")
		check("sam-"+format, said, "2 masks came back unchanged", map[string]int{"p0": leftObject, "p1": rightObject, "p2": -1, "p3": -1})
	}
}

// fractionsOf writes a labelme file whose points are fractions.
func fractionsOf(t *testing.T) string {
	dir := t.TempDir()
	text := `{"shapes": [{"label": "horse", "shape_type": "polygon", "points": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]]}]}`
	try(t, os.WriteFile(filepath.Join(dir, "p2.json"), []byte(text), 0o666))
	return dir
}

package ingest

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// What is left aside is named; what a user would expect to be read and was not is a skip, which makes the exit code 3.
func TestFolderStrays(t *testing.T) {
	tiff := []byte("II*\x00\x08\x00\x00\x00")
	req := folderOf(t,
		member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/notes.txt", []byte("hello")}, member{"images/scan.tif", tiff}, member{"images/scan2", tiff},
		member{"images/raw.nef", []byte("whatever")}, member{"images/b.jfif", jpegBytes(40, 30, 2)}, member{"images/c.download", jpegBytes(40, 30, 3)},
		member{"images/empty.dat", nil},
		member{"masks/a.png", grayMask(40, 30, 0, 255)}, member{"masks/c.mask", grayMask(40, 30, 0, 255)}, member{"masks/b.tif", tiff}, member{"masks/readme", []byte("x")},
		member{"masks/orphan.png", grayMask(40, 30, 0, 255)},
		member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\ngone.jpg,1,2,3,4\ngone.jpg,2,3,4,5\nc.download,1,1,9,9\n")},
		member{"sub/boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n")},
		member{"LICENSE", nil}, member{"cover.jpg", jpegBytes(4, 4, 1)})
	res := wantSkips(t, req, "001/sub/boxes.csv duplicate_box_table", "b unsupported_mask", "gone box_without_image", "orphan mask_without_image",
		"raw unsupported_picture", "scan unsupported_picture", "scan2 unsupported_picture")
	if res.Read != 6 || res.Kept != 3 || res.Dropped != 3 {
		t.Errorf("read %d, kept %d, dropped %d", res.Read, res.Kept, res.Dropped)
	}
	for id, tier := range map[string]manifests.Tier{"a": manifests.Manual, "b": manifests.Label, "c": manifests.Manual} {
		if r := record(t, res, id); r.Tier != tier || (id == "c") != (len(r.Boxes) == 1) || (id == "c") != slices.Contains(r.Image.Notes, "ext_mismatch") {
			t.Errorf("%s: got %+v", id, r)
		}
	}
	want := []Aside{
		{"other_file", "001/LICENSE"}, {"other_file", "001/images/empty.dat"}, {"other_file", "001/images/notes.txt"},
		{"other_file", "001/masks/readme"}, {"picture_outside_images", "001/cover.jpg"},
	}
	if !slices.Equal(res.Aside, want) || res.Other["other_file"] != 4 || res.Other["picture_outside_images"] != 1 {
		t.Errorf("got %v, %v", res.Aside, res.Other)
	}
	for _, s := range res.Manifest.Skipped {
		if s.Reason == "box_without_image" && !strings.Contains(s.Detail, "2 rows belong to a picture gone.jpg") {
			t.Errorf("got %v", s)
		}
	}

	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := res.WriteLists(store, "stages/ingest"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(store.Dir(), "stages", "ingest.aside.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 6 || !slices.Equal(rows[0], []string{"code", "file"}) || !slices.Equal(rows[5], []string{"picture_outside_images", "001/cover.jpg"}) {
		t.Errorf("got %v, %v", rows, err)
	}
}

// Strays of the other sources.
func TestOtherStrays(t *testing.T) {
	tiff := []byte("MM\x00*\x00\x00\x00\x08")
	req := world(t)
	plant(t, req.ImageNet[0], member{"more/list.txt", []byte("n02374451_1")}, member{"more/n02374451_7.xml", boxXML(40, 30)}, member{"more/x.tiff", tiff}, member{"more/y", jpegBytes(4, 4, 1)})
	res, _ := mustIngestSome(t, req)
	if got := reasons(res); len(got) != 2 || !strings.HasSuffix(got[1], "/y bad_name") || got[0] != "imagenet/more/x.tiff unsupported_picture" {
		t.Errorf("got %v", got)
	}
	if !slices.ContainsFunc(res.Aside, func(a Aside) bool { return a.Code == "other_file" && strings.HasSuffix(a.Name, "more/list.txt") }) ||
		!slices.ContainsFunc(res.Aside, func(a Aside) bool {
			return a.Code == "box_without_image" && strings.HasSuffix(a.Name, "n02374451_99.xml")
		}) {
		t.Errorf("got %v", res.Aside)
	}
	said := func() bool {
		return slices.ContainsFunc(res.Notices(&req), func(s string) bool { return strings.Contains(s, "1 box files lie among the ImageNet pictures") })
	}
	if said() {
		t.Error("boxes were given, and are missed")
	}
	req.Boxes = nil
	if !said() {
		t.Errorf("got %v", res.Notices(&req))
	}

	req = Request{Dataset: "x", Class: Horse(), HDSeg: []string{plant(t, t.TempDir(), append(hdsegFiles(), member{"HDSeg/images/HorseSeg/voc12/2007_000001.tif", tiff})...)}, Options: Defaults(), Workers: 1, Version: "test"}
	if res, _ = mustIngestSome(t, req); !slices.Contains(reasons(res), "2007_000001 unsupported_picture") || !slices.ContainsFunc(res.Aside, func(a Aside) bool { return a.Code == "image_without_mask" }) {
		t.Errorf("got %v, %v", reasons(res), res.Aside)
	}
	req = cocoRequest(t, strings.Replace(cocoA, "a.jpg", "a.tif", 1), `{"id": 1, "image_id": 10, "category_id": 2, "bbox": [1, 1, 2, 2], "segmentation": [[1,1,3,1,3,3]]}`)
	plant(t, req.COCO[0].Images, member{"a.tif", tiff})
	wantSkips(t, req, "a.tif unsupported_picture")
}

// Rows of other labels are listed, and counted by their labels; what nearly is the class is named, and so is what to do where no row
// is of the class.
func TestOtherLabelsOfABoxTable(t *testing.T) {
	for _, c := range []struct {
		rows, want string
		aside      []string
	}{
		{"a.jpg,1,1,9,9,Horse\nb.jpg,1,1,9,9,\n", "", nil},
		{"a.jpg,1,1,9,9,horse\na.jpg,2,2,9,9,hrose\nb.jpg,1,1,9,9,dog\nb.jpg,2,2,9,9,dog\n",
			"/boxes.csv: left aside 3 of 4 rows, whose label is not horse: dog (2), hrose (1) (is hrose meant to be horse?)",
			[]string{"/boxes.csv: line 3: hrose", "/boxes.csv: line 4: dog", "/boxes.csv: line 5: dog"}},
		{"a.jpg,1,1,9,9,horses\n", "/boxes.csv: left aside 1 of 1 rows, whose label is not horse: horses (1) (is horses meant to be horse?); no row is left: " +
			`write horse into the label column, or give the class the name "horses" (class.name of the config, or --set class.name=horses)`,
			[]string{"/boxes.csv: line 2: horses"}},
	} {
		req := folderOf(t, member{"images/a.jpg", jpegBytes(40, 30, 1)}, member{"images/b.jpg", jpegBytes(40, 30, 2)},
			member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax,label\n" + c.rows)})
		folder := filepath.Base(req.Folders[0])
		res := wantSkips(t, req)
		if got := strings.Join(res.Labels, "\n"); c.want == "" && got != "" || c.want != "" && got != folder+c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.rows, got, c.want)
		}
		var names []string
		for _, a := range res.Aside {
			if a.Code == "box_of_other_class" {
				names = append(names, strings.TrimPrefix(a.Name, folder))
			}
		}
		if !slices.Equal(names, c.aside) || res.Other["box_of_other_class"] != len(c.aside) {
			t.Errorf("%q: got %q, counted %d", c.rows, names, res.Other["box_of_other_class"])
		}
		if c.want != "" && !slices.Contains(res.Notices(&req), folder+c.want) {
			t.Errorf("%q: got notices %q", c.rows, res.Notices(&req))
		}
	}
}

package format

import (
	"image"
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

// Numbers follow the lines, background first; void labels and VOC's border are void.
func TestParseLabelMap(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"labelmap.txt", "# label:color\nbackground:0,0,0::\nhorse:1,2,3::\n", "background horse"},
		{"labelmap.txt", "horse:1,2,3::\r\ndog:4,5,6::\r\n\r\nbackground:0,0,0::\r\n", "background horse dog"},
		{"labelmap.txt", "background\nhorse\n", "background horse"},
		{"class_names.txt", "__ignore__\n_background_\nhorse\n", "_background_ horse"},
		{"labelmap.txt", "horse:1,2,3::\nhorse:1,2,3::\nbackground:::", "got horse twice"},
		{"labelmap.txt", "horse:1,2,3::\n", "got no label named background, only horse"},
		{"labelmap.txt", "Background:0,0,0::\nhorse : 1,2,3 ::\n", "Background horse"},
		{"labelmap.txt", "background:0,0,0::\nhorse:0,0,0::\n", "background and horse have one color, 0,0,0"},
		{"labelmap.txt", "background:0,0,0::\nhorse:0,0::\n", `line "horse:0,0::": want NAME:R,G,B`},
		{"labelmap.txt", "background:0,0,0::\nhorse:0,0,256::\n", "want NAME:R,G,B"},
		// aaa has no color: VOC's of number 2
		{"labelmap.txt", "background:0,0,0::\nx:0,0,1::\n" + strings.Repeat("a", 3) + "\nhorse:0,128,0::\n", "aaa and horse have one color"},
		// black is the background
		{"label_colors.txt", "64 128 64\tAnimal\n0 0 0\t\tVoid\n 9 0 64 Road Shoulder\n", "Void Animal Road Shoulder"},
		{"label_colors.txt", "64 128 Animal\n", `line "64 128 Animal": want R G B NAME`},
		{"colors.txt", "cat 64 128 64\nRoad Shoulder\t9 0 64\n\nneutral 0 0 0\n", "neutral cat Road Shoulder"},
		{"colors.txt", "64 128 64 Animal\n", `line "64 128 64 Animal": want NAME R G B with colors of 0 to 255`},
		{"label_names.txt", "_background_\nhorse\n", "_background_ horse"},
		{"labelmap.csv", "name,r,g,b\nbackground,0,0,0\ncat,255,0,0\n", "background cat"},
		{"class_dict.csv", "name,r,g,b\nsky,0,0,0\ncat, 255, 0, 0\n", "sky cat"},
		{"class_dict.csv", "Class, R, G, B\r\nsky,0,0,0\r\ncat,255,0,0\r\n", "sky cat"},
		{"_classes.csv", "Pixel Value, Class\n0, background\n1, horse\n2, cat", "background horse cat"},
		{"_classes.csv", "Pixel Value, Class\n0, background\n2, horse\n", `line "2, horse": want the numbers 0, 1, 2`},
		{"_classes.csv", "Pixel Value, Class\nhorse\n", `line "horse": want NUMBER,NAME`},
		{"dataset_meta.json", `{"label_map": {"0": "Void", "1": "cat"}, "segmentation_colors": [[0, 0, 0], [64, 128, 64.0]], "background_label": "0"}`, "Void cat"},
		{"dataset_meta.json", `{"label_map": {"0": "cat", "1": "gnu"}, "background_label": 1}`, "gnu cat"},
		{"dataset_meta.json", `{"label_map": {"0": "background", "2": "gnu"}}`, "got no label 1, want the numbers 0 to 1"},
		{"dataset_meta.json", `{"label_map": {"0": "background", "1": "gnu"}, "segmentation_colors": [[0, 0, 0]]}`, "got 1 colors for 2 labels"},
		{"dataset_meta.json", `{"labels": []}`, "got no label_map"},
	} {
		m, err := ParseLabelMap("x/"+c.file, []byte(c.text))
		if err == nil && strings.Join(m.Names, " ") != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: got %+v, %v, want %s", c.file, c.text, m, err, c.want)
		}
	}
}

// Colors decide where the map has all of them, numbers otherwise; what is in neither is an error.
func TestLabelMapDecode(t *testing.T) {
	m, err := ParseLabelMap("labelmap.txt", []byte("background:9,9,9::\ncat:0,128,0::\nhorse:128,0,0::\nvoid:7,7,7::\n"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := ParseLabelMap("class_names.txt", []byte("_background_\ncat\nhorse\n"))
	if err != nil {
		t.Fatal(err)
	}
	rgb := image.NewNRGBA(image.Rect(0, 0, 5, 1))
	for x, c := range []color.NRGBA{{9, 9, 9, 255}, {0, 128, 0, 255}, {128, 0, 0, 255}, {7, 7, 7, 255}, {224, 224, 192, 255}} {
		rgb.SetNRGBA(x, 0, c)
	}
	other := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	other.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 255})
	// its numbers 2 and 1 have the map's colors of 1 and 2
	voc := image.NewPaletted(image.Rect(0, 0, 3, 1), VOCPalette())
	copy(voc.Pix, []uint8{2, 1, 255})
	gray := image.NewGray(image.Rect(0, 0, 4, 1))
	copy(gray.Pix, []uint8{0, 1, 2, 255})
	odd := image.NewPaletted(image.Rect(0, 0, 3, 1), color.Palette{color.Gray{0}, color.NRGBA{5, 0, 0, 255}, color.NRGBA{0, 5, 0, 255}})
	copy(odd.Pix, []uint8{0, 1, 2})
	for name, c := range map[string]struct {
		m     *LabelMap
		img   image.Image
		want  []uint8
		fault string
	}{
		"colors":                        {m, rgb, []uint8{0, 1, 2, 255, 255}, ""},
		"an unknown color":              {m, other, nil, "color (1,2,3) is not in labelmap.txt"},
		"a palette in colors":           {m, voc, []uint8{1, 2, 255}, ""},
		"grey numbers":                  {m, gray, []uint8{0, 1, 2, 255}, ""},
		"a palette of unknown colors":   {m, odd, nil, "color (5,0,0) is not in labelmap.txt"},
		"names and a palette":           {names, odd, []uint8{0, 1, 2}, ""},
		"names and a number beyond":     {names, grayOf(3), nil, "number 3 is not in class_names.txt, which has 3 labels"},
		"names and VOC's colors in RGB": {names, rgbOf(vocColor(2)), []uint8{2}, ""},
	} {
		got, err := c.m.Decode(pngOf(t, c.img), raster.DefaultLimits())
		if c.fault == "" && (err != nil || !slices.Equal(got.Pix, c.want)) || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: got %+v, %v, want %v %s", name, got, err, c.want, c.fault)
		}
	}
	if n, err := m.Number("horse"); n != 2 || err != nil {
		t.Errorf("horse: got %d, %v, want 2", n, err)
	}
	if _, err := m.Number("Cat"); err == nil || !strings.Contains(err.Error(), "no label Cat, but cat") {
		t.Errorf("Cat: got %v", err)
	}
	if _, err := m.Number("gnu"); err == nil || !strings.Contains(err.Error(), "only background, cat, horse, void") {
		t.Errorf("gnu: got %v", err)
	}
}

func grayOf(v uint8) image.Image {
	img := image.NewGray(image.Rect(0, 0, 1, 1))
	img.Pix[0] = v
	return img
}

func rgbOf(c [3]uint8) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{c[0], c[1], c[2], 255})
	return img
}

// Tables of colors as spreadsheets and other tools write them, and what is refused.
func TestLabelTables(t *testing.T) {
	for name, c := range map[string]struct{ file, text, fault string }{
		"plain":         {"class_dict.csv", "name,r,g,b\nground,0,0,0\nhorse,128,0,0\n", ""},
		"in quotes":     {"class_dict.csv", "\"name\",\"r\",\"g\",\"b\"\n\"ground\",\"0\",\"0\",\"0\"\n\"horse\",\"128\",\"0\",\"0\"\n", ""},
		"tabs":          {"class_dict.csv", "name\tr\tg\tb\nground\t0\t0\t0\nhorse\t128\t0\t0\n", ""},
		"semicolons":    {"labelmap.csv", "Name; R; G; B\r\nground; 0; 0; 0\r\nhorse; 128; 0; 0\r\n", ""},
		"words":         {"labelmap.csv", "label,red,green,blue\nground,0,0,0\nhorse,128,0,0\n", ""},
		"comments":      {"labelmap.txt", "# label:color_rgb:parts:actions\r\nbackground:0,0,0::\r\n\r\nhorse:128,0,0::\r\n", ""},
		"Roboflow":      {"_classes.csv", "Pixel Value, Class\n0, background\n1, \"horse\"\n", ""},
		"fractions":     {"class_dict.csv", "name,r,g,b\nground,0,0,0\nhorse,0.5,0,0\n", "want NAME,R,G,B with colors of 0 to 255"},
		"three cells":   {"class_dict.csv", "name,r,g,b\nground,0,0\n", "want NAME,R,G,B"},
		"a comma":       {"class_dict.csv", "name,r,g,b\n\"a, b\",0,0,0\nhorse,128,0,0\n", ""},
		"JSON, NaN":     {"dataset_meta.json", `{"x": NaN, "Label_map": {}, "label_map": {"0": "background", "1": "horse"}, "segmentation_colors": [[0, 0, 0], [128, 0, 0.0]]}`, ""},
		"JSON, faults":  {"dataset_meta.json", `{"label_map": {"0": "background", "1": "horse"}, "segmentation_colors": [[0, 0, 0], [128, 0, 0.5]]}`, "segmentation_colors at byte 72: got 0.5, want a whole number"},
		"JSON, no list": {"dataset_meta.json", `[1]`, "got [1], want an object {...}"},
	} {
		m, err := ParseLabelMap(c.file, []byte(c.text))
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: got %v, want %q", name, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := rgbOf([3]uint8{128, 0, 0})
		if m.listed {
			img = grayOf(1)
		}
		got, err := m.Decode(pngOf(t, img), raster.DefaultLimits())
		if n, _ := m.Number("horse"); err != nil || n != 1 || !slices.Equal(got.Pix, []uint8{1}) {
			t.Errorf("%s: got %v, %v, %q, want 1", name, got, err, m.Names)
		}
	}
}

func FuzzLabelMap(f *testing.F) {
	forms := slices.Sorted(maps.Keys(labelMaps))
	for i := range forms {
		f.Add(uint8(i), "background:0,0,0::\nhorse:128,0,0::\n")
		f.Add(uint8(i), "background\nhorse\n")
		f.Add(uint8(i), "name,r,g,b\nbackground,0,0,0\nhorse,128,0,0\n")
		f.Add(uint8(i), "0 0 0 background\n128 0 0 horse\n")
		f.Add(uint8(i), `{"label_map": {"0": "x", "1": "horse"}, "segmentation_colors": [[0, 0, 0], [128, 0, 0]], "background_label": "0"}`)
	}
	f.Fuzz(func(t *testing.T, form uint8, text string) {
		m, err := ParseLabelMap(forms[int(form)%len(forms)], []byte(text))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for i, n := range m.Names {
			if seen[n] || i >= VOCVoid {
				t.Errorf("name %d: %q stands twice, or is one too many", i, n)
			}
			seen[n] = true
		}
	})
}

// TestIsVoid knows the names that tools give to pixels of no label.
func TestIsVoid(t *testing.T) {
	for label, want := range map[string]bool{"void": true, "Void": true, "ignored": true, "ignore": true, "__ignore__": true, "unlabeled": false, "horse": false} {
		if IsVoid(label) != want {
			t.Errorf("%s: got %v, want %v", label, !want, want)
		}
	}
}

// Files that may say what masks mean, and files that do not.
func TestIsLabelList(t *testing.T) {
	for name, want := range map[string]bool{"labels.txt": true, "a/classes.json": true, "meta.json": true, "data.yaml": true, "objectInfo150.csv": true, "color150.csv": true,
		"labelmap.txt": false, "colors.txt": false, "data.csv": false, "metadata.json": false, "readme.txt": false, "labels.png": false} {
		if IsLabelList(name) != want {
			t.Errorf("%s: got %v, want %v", name, !want, want)
		}
	}
}

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A kindCase is an input of one of the nine kinds of data of other tools: files that are written, and the command that reads them.
type kindCase struct {
	kind   int // of the list
	name   string
	files  map[string]string
	before []string // commands that must work
	run    string
	want   wanted
}

// The pictures of these cases are 40 x 30 pixels, the drawn square is 20 x 15.
const drawnSquare = 20 * 15

var drawnRect = image.Rect(10, 5, 30, 20)

// drawnMask is a PNG of the square and what is around it.
func drawnMask(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, in, out color.Color) string {
	for y := range 30 {
		for x := range 40 {
			c := out
			if (image.Point{X: x, Y: y}).In(drawnRect) {
				c = in
			}
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

// zipped packs files: names and texts by turns.
func zipped(files ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func greyMask(in, out uint8) string {
	return drawnMask(image.NewGray(image.Rect(0, 0, 40, 30)), color.Gray{Y: in}, color.Gray{Y: out})
}

func colorMask(in, out color.NRGBA) string {
	return drawnMask(image.NewNRGBA(image.Rect(0, 0, 40, 30)), in, out)
}

// noisePicture is a PNG that looks like no other.
func noisePicture(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

const squarePoints = "10, 5, 30, 5, 30, 20, 10, 20"

// instances is a file of COCO with the class horse.
func instances(images, annotations string) string {
	return `{"images": [` + images + `], "categories": [{"id": 1, "name": "horse"}, {"id": 2, "name": "cow"}], "annotations": [` + annotations + `]}`
}

// annotated is an annotation of the class with more fields before its polygon.
func annotated(id, image, more string) string {
	return fmt.Sprintf(`{"id": %s, "image_id": %s, "category_id": 1, %s"segmentation": [[%s]]}`, id, image, more, squarePoints)
}

// labelmeOf is a file of labelme.
func labelmeOf(shapes string) string {
	return `{"imageHeight": 30, "imageWidth": 40, "shapes": [` + shapes + `]}`
}

func labelmeSquare(label string) string {
	return `{"label": "` + label + `", "shape_type": "rectangle", "points": [[10, 5], [30, 20]]}`
}

// devkit are the files of a devkit of VOC with a picture a, its mask and a label map.
func devkit(mask, mapName, labels string) map[string]string {
	return map[string]string{"VOC/JPEGImages/a.png": noisePicture(1), "VOC/SegmentationClass/a.png": mask, "VOC/" + mapName: labels}
}

func with(files map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

// pictures are records a, b, ... of a folder base/src.
func pictures(names ...string) map[string]string {
	files := map[string]string{}
	for i, name := range names {
		files["base/src/images/"+name+".png"] = noisePicture(uint64(i + 1))
	}
	return files
}

const (
	ingestBase = "ingest --folder base/src -o base/out"
	importMask = "annotate import base/out/stages/ingest.yaml --by A --at 2026-03-04T05:06:07Z -o base/out/rev.yaml --masks "
	cocoRun    = "ingest --coco i.json=images -o out"
)

var (
	oneA    = map[string]int{"a": drawnSquare}
	noneA   = map[string]int{"a": -1}
	figured = color.NRGBA{R: 250, G: 50, B: 83, A: 255}
	ground  = color.NRGBA{A: 255}
)

func kindCases() (list []kindCase) {
	add := func(kind int, name string, files map[string]string, run string, want wanted) {
		list = append(list, kindCase{kind: kind, name: name, files: files, run: run, want: want})
	}
	coco := func(kind int, name, text string, want wanted) {
		add(kind, name, map[string]string{"images/a.png": noisePicture(1), "images/b.png": noisePicture(2), "i.json": text}, cocoRun, want)
	}
	drawn := func(kind int, name string, format string, files map[string]string, want wanted) {
		c := kindCase{kind, name, with(pictures("a", "b"), flat(files)...), []string{ingestBase}, importMask + "m --format " + format, want}
		list = append(list, c)
	}
	mapped := func(name, file, labels string, mask string, want wanted) {
		add(1, name, devkit(mask, file, labels), "ingest --voc VOC -o out", want)
	}
	own := colorMask(figured, ground)
	mapped("BOM, CRLF and comments", "labelmap.txt", "\xef\xbb\xbf# label:color_rgb:parts:actions\r\nbackground:0,0,0::\r\ncow:1,2,3::\r\nhorse:250,50,83::\r\n", own, wanted{records: oneA})
	mapped("quotes and semicolons", "class_dict.csv", "\"name\";\"r\";\"g\";\"b\"\n\"horse\";\"250\";\"50\";\"83\"\n\"other\";\"0\";\"0\";\"0\"\n", own, wanted{records: oneA})
	mapped("tabs", "labelmap.csv", "label\tred\tgreen\tblue\nhorse\t250\t50\t83\nother\t0\t0\t0\n", own, wanted{records: oneA})
	mapped("fractions of 255", "class_dict.csv", "name,r,g,b\nother,0,0,0\nhorse,0.98,0.2,0.33\n", own, wanted{code: 1, says: "want NAME,R,G,B with colors of 0 to 255"})
	mapped("a plural", "labelmap.txt", "background:0,0,0::\nHorses:250,50,83::\n", own, wanted{code: 1, says: "labelmap.txt has no label horse, but Horses: give the class the name \"Horses\""})
	mapped("Datumaro's, the class first", "dataset_meta.json", `{"label_map": {"0": "horse", "1": "bg"}, "background_label": "1", "segmentation_colors": [[250, 50, 83], [0, 0, 0]]}`, own, wanted{records: oneA})
	mapped("transparent ground", "labelmap.txt", "background:0,0,0::\nhorse:250,50,83::\n", colorMask(figured, color.NRGBA{}), wanted{records: oneA})
	mapped("colors after names", "colors.txt", "neutral 0 0 0\ncow 1 2 3\nhorse 250 50 83\n", own, wanted{records: oneA})
	mapped("names of old labelme", "label_names.txt", "_background_\ncow\nhorse\n", greyMask(2, 0), wanted{records: oneA})
	beside := func(name, text, run string, value uint8, want wanted) {
		add(1, "beside the masks: "+name+run+fmt.Sprintf(" %.20q", text), with(devkit(greyMask(value, 0), name, text), "VOC/ImageSets/Segmentation/trainval.txt", "a\n"), "ingest --voc VOC -o out"+run, want)
	}
	vocNames := "aeroplane\nbicycle\nbird\nboat\nbottle\nbus\ncar\ncat\nchair\ncow\ndiningtable\ndog\nhorse\nmotorbike\nperson\npottedplant\nsheep\nsofa\ntrain\ntvmonitor\n"
	for _, f := range [][2]string{
		{"meta.json", `{"classes": [{"title": "cow"}, {"title": "horse"}]}`}, {"data.yaml", "nc: 2\nnames: [cow, zebra]\n"}, {"data.yaml", "names:\n  0: cow\n  1: horse\n"},
		{"objectInfo150.csv", "Idx,Ratio,Name\n1,0.1,wall\n2,0.1,building;edifice\n"}, {"SegmentationClass/labels.txt", "cow\nhorse\n"}, {"classes.txt", "background\nbird\ncow\n"},
		{"classes.txt", "0: cow\n1: horse\n"}, {"label_map.pbtxt", `item { id: 1 name: "cow" } item { id: 2 name: "horse" }`}, {"classes.json", `{"horse": 2}`}, {"label_list.txt", "background:0,0,0::\nhorse:1,2,3::\n"},
	} {
		beside(f[0], f[1], "", 13, wanted{code: 1, says: "VOC/" + f[0] + " says what mask values mean, and is not read: want a label map that is (_classes.csv, class_dict.csv,"})
		beside(f[0], f[1], " --set class.voc=2", 2, wanted{records: oneA, says: "label_list_not_read                 1\n             VOC/" + f[0]})
		beside(f[0], f[1], " --set class.voc=13", 13, wanted{records: oneA})
	}
	for _, f := range [][2]string{
		{"filenames.txt", "a.png\n"}, {"file_names.txt", "a\n"}, {"image_names.txt", "a.png\nb.png\n"}, {"names.txt", "a\n"}, {"labels.csv", "id,label\na,horse\n"}, {"labels.csv", "id,label\n1,horse\n2,horse\n"},
		{"classes.txt", ""}, {"labels.txt", ""}, {"labels.txt", "The labels are those of VOC 2012, and a horse is 13.\n"}, {"meta.json", `{"version":1}`}, {"notes/labels.txt", "cow\nhorse\n"},
		{"devkit_doc/labels.txt", "cow\nhorse\n"}, {"obj.names", "a\nb\n"}, {"colors.txt", "http://x\n"}, {"class_dict.csv", "foo,bar\n1,2\n"}, {"dataset_meta.json", `{"author":1}`}, {"data.yaml", "train: ../train\n"},
		{"labels.json", `{"images": [], "categories": [{"id": 1, "name": "horse"}]}`},
	} {
		beside(f[0], f[1], "", 13, wanted{records: oneA, says: "label_list_not_read                 1\n             VOC/" + f[0]})
	}
	beside("readme_labels.txt", "horse 1\n", "", 13, wanted{records: oneA, silent: "label_list"})
	beside("classes.txt", vocNames, "", 13, wanted{records: oneA, silent: "label_list"})
	beside("classes.txt", "background\n"+vocNames+"void\n", "", 13, wanted{records: oneA, silent: "label_list"})
	beside("Annotations/classes.txt", "cow\nhorse\n", "", 13, wanted{records: oneA, silent: "label_list"})
	beside("colors.txt", "horse is red\n", "", 13, wanted{code: 1, says: `line "horse is red": want NAME R G B`})
	mapped("names alone for masks of numbers", "labelmap.txt", "background\ncow\nhorse\n", greyMask(2, 0), wanted{records: oneA})
	for _, f := range [][2]string{ // 0 horse, 1 cow, 2 background
		{"dataset_meta.json", `{"label_map": {"0": "horse", "1": "cow", "2": "background"}, "background_label": "2"}`}, {"_classes.csv", "Pixel Value, Class\n0, horse\n1, cow\n2, background\n"},
		{"labelmap.txt", "horse\ncow\nbackground\n"}, {"class_names.txt", "horse\ncow\n_background_\n"}, {"class_names.txt", "__ignore__\nhorse\ncow\n_background_\n"},
	} {
		mapped("the background not at 0: "+f[1], f[0], f[1], greyMask(0, 2), wanted{records: oneA})
		add(1, "the background not at 0 in a folder: "+f[1], map[string]string{"set/images/a.png": noisePicture(1), "set/masks/a.png": greyMask(0, 2), "set/" + f[0]: f[1]}, "ingest --folder set -o out", wanted{records: oneA})
		drawn(1, "the background not at 0 in a task: "+f[1], "cvat", map[string]string{"m/SegmentationClass/a.png": greyMask(0, 2), "m/" + f[0]: f[1]}, wanted{records: oneA})
	}
	mapped("horse 0, background 1", "dataset_meta.json", `{"label_map": {"0": "horse", "1": "background"}, "background_label": "1"}`, greyMask(0, 1), wanted{records: oneA})
	mapped("__ignore__ with a number", "_classes.csv", "Pixel Value, Class\n0, background\n1, __ignore__\n2, horse\n", greyMask(2, 0), wanted{records: oneA})
	mapped("colors, the background last, and numbers", "labelmap.txt", "horse:64,0,0::\ncow:192,0,128::\nbackground:0,0,0::\n", greyMask(1, 2), wanted{code: 3, records: map[string]int{}, says: "the first label of labelmap.txt is not the background"})
	mapped("colors, the background last", "labelmap.txt", "horse:250,50,83::\ncow:192,0,128::\nbackground:0,0,0::\n", own, wanted{records: oneA})
	twoMaps := func(mask, labels string) map[string]string {
		return with(devkit(mask, "class_names.txt", "_background_\ncow\nhorse\n"), "VOC/labelmap.txt", labels)
	}
	const colored, swapped = "background:0,0,0::\nhorse:250,50,83::\ncow:1,2,3::\n", "background:0,0,0::\nhorse:0,9,0::\ncow:9,0,0::\n"
	add(1, "two maps, masks in colors", twoMaps(own, colored), "ingest --voc VOC -o out", wanted{records: oneA, says: "VOC/class_names.txt"})
	add(1, "two maps, masks of numbers", twoMaps(greyMask(2, 0), "background:0,0,0::\nhorse:250,50,83::\n"), "ingest --voc VOC -o out", wanted{records: oneA, says: "VOC/labelmap.txt"})
	add(1, "two maps that agree", twoMaps(greyMask(2, 0), "background:0,0,0::\ncow:1,2,3::\nhorse:250,50,83::\n"), "ingest --voc VOC -o out", wanted{records: oneA})
	add(1, "two maps that disagree", twoMaps(greyMask(2, 0), swapped), "ingest --voc VOC -o out",
		wanted{code: 1, says: "VOC/class_names.txt and VOC/labelmap.txt both fit the masks and disagree on what is horse: remove the one that is not theirs"})
	add(1, "two maps in a plain folder", map[string]string{"set/images/a.png": noisePicture(1), "set/masks/a.png": own, "set/class_names.txt": "_background_\ncow\nhorse\n", "set/labelmap.txt": colored},
		"ingest --folder set -o out", wanted{records: oneA, says: "set/class_names.txt"})
	task := func(mask, labels string) map[string]string {
		return map[string]string{"m/task.zip": zipped("SegmentationClass/a.png", mask, "class_names.txt", "_background_\ncow\nhorse\n", "labelmap.txt", labels)}
	}
	drawn(1, "a task with two maps, masks in colors", "cvat", task(own, colored), wanted{records: oneA})
	drawn(1, "a task with two maps, masks of numbers", "cvat", task(greyMask(2, 0), "background:0,0,0::\nhorse:250,50,83::\n"), wanted{records: oneA})
	drawn(1, "a task with two maps, one without the class", "cvat", task(own, "background:0,0,0::\ncow:250,50,83::\n"), wanted{code: 3, records: noneA, says: "color (250,50,83) is not in class_names.txt"})
	drawn(1, "a task with two maps that disagree", "cvat", task(greyMask(2, 0), swapped), wanted{code: 1, says: "m/task.zip/class_names.txt and m/task.zip/labelmap.txt both fit the masks and disagree on what is horse"})
	mapped("a color of another map", "labelmap.txt", "background:0,0,0::\nhorse:250,50,84::\n", own, wanted{code: 3, records: map[string]int{}, says: "color (250,50,83) is not in labelmap.txt"})

	coco(2, "a path of Windows", instances(`{"id": 1, "file_name": "C:\\data\\images\\a.png"}`, annotated("1", "1", "")), wanted{records: oneA})
	coco(2, "a subset before the name", instances(`{"id": 1, "file_name": "train/a.png"}`, annotated("1", "1", "")), wanted{records: oneA, says: "found_in_other_folder"})
	add(2, "macOS's accents", map[string]string{"images/cafe\u0301.png": noisePicture(1), "i.json": instances(`{"id": 1, "file_name": "caf\u00e9.png"}`, annotated("1", "1", ""))}, cocoRun,
		wanted{records: map[string]int{"cafe%CC%81": drawnSquare}, says: "found_in_other_spelling             1"})
	add(2, "macOS's accents in a folder", map[string]string{"set/images/caf\u00e9.png": noisePicture(1), "set/masks/cafe\u0301.png": greyMask(255, 0), "set/boxes.csv": "image,xmin,ymin,xmax,ymax\ncafe\u0301.png,1,2,3,4\n"},
		"ingest --folder set -o out", wanted{records: map[string]int{"caf%C3%A9": drawnSquare}, boxes: "1,2,3,4"})
	list = append(list, kindCase{2, "macOS's accents in an import", with(pictures("caf\u00e9"), "m/cafe\u0301.png", greyMask(255, 0)), []string{ingestBase}, importMask + "m",
		wanted{records: map[string]int{"caf%C3%A9": drawnSquare}, says: "1 mask was taken from another folder, or with other Unicode accents"}})
	list = append(list, kindCase{2, "subsets in labelme's names", with(pictures("x/a", "y/a"), "m/x/a.json", labelmeOf(labelmeSquare("horse"))), []string{ingestBase}, importMask + "m --format labelme",
		wanted{records: map[string]int{"x%2Fa": drawnSquare, "y%2Fa": -1}}})
	list = append(list, kindCase{2, "a name that two records have", with(pictures("x/a", "y/a"), "m/a.png", greyMask(255, 0)), []string{ingestBase}, importMask + "m",
		wanted{code: 3, records: map[string]int{"x%2Fa": -1, "y%2Fa": -1}, says: "several files may be meant: x/a, y/a"}})

	drawn(2, "a name that ends in _mask", "png", map[string]string{"m/a_mask.png": greyMask(255, 0)}, wanted{code: 3, records: noneA, says: "a_mask: bad_mask: a_mask.png: no record has this id; a may be meant: write both alike"})
	add(2, "a mask that ends in _gt", map[string]string{"set/images/a.png": noisePicture(1), "set/images/b.png": noisePicture(2), "set/masks/a.png": greyMask(255, 0), "set/masks/b_gt.png": greyMask(255, 0)},
		"ingest --folder set -o out", wanted{code: 3, records: map[string]int{"a": drawnSquare, "b": -1}, says: "has no picture of the same name but for the extension; b may be meant: write both alike"})
	add(2, "a name with %20", map[string]string{"images/a b.png": noisePicture(1), "i.json": instances(`{"id": 1, "file_name": "a%20b.png"}`, annotated("1", "1", ""))}, cocoRun, wanted{code: 3, says: "a b.png may be meant: write both alike"})
	add(2, "a row with %20", map[string]string{"set/images/a b.png": noisePicture(1), "set/boxes.csv": "filename,xmin,ymin,xmax,ymax\na%20b.png,1,2,3,4\n"}, "ingest --folder set -o out", wanted{code: 3, says: "images does not have; a b may be meant"})

	dotted := func(name, images, rows string, want wanted) {
		files := map[string]string{"set/boxes.csv": "image,xmin,ymin,xmax,ymax\n" + rows}
		for i, f := range words(images) {
			files["set/images/"+f] = noisePicture(uint64(i + 1))
		}
		add(2, name, files, "ingest --folder set -o out", want)
	}
	dotted("rows with a dot and no extension", "p0.jpg p0.v1.jpg", "p0.v1,1,2,3,4\n", wanted{records: map[string]int{"p0": -1, "p0.v1": -1}, boxes: "p0.v1=1,2,3,4"})
	dotted("rows of numbers with a dot", "a.png a.1.png a.2.png", "a.1,1,2,3,4\na,5,6,7,8\na.2,9,10,11,12\n", wanted{records: map[string]int{"a": -1, "a.1": -1, "a.2": -1}, boxes: "a=5,6,7,8 a.1=1,2,3,4 a.2=9,10,11,12"})
	dotted("Roboflow's names without extension", "a_jpg.rf.1.png", "a_jpg.rf.1,1,2,3,4\n", wanted{records: map[string]int{"a_jpg.rf.1": -1}, boxes: "1,2,3,4"})
	dotted("a row with a dot that is no picture's", "a.png", "a.1,1,2,3,4\na.5.png,1,2,3,4\n", wanted{code: 3, records: noneA, says: "to a picture a.1 that images does not have; a may be meant: write both alike"})
	dotted("a row with another extension", "a.png", "a.tif,1,2,3,4\n", wanted{records: noneA, boxes: "1,2,3,4"})
	dotted("a row with an extension of no picture", "a.dat", "a.dat,1,2,3,4\n", wanted{records: noneA, boxes: "1,2,3,4"})
	dotted("a row with a picture's ending in its id", "a.jpg.png", "a.jpg,1,2,3,4\n", wanted{records: map[string]int{"a.jpg": -1}, boxes: "1,2,3,4"})
	drawn(2, "a file_name with a dot and no extension", "coco", map[string]string{"m/i.json": instances(`{"id": 1, "file_name": "a.1"}`, annotated("1", "1", ""))}, wanted{code: 3, records: noneA, says: "a.1: bad_mask: i.json: no record has this id; a may be meant: write both alike"})
	for _, ext := range []string{"", ".png", ".tif"} {
		list = append(list, kindCase{2, "a file_name of a record with a dot" + ext, with(pictures("a", "a.1"), "m/i.json", instances(`{"id": 1, "file_name": "a.1`+ext+`"}`, annotated("1", "1", ""))), []string{ingestBase},
			importMask + "m --format coco", wanted{records: map[string]int{"a": -1, "a.1": drawnSquare}}})
	}
	add(2, "masks named a.png.png", map[string]string{"set/images/a.png": noisePicture(1), "set/images/b.png": noisePicture(2), "set/images/b.png.png": noisePicture(3), "set/masks/a.png.png": greyMask(255, 0), "set/masks/b.png.png": greyMask(255, 0)},
		"ingest --folder set -o out", wanted{records: map[string]int{"a": drawnSquare, "b": -1, "b.png": drawnSquare}, silent: "skipped:"})
	add(2, "masks named a.png.png beside a.png", map[string]string{"set/images/a.png": noisePicture(1), "set/masks/a.png.png": greyMask(255, 0), "set/masks/a.png": greyMask(0, 255)}, "ingest --folder set -o out",
		wanted{code: 3, records: map[string]int{"a": 40*30 - drawnSquare}, says: "mask_without_image"})
	drawn(2, "a mask named a.png.png", "png", map[string]string{"m/a.png.png": greyMask(255, 0)}, wanted{records: oneA})

	imageA := `{"id": 1, "file_name": "a.png", "width": 40, "height": 30}`
	coco(3, "keys in another case", instances(`{"id": 1, "ID": 2, "file_name": "a.png", "File_Name": "b.png", "width": 40, "Width": 99, "height": 30}`, annotated("1", "1", `"Iscrowd": 1, "Segmentation": null, `)), wanted{records: oneA})
	coco(3, "numbers in quotes", `{"images": [{"id": "1", "file_name": "a.png", "width": "40", "height": 30.0}], "categories": [{"id": 1.0, "name": "horse"}], "annotations": [{"id": 1, "image_id": 1, "category_id": "1", "iscrowd": "False", "bbox": ["10", "5", "20", "15"], "segmentation": [["10", "5", "30", "5", "30", "20", "10", "20"]]}]}`,
		wanted{records: oneA, boxes: "10,5,30,20"})
	coco(3, "NaN of pandas", instances(`{"id": 1, "file_name": "a.png", "license": NaN}, {"id": 2, "file_name": NaN}`, annotated("1", "1", `"iscrowd": NaN, "area": Infinity, `)), wanted{records: oneA, silent: "missing_image"})
	coco(3, "a width that is no number", instances(`{"id": 1, "file_name": "a.png", "width": 40.5}, {"id": 2, "file_name": "b.png"}`, annotated("1", "1", "")+", "+annotated("2", "2", "")),
		wanted{records: map[string]int{"a": drawnSquare, "b": drawnSquare}, says: "i.json: image 1: its width or height is no whole number", silent: "annotation_without_image"})
	coco(3, "an image without an id", instances(`{"id": null, "file_name": "b.png"}, `+imageA, annotated("1", "1", "")), wanted{records: oneA})
	coco(3, "an entry that is no object", instances(`"a.png", `+imageA, annotated("1", "1", "")), wanted{code: 3, records: oneA, says: `image number 1 of its list: byte 12: got "a.png", want an object {...}`})
	shared := instances(`{"id": 7, "file_name": "b.png"}, {"id": 7, "file_name": "c.png"}, `+imageA, annotated("1", "7", "")+", "+annotated("2", "1", ""))
	coco(3, "an id of two images", shared, wanted{code: 3, records: oneA, says: "b: bad_annotation: i.json: images b.png, c.png have the same id 7, so their annotations cannot be told apart"})
	twice := strings.Replace(instances(`{"id": 1, "file_name": "a.png"}`, annotated("1", "1", "")), `"id": 2`, `"id": 1`, 1)
	coco(3, "an id of two categories", twice, wanted{code: 1, says: "categories: horse and cow have the same id 1, so their annotations cannot be told apart"})
	drawn(3, "an id of two categories in an import", "coco", map[string]string{"m/i.json": twice}, wanted{code: 1, says: "categories: horse and cow have the same id 1"})
	coco(3, "a category twice", strings.Replace(instances(`{"id": 1, "file_name": "a.png"}`, annotated("1", "1", "")), `{"id": 2, "name": "cow"}`, `{"id": 1.0, "name": "horse"}`, 1), wanted{records: oneA})
	coco(3, "an id of two other categories", strings.Replace(instances(`{"id": 1, "file_name": "a.png"}`, annotated("1", "1", "")), `{"id": 2, "name": "cow"}`, `{"id": 2, "name": "cow"}, {"id": 2, "name": "sheep"}`, 1), wanted{records: oneA})
	coco(3, "a list that is null", strings.Replace(instances("", ""), `"annotations": []`, `"annotations": null`, 1), wanted{code: 1, says: "list of each annotation: got null, want ["})
	drawn(3, "labelme's NaN and sizes in quotes", "labelme", map[string]string{"m/a.json": `{"imageHeight": "30", "imageWidth": 40.0, "score": NaN, "shapes": [` + labelmeSquare("horse") + `]}`}, wanted{records: oneA})
	drawn(3, "a point of labelme that is NaN", "labelme", map[string]string{"m/a.json": labelmeOf(`{"label": "horse", "points": [[NaN, 5], [30, 5], [30, 20]]}`)}, wanted{code: 3, records: noneA, says: "shape 0 (horse) at byte 49: points at byte 78: got NaN, want a number"})

	coco(4, "a polygon of fractions", instances(imageA, `{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[0.1, 0.1, 0.9, 0.1, 0.9, 0.9]]}`), wanted{code: 3, records: map[string]int{}, says: "polygon 0: got fractions of the picture, want pixels"})
	coco(4, "a box of fractions", instances(imageA, annotated("1", "1", `"bbox": [0.1, 0.1, 0.8, 0.8], `)), wanted{code: 3, records: oneA, says: "box_fraction"})
	coco(4, "a box of fractions over the edge", instances(imageA, annotated("1", "1", `"bbox": [-0.01, 0.1, 1.1, 0.8], `)), wanted{code: 3, records: oneA, says: "box_fraction"})
	coco(4, "corners for width and height", instances(imageA, annotated("1", "1", `"bbox": [10, 5, 30, 20], `)), wanted{records: oneA, says: "box_disagrees                       1"})
	drawn(4, "labelme's fractions", "labelme", map[string]string{"m/a.json": labelmeOf(`{"label": "horse", "points": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]]}`)}, wanted{code: 3, records: noneA, says: "got fractions of the picture, want pixels"})
	table := func(kind int, name, rows string, want wanted) {
		add(kind, name, map[string]string{"set/images/a.png": noisePicture(1), "set/images/b.png": noisePicture(2), "set/boxes.csv": "image,xmin,ymin,xmax,ymax,label\n" + rows}, "ingest --folder set -o out", want)
	}
	ab := map[string]int{"a": -1, "b": -1}
	table(4, "rows of fractions", "a.png,0.2,0.1,0.7,0.6,horse\nb.png,10,5,30,20,horse\n", wanted{code: 3, records: ab, says: "box_fraction: set/boxes.csv: line 2 (horse)", boxes: "10,5,30,20"})
	table(4, "fractions of another class", "a.png,0.2,0.1,0.7,0.6,cow\nb.png,10,5,30,20,horse\n", wanted{records: ab, boxes: "10,5,30,20"})
	for _, f := range []string{"0.2,0.1,1.003,0.6", "-0.01,0.1,0.7,0.6", "0.5,0.5,1.2,1.2", "-0.4,-0.2,1.4,1.5"} {
		table(4, "fractions over the edge, "+f, "a.png,"+f+",horse\nb.png,10,5,30,20,horse\n", wanted{code: 3, records: ab, says: "box_fraction: set/boxes.csv: line 2 (horse)", boxes: "b=10,5,30,20"})
	}
	table(4, "a box of pixels near the corner", "a.png,0,0,2,1,horse\n", wanted{records: ab, boxes: "a=0,0,2,1"})
	vocBox := func(box string) string {
		c := strings.Split(box, ",")
		return "<annotation><object><name>horse</name><bndbox><xmin>" + c[0] + "</xmin><ymin>" + c[1] + "</ymin><xmax>" + c[2] + "</xmax><ymax>" + c[3] + "</ymax></bndbox></object></annotation>"
	}
	add(4, "fractions over the edge in XML decide no base", with(devkit(own, "labelmap.txt", "background:0,0,0::\nhorse:250,50,83::\n"), "VOC/JPEGImages/b.png", noisePicture(2), "VOC/SegmentationClass/b.png", own,
		"VOC/Annotations/a.xml", vocBox("0.2,0.1,1.1,0.6"), "VOC/Annotations/b.xml", vocBox("11,6,30,20")), "ingest --voc VOC -o out",
		wanted{code: 3, records: map[string]int{"a": drawnSquare, "b": drawnSquare}, says: "box_fraction", silent: "from 0", boxes: "b=10,5,30,20"})
	table(4, "swapped corners", "a.png,30,20,10,5,horse\nb.png,10,5,30,20,horse\n", wanted{code: 3, records: ab, says: "box_swapped", boxes: "10,5,30,20"})

	for _, c := range []struct{ set, want string }{{"superpixel.count=0500", "count: 500"}, {"class.voc=013", "voc: 13"}, {"superpixel.count=0089", "count: 89"}, {"testShare=00.25", "testShare: 0.25"}, {"superpixel.count=000", "at least"}} {
		w := wanted{says: c.want}
		if c.want == "at least" {
			w = wanted{code: 2, says: "superpixel.count: got 0, want 1 to 5000"}
		}
		add(5, "--set "+c.set, nil, "build --dry-run --set "+c.set, w)
	}
	add(5, "a config file", map[string]string{"c.yaml": "dataset: mine\nsuperpixel:\n  count: 0500\nclass:\n  name: horse\n  voc: 013\n"}, "build --dry-run -c c.yaml", wanted{says: "count: 500"})

	subsets := func(maps ...string) map[string]string {
		return with(map[string]string{"set/images/train/a.png": noisePicture(1), "set/images/val/b.png": noisePicture(2),
			"set/masks/train/a.png": colorMask(color.NRGBA{255, 255, 255, 255}, color.NRGBA{A: 255}), "set/masks/val/b.png": colorMask(color.NRGBA{A: 255}, color.NRGBA{255, 255, 255, 255})}, maps...)
	}
	add(1, "a label map per subset", subsets("set/masks/train/labelmap.txt", "background:0,0,0::\nhorse:255,255,255::\n", "set/masks/val/labelmap.txt", "background:255,255,255::\nhorse:0,0,0::\n"),
		"ingest --folder set -o out", wanted{records: map[string]int{"train%2Fa": drawnSquare, "val%2Fb": drawnSquare}})
	add(1, "a label map for one subset", subsets("set/masks/val/labelmap.txt", "background:255,255,255::\nhorse:0,0,0::\n"), "ingest --folder set -o out",
		wanted{code: 1, says: "masks/train: its masks have no label map, those beside it have"})
	coco(6, "a shape without pixels", instances(imageA, `{"id": 1, "image_id": 1, "category_id": 1, "bbox": [5, 5, 9, 9], "segmentation": [[5, 5, 5, 5, 5, 5]]}`), wanted{code: 3, records: noneA, says: "no shape covers a pixel of the picture; the picture is kept with its boxes", boxes: "5,5,14,14"})
	coco(6, "a shape outside the picture", instances(imageA, `{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[100, 5, 120, 5, 120, 20]]}`), wanted{code: 3, records: map[string]int{}, says: "no shape covers a pixel of the picture"})
	coco(6, "one empty polygon", instances(imageA, annotated("1", "1", "")+`, {"id": 2, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "segmentation": []}`), wanted{code: 3, records: oneA, says: "annotation 2: no segmentation: its box is void; the picture is kept"})
	coco(6, "boxes alone", instances(imageA, `{"id": 2, "image_id": 1, "category_id": 1, "bbox": [10, 5, 20, 15]}`), wanted{records: noneA, boxes: "10,5,30,20"})
	coco(6, "one picture under two ids", instances(imageA+`, {"id": 2, "file_name": "./a.png"}`, annotated("1", "1", "")+", "+annotated("2", "2", "")), wanted{records: oneA, says: "images 1 and 2 are both a.png"})
	coco(6, "a bad value beside good ones", instances(imageA, annotated("1", "1", "")+`, {"id": 2, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "iscrowd": {}, "segmentation": [[0, 0, 3, 0, 3, 3]]}`), wanted{code: 3, records: oneA, says: "annotation 2: iscrowd at byte"})
	coco(6, "a bad value of another class", instances(imageA, annotated("1", "1", "")+`, {"id": 2, "image_id": 1, "category_id": 2, "iscrowd": {}, "segmentation": 7}`), wanted{records: oneA})
	coco(6, "no area, no iscrowd", instances(imageA, annotated("1", "1", "")), wanted{records: oneA})
	table(6, "one bad cell", "a.png,ten,5,30,20,horse\nb.png,10,5,30,20,horse\n", wanted{code: 3, records: ab, says: `a: bad_box_file: set/boxes.csv: line 2 (horse): xmin: got "ten", want a number`, boxes: "10,5,30,20"})
	table(6, "a row without its picture's name", ",10,5,30,20,horse\nb.png,10,5,30,20,horse\n", wanted{code: 3, records: ab, says: "line 2: image: got nothing, want the name of a picture", boxes: "10,5,30,20"})
	table(6, "a row cut short", "b.png,10,5,30,20,horse\na.png,10,5\n", wanted{code: 3, records: ab, says: "line 3: got 3 cells, want the header's 6", boxes: "10,5,30,20"})
	object := "<object><name>horse</name><bndbox><xmin>11</xmin><ymin>6</ymin><xmax>30</xmax><ymax>20</ymax></bndbox></object>"
	add(6, "one bad object of VOC", with(devkit(own, "labelmap.txt", "background:0,0,0::\nhorse:250,50,83::\n"), "VOC/Annotations/a.xml", "<annotation>"+strings.Replace(object, "11", "eleven", 1)+object+"</annotation>"),
		"ingest --voc VOC -o out", wanted{code: 3, records: oneA, boxes: "10,5,30,20", says: `object 1 (horse): xmin: got "eleven", want a number`})

	white, clear := color.NRGBA{R: 255, G: 255, B: 255, A: 255}, color.NRGBA{R: 255, G: 255, B: 255}
	drawn(7, "white on transparent", "png", map[string]string{"m/a.png": colorMask(white, clear)}, wanted{records: oneA})
	drawn(7, "black and transparent", "png", map[string]string{"m/a.png": colorMask(ground, clear)}, wanted{code: 3, records: noneA, says: "only one of them can be ground; save it as a greyscale PNG"})
	drawn(7, "RGB of 0 and 255", "png", map[string]string{"m/a.png": colorMask(white, ground)}, wanted{records: oneA})
	drawn(7, "a palette of black and white", "png", map[string]string{"m/a.png": drawnMask(image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{clear, white}), white, clear)}, wanted{records: oneA})
	drawn(7, "16-bit greys", "png", map[string]string{"m/a.png": drawnMask(image.NewGray16(image.Rect(0, 0, 40, 30)), color.White, color.Black)}, wanted{records: oneA})
	drawn(7, "a photo among masks", "png", map[string]string{"m/a.png": noisePicture(9), "m/b.png": greyMask(255, 0)}, wanted{code: 3, records: map[string]int{"a": -1, "b": drawnSquare}, says: "as a photo or an overlay has: give its mask"})
	drawn(7, "an empty annotation among good ones", "coco", map[string]string{"m/a.json": instances(imageA, annotated("1", "1", "")+`, {"id": 9, "image_id": 1, "category_id": 1, "bbox": [32, 22, 6, 6], "segmentation": []}`)}, wanted{code: 3, records: oneA, says: "a.json: annotation 9: no segmentation: its box is void; the other shapes are the mask"})
	drawn(7, "a bad annotation among good ones", "coco", map[string]string{"m/a.json": instances(imageA, annotated("1", "1", "")+`, {"id": 9, "image_id": 1, "category_id": 1, "bbox": [32, 22, 6, 6], "segmentation": [["x"]]}`)}, wanted{code: 3, records: oneA, says: "a.json: annotation 9 at byte"})
	drawn(7, "a bad point among good shapes", "labelme", map[string]string{"m/a.json": labelmeOf(labelmeSquare("horse") + `, {"label": "horse", "points": [["x", 2], [3, 4], [5, 6]]}`)}, wanted{code: 3, records: oneA, says: "shape 1 (horse) at byte"})
	nameless := labelmeOf(labelmeSquare("horse") + `, {"label": null, "points": [[0, 0], [5, 0], [5, 5]]}, {"label": 7, "points": [[0, 0], [5, 0], [5, 5]]}`)
	drawn(7, "labels null and 7 among good shapes", "labelme", map[string]string{"m/a.json": nameless}, wanted{code: 3, records: oneA, says: "got no label, want a text"})
	drawn(7, "a point among good shapes", "labelme", map[string]string{"m/a.json": labelmeOf(labelmeSquare("horse") + `, {"label": "horse", "shape_type": "point", "points": [[3, 3]]}`)}, wanted{code: 3, records: oneA, says: "got a point of 1 points"})
	other := func(path string) map[string]string {
		return map[string]string{"m/a.json": strings.Replace(labelmeOf(labelmeSquare("horse")), "{", `{"imagePath": "`+path+`", `, 1)}
	}
	drawn(7, "imagePath of another picture", "labelme", other("b.png"), wanted{code: 3, records: noneA, says: "imagePath names b.png, and the file's name the picture a: give both one name"})
	drawn(7, "a stale imagePath", "labelme", other(`C:\\old\\a.png`), wanted{records: oneA, silent: "skipped:"})
	drawn(7, "values 0 and 1", "png", map[string]string{"m/a.png": greyMask(1, 0)}, wanted{code: 3, records: noneA, says: "got values [0 1], want only 0,128,255 (0 is ground, 128 void, 255 figure): write the figure as 255"})
	drawn(7, "any JSON as an empty mask", "labelme --empty", map[string]string{"m/a.json": `{"width": 40}`, "m/b.json": labelmeOf("")}, wanted{code: 3, records: map[string]int{"a": -1, "b": 0}, says: "a: bad_mask: a.json: got no shapes, want a file of labelme"})
	drawn(7, "near spellings as ground", "labelme --others-ground", map[string]string{"m/a.json": labelmeOf(labelmeSquare("Horse ")), "m/b.json": labelmeOf(labelmeSquare("horse"))}, wanted{code: 3, records: map[string]int{"a": -1, "b": drawnSquare}, says: `got label "Horse ", which may be meant for horse`})
	drawn(7, "a rider over the horse", "labelme --others-ground", map[string]string{"m/a.json": labelmeOf(labelmeSquare("horse") + `, {"label": "rider", "shape_type": "rectangle", "points": [[15, 0], [20, 30]]}`)}, wanted{records: map[string]int{"a": drawnSquare - 5*15}})
	square := labelmeOf(labelmeSquare("horse"))
	drawn(7, "an archive in a folder", "labelme", map[string]string{"m/job.zip": zipped("a.json", square)}, wanted{records: oneA})
	drawn(7, "an archive in an archive", "labelme", map[string]string{"m": zipped("x/job.zip", zipped("a.json", square))}, wanted{records: oneA})
	drawn(7, "CVAT's archive of COCO in a folder", "coco", map[string]string{"m/coco.zip": zipped("annotations/instances_default.json", instances(`{"id": 1, "file_name": "a.png"}`, annotated("1", "1", "")))}, wanted{records: oneA})
	drawn(7, "an archive beside what it holds", "png", map[string]string{"m/task.zip": zipped("a.png", greyMask(255, 0)), "m/a.png": greyMask(255, 0)}, wanted{records: oneA, silent: "skipped:"})
	drawn(7, "a broken archive", "png", map[string]string{"m/task.zip": zipped("a.png", greyMask(255, 0))[:60]}, wanted{code: 1, says: "error: annotate: m/task.zip: zip: not a valid zip file"})
	drawn(7, "two archives with files of one name", "cvat", map[string]string{"m/1.zip": zipped("labelmap.txt", "background:0,0,0::\nhorse:250,50,83::\n", "SegmentationClass/a.png", own),
		"m/2.zip": zipped("labelmap.txt", "background:0,0,0::\nhorse:255,255,255::\n", "SegmentationClass/b.png", colorMask(white, ground))}, wanted{records: map[string]int{"a": drawnSquare, "b": drawnSquare}})
	drawn(7, "what macOS leaves", "png", map[string]string{"m/a.png": greyMask(255, 0), "m/._a.png": "x", "m/__MACOSX/b.png": "x", "m/.DS_Store": "x"}, wanted{records: oneA, silent: "skipped:"})
	add(7, "white on transparent in a folder", map[string]string{"set/images/a.png": noisePicture(1), "set/masks/a.png": colorMask(white, clear)}, "ingest --folder set -o out", wanted{records: oneA})

	unchanged := func(name, format, more, says string, had map[string]int) {
		list = append(list, kindCase{8, name, with(pictures("a", "b"), "base/src/masks/a.png", greyMask(255, 0)),
			[]string{ingestBase, "annotate export base/out/stages/ingest.yaml -o sent --format " + format}, importMask + "sent --format " + format + more, wanted{says: says, records: had}})
	}
	for _, format := range []string{"png", "labelme", "coco", "cvat"} {
		unchanged("unedited "+format, format, " --empty", "1 mask came back unchanged and was left out", map[string]int{"a": drawnSquare, "b": -1})
		unchanged("unedited "+format+", also where there was no mask", format, "", "1 mask came back unchanged and was left out", map[string]int{"a": drawnSquare, "b": -1})
		emptyMask := kindCase{8, "an empty mask, unedited " + format, with(pictures("a", "b", "c"), "base/src/masks/a.png", greyMask(255, 0), "base/src/masks/c.png", greyMask(0, 0)),
			[]string{ingestBase, "annotate export base/out/stages/ingest.yaml -o sent --format " + format}, importMask + "sent --format " + format,
			wanted{says: "2 masks came back unchanged", records: map[string]int{"a": drawnSquare, "b": -1, "c": 0}}}
		list = append(list, emptyMask)
		emptyMask.name = "an empty mask, checked " + format
		emptyMask.run += " --accept-unchanged"
		emptyMask.want = wanted{records: map[string]int{"a": drawnSquare, "b": -1, "c": 0}, says: "read 3, done 2, skipped 1 (1 bad_mask)"}
		if format == "png" || format == "cvat" { // hold no file of a picture without a mask
			emptyMask.want.says = "read 2, done 2"
		} else {
			emptyMask.want.code = 3
		}
		list = append(list, emptyMask)
		emptyMask.name = "an empty mask, into a set without masks " + format
		emptyMask.before = append(slices.Clone(emptyMask.before), "ingest --folder bare/src -o bare/out")
		emptyMask.files = with(maps.Clone(emptyMask.files), "bare/src/images/a.png", noisePicture(1), "bare/src/images/b.png", noisePicture(2), "bare/src/images/c.png", noisePicture(3))
		emptyMask.run = strings.ReplaceAll(importMask, "base/out", "bare/out") + "sent --format " + format + " --empty"
		emptyMask.want = wanted{records: map[string]int{"a": drawnSquare, "b": -1, "c": 0}, silent: "skipped:"}
		list = append(list, emptyMask)
		unchanged("unedited, for another tier, "+format, format, " --tier external:m", "1 mask came back unchanged and was left out", map[string]int{"a": drawnSquare, "b": -1})
		unchanged("checked "+format, format, " --accept-unchanged --empty", "annotate import: read", map[string]int{"a": drawnSquare})
	}
	add(8, "saved again in color", with(pictures("a"), "base/src/masks/a.png", greyMask(255, 0), "m/a.png", colorMask(white, ground)), importMask+"m", wanted{says: "1 mask came back unchanged", records: oneA})
	list[len(list)-1].before = []string{ingestBase}

	for _, by := range []string{"\u200b", "\u3164", "A\u3164", "\u2800", "\u115f", "\ufe0f", "\u202eA"} { // zero width, Hangul fillers, blank Braille
		add(7, fmt.Sprintf("the name %q does not show", by), with(pictures("a"), "m/a.png", greyMask(255, 0)), strings.Replace(importMask, "--by A", "--by "+by, 1)+"m",
			wanted{code: 2, says: fmt.Sprintf("error: --by: name %q: want printable characters that show", by)})
		list[len(list)-1].before = []string{ingestBase}
	}

	drawn(9, "a file of COCO without the class", "coco", map[string]string{"m": `{"images": [], "categories": [{"id": 1, "name": "Horse"}], "annotations": []}`}, wanted{code: 1, says: "error: annotate: m: categories: got none with the name horse, the file has Horse: if \"Horse\" is meant, write horse for it"})
	for _, studio := range []string{`[{"id": 1, "data": {"image": "/data/a.png"}, "annotations": []}]`, `[{"image": "/data/a.png", "id": 1, "annotator": 1, "annotation_id": 2}]`} {
		says := "i.json: got a file of Label Studio: export it there as COCO"
		drawn(9, "Label Studio's file for COCO", "coco", map[string]string{"m/i.json": studio}, wanted{code: 1, says: "error: annotate: m: " + says})
		drawn(9, "Label Studio's file for labelme", "labelme", map[string]string{"m/a.json": studio}, wanted{code: 3, records: noneA, says: "a.json: got a file of Label Studio"})
		coco(9, "Label Studio's file for ingest", studio, wanted{code: 1, says: "error: ingest: --coco " + says})
	}
	add(9, "a table's column filename", map[string]string{"set/images/a.png": noisePicture(1), "set/boxes.csv": "filename,width,height,class,xmin,ymin,xmax,ymax\na.png,40,30,horse,10,5,30,20\n"}, "ingest --folder set -o out",
		wanted{records: noneA, boxes: "10,5,30,20", silent: ": filename"})
	add(9, "the columns filename and image", map[string]string{"set/images/a.png": noisePicture(1), "set/boxes.csv": "filename,image,xmin,ymin,xmax,ymax\nb.png,a.png,10,5,30,20\n"}, "ingest --folder set -o out",
		wanted{records: noneA, boxes: "10,5,30,20", says: "filename"})
	drawn(9, "another file for COCO", "coco", map[string]string{"m": "filename,size\n"}, wanted{code: 1, says: "error: annotate: m: coco: line 1: got 'i', which is not JSON, at byte 1", silent: "m: m:"})
	coco(9, "polygons of points", instances(imageA, `{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[[10, 5], [30, 5], [30, 20]]]}`), wanted{code: 3, records: map[string]int{}, says: "segmentation: got [10, 5], want a number, in a list of polygons, [[x, y, ...]]"})
	drawn(9, "files that are no PNG", "png", map[string]string{"m/a.png": "hello", "m/b.png": "\xff\xd8\xff\xe0" + strings.Repeat("0", 50)}, wanted{code: 3, records: noneA, says: "b: bad_mask: b.png: mask: got a JPEG file, which does not keep values exactly"})
	drawn(9, "a shape of labelme without its mask", "labelme", map[string]string{"m/a.json": labelmeOf(`{"label": "horse", "shape_type": "mask", "points": [[1, 1], [2, 2]], "mask": null}`)}, wanted{code: 3, records: noneA, says: `shape 0 (horse) at byte 49: mask: got "", want a PNG file in base64`})
	coco(9, "cut short", `{"images": [`, wanted{code: 1, says: "coco: line 1: the file is cut short"})
	coco(9, "near categories", strings.Replace(instances(imageA, annotated("1", "1", "")), "cow", "Horse", 1), wanted{records: oneA, says: "the category Horse is not horse: what it marks is ground"})
	add(9, "a label map cut short", devkit(own, "dataset_meta.json", `{"label_map": {`), "ingest --voc VOC -o out", wanted{code: 1, says: "byte 15: the file is cut short", silent: "dataset_meta.json: dataset_meta.json"})
	table(9, "a quote that is not closed", "\"a.png,1,2,3,4,horse\nb.png,1,2,3,4,horse\n", wanted{code: 1, says: "set/boxes.csv: box table: record on line 2"})
	add(9, "a deep mask in color", map[string]string{"set/images/a.png": noisePicture(1), "set/masks/a.png": drawnMask(image.NewNRGBA64(image.Rect(0, 0, 40, 30)), color.White, color.Black)}, "ingest --folder set -o out",
		wanted{code: 3, records: map[string]int{}, says: "got 16-bit colors, want a palette, greys or 8-bit RGB", silent: "image."})
	return list
}

// flat lists a map's keys and values by turns.
func flat(m map[string]string) (list []string) {
	for k, v := range m {
		list = append(list, k, v)
	}
	return list
}

// Inputs of each of the nine kinds, and what a user expects of them: the records, the figure of their masks, the message.
func TestKinds(t *testing.T) {
	kinds := map[int]int{}
	for _, c := range kindCases() {
		kinds[c.kind]++
		t.Run(fmt.Sprint(c.kind, " ", c.name), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range c.files {
				try(t, os.MkdirAll(filepath.Dir(name), 0o777))
				try(t, os.WriteFile(name, []byte(text), 0o666))
			}
			for _, line := range c.before {
				must(t, append(words(line), "--progress", "none")...)
			}
			args, manifest := words(c.run), "out/stages/ingest.yaml"
			switch args[0] {
			case "annotate":
				manifest = args[slices.Index(args, "-o")+1]
				args = append(args, "--progress", "none")
			case "ingest":
				args = append(args, "--progress", "none")
			}
			stdout, stderr, code := hdseg(t, args...)
			c.want.check(t, manifest, stdout+stderr, code)
		})
	}
	for kind := 1; kind <= 9; kind++ {
		if kinds[kind] < 5 {
			t.Errorf("kind %d: got %d cases, want 5 or more", kind, kinds[kind])
		}
	}
}

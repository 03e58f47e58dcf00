package ingest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// jpegBytes is a w x h JPEG whose content depends on seed.
func jpegBytes(w, h, seed int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x*seed + y), uint8(y * 3), uint8(seed * 40), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// withExif puts an orientation tag into a JPEG.
func withExif(data []byte, tag byte) []byte {
	app1 := "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(rune(tag)) + "\x00\x00\x00\x00\x00\x00"
	return slices.Concat(data[:2], []byte(app1), data[2:])
}

// vocMask is a palette PNG: the left half has index class, a column of void, and ground; class 0 leaves it ground.
func vocMask(w, h int, class uint8) []byte {
	img := image.NewPaletted(image.Rect(0, 0, w, h), format.VOCPalette())
	for y := range h {
		for x := range w {
			switch {
			case x < w/2:
				img.SetColorIndex(x, y, class)
			case x == w/2:
				img.SetColorIndex(x, y, 255)
			}
		}
	}
	return pngBytes(img)
}

// grayMask is an 8-bit greyscale PNG with the given values from left to right in equal stripes.
func grayMask(w, h int, values ...uint8) []byte {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetGray(x, y, color.Gray{values[x*len(values)/w]})
		}
	}
	return pngBytes(img)
}

func pngBytes(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// boxXML is an annotation file with objects given as name, xmin, ymin, xmax, ymax.
func boxXML(w, h int, objects ...[5]any) []byte {
	s := fmt.Sprintf("<annotation><filename>%%s</filename><size><width>%d</width><height>%d</height><depth>3</depth></size>", w, h)
	for _, o := range objects {
		s += fmt.Sprintf("<object><name>%v</name><bndbox><xmin>%v</xmin><ymin>%v</ymin><xmax>%v</xmax><ymax>%v</ymax></bndbox></object>", o[:]...)
	}
	return []byte(s + "</annotation>")
}

// A member is a file of a drawn tree or archive.
type member struct {
	name string
	data []byte
}

// tarOf is an archive with its end blocks.
func tarOf(members ...member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.data))}); err != nil {
			panic(err)
		}
		if _, err := w.Write(m.data); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func gz(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// plant writes files below dir and returns dir.
func plant(t testing.TB, dir string, files ...member) string {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A world is a small set of sources in their real layouts:
//
//	VOC2012: 2007_000001 and 2008_000002 with a horse, 2008_000003 with a dog
//	n02374451.tar: _1 (a box), _2 (a box in an XML of half the size), _3 (none), _10 (none)
//	boxes: n02374451.tar.gz, also with a file whose picture is missing
//	test: t1, t2
func world(t testing.TB) Request {
	t.Helper()
	dir := t.TempDir()
	v := "VOCdevkit/VOC2012/"
	plant(t, dir,
		member{v + "ImageSets/Segmentation/trainval.txt", []byte("2007_000001\n2008_000002\n2008_000003\n")},
		member{v + "JPEGImages/2007_000001.jpg", jpegBytes(40, 30, 1)},
		member{v + "JPEGImages/2008_000002.jpg", jpegBytes(30, 40, 2)},
		member{v + "JPEGImages/2008_000003.jpg", jpegBytes(40, 30, 3)},
		member{v + "SegmentationClass/2007_000001.png", vocMask(40, 30, 13)},
		member{v + "SegmentationClass/2008_000002.png", vocMask(30, 40, 13)},
		member{v + "SegmentationClass/2008_000003.png", vocMask(40, 30, 12)},
		member{v + "Annotations/2007_000001.xml", boxXML(40, 30, [5]any{"horse", 1, 1, 20, 30}, [5]any{"person", 2, 2, 5, 5})},
		member{"imagenet/n02374451.tar", tarOf(
			member{"n02374451_1.JPEG", jpegBytes(40, 30, 4)}, member{"n02374451_2.JPEG", jpegBytes(40, 30, 5)},
			member{"n02374451_10.JPEG", jpegBytes(40, 30, 6)}, member{"n02374451_3.JPEG", jpegBytes(40, 30, 7)})},
		member{"boxes/n02374451.tar.gz", gz(tarOf(
			member{"Annotation/n02374451/n02374451_1.xml", boxXML(40, 30, [5]any{"n02374451", 1, 11, 20, 30})},
			member{"Annotation/n02374451/n02374451_2.xml", boxXML(20, 15, [5]any{"horse", 2, 3, 20, 15})},
			member{"Annotation/n02374451/n02374451_99.xml", boxXML(40, 30, [5]any{"horse", 2, 3, 20, 15})}))},
		member{"test/images/t1.jpg", jpegBytes(40, 30, 8)}, member{"test/images/t2.jpg", jpegBytes(40, 30, 9)},
		member{"test/masks/t1.png", grayMask(40, 30, 0, 255)}, member{"test/masks/t2.png", grayMask(40, 30, 255, 0)},
	)
	return Request{
		Dataset: "horseseg", Class: Horse(), VOC: []string{filepath.Join(dir, "VOCdevkit")},
		ImageNet: []string{filepath.Join(dir, "imagenet")}, Boxes: []string{filepath.Join(dir, "boxes")},
		Test: filepath.Join(dir, "test"), Options: Defaults(), Workers: 2, Version: "test",
	}
}

// ingestOf runs a request into a fresh store and checks what must hold for any result.
func ingestOf(t testing.TB, req Request) (*Result, *manifests.Store, error) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), req, store, nil)
	if err != nil {
		return res, store, err
	}
	for _, err := range res.Manifest.Validate() {
		t.Error(err)
	}
	other := 0
	for _, code := range pictureCodes {
		other += res.Other[code]
	}
	if res.Read != res.Kept+res.Dropped+other || res.Kept != len(res.Manifest.Records) {
		t.Errorf("read %d, kept %d (%d records), dropped %d, other %v: want the sum", res.Read, res.Kept, len(res.Manifest.Records), res.Dropped, res.Other)
	}
	for _, s := range res.Manifest.Skipped {
		if !slices.Contains(reasonCodes, s.Reason) {
			t.Errorf("%+v: the reason is not in Reasons", s)
		}
	}
	for _, r := range res.Manifest.Records {
		if _, err := store.Read(r.Image.Path, r.Image.SHA256); err != nil {
			t.Error(err)
		}
		for _, m := range r.Masks {
			if _, err := store.Read(m.Path, m.SHA256); err != nil {
				t.Error(err)
			}
		}
	}
	return res, store, nil
}

// pictureCodes are the codes of Result.Other that stand for pictures which were read.
var pictureCodes = []string{"other_class"}

// mustIngest is ingestOf for a request that must succeed.
func mustIngest(t testing.TB, req Request) (*Result, *manifests.Store) {
	t.Helper()
	res, store, err := ingestOf(t, req)
	if err != nil {
		t.Fatal(err)
	}
	return res, store
}

// record finds a record or fails.
func record(t testing.TB, res *Result, id string) manifests.Record {
	t.Helper()
	i := slices.IndexFunc(res.Manifest.Records, func(r manifests.Record) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("no record %s among %d", id, len(res.Manifest.Records))
	}
	return res.Manifest.Records[i]
}

// reasons counts a result's skips by "record reason".
func reasons(res *Result) []string {
	n := map[string]bool{}
	for _, s := range res.Manifest.Skipped {
		n[s.Record+" "+s.Reason] = true
	}
	return slices.Sorted(maps.Keys(n))
}

// maskOf reads a record's first mask.
func maskOf(t testing.TB, store *manifests.Store, r manifests.Record) *raster.Mask {
	t.Helper()
	data, err := store.Read(r.Masks[0].Path, r.Masks[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	m, err := raster.DecodeMask(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The hyponym closures of WordNet 3.0's horse n02374451 and dog n02084071 without instances: what ImageNet
// carries under these words. Zebras, donkeys, mules, wolves and wild dogs are not among them.
var (
	//go:embed synsets/horse.txt
	horseSynsets string
	//go:embed synsets/dog.txt
	dogSynsets string
)

// Horse returns HorseSeg's class: 88 synsets, VOC number 13.
func Horse() manifests.Class {
	return manifests.Class{Name: "horse", Synsets: strings.Fields(horseSynsets), VOC: 13}
}

// Dog returns DogSeg's class: 190 synsets, VOC number 12.
func Dog() manifests.Class {
	return manifests.Class{Name: "dog", Synsets: strings.Fields(dogSynsets), VOC: 12}
}

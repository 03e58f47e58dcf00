package export_test

import (
	"bytes"
	"hash/fnv"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// horseWorld is a store with pictures of every tier and split, void, boxes, several masks, an empty corner and EXIF tags 1 to 8.
func horseWorld(t testing.TB) (*manifests.Store, *manifests.Manifest) {
	t.Helper()
	s, err := manifests.OpenStore(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{
		Dataset: "horseseg", Class: manifests.Class{Name: "horse", Synsets: []string{"n02374451"}, VOC: 13}, Stage: "transfer", Tool: "hdseg", Version: "test",
	}}
	add := func(id string, split manifests.Split, tier manifests.Tier, tag, boxes int, tiers ...manifests.Tier) {
		m.Records = append(m.Records, drawn(t, s, id, split, tier, tag, boxes, tiers...))
	}
	add("2007_000033", manifests.Train, manifests.Manual, 1, 0, manifests.Manual)
	add("2008_000008", manifests.Train, manifests.Manual, 1, 2, manifests.Manual, "external:sam")
	add("n02374451_2", manifests.Train, manifests.BBox, 1, 1, manifests.BBox)
	add("n02374451_6", manifests.Train, manifests.BBox, 6, 2, manifests.BBox, manifests.Label)
	add("n02374451_8", manifests.Train, manifests.Label, 8, 0, manifests.Label)
	for tag := 2; tag <= 7; tag++ {
		add("n02381460_"+string(rune('0'+tag)), manifests.Train, manifests.BBox, tag, 1, manifests.BBox)
	}
	add("n02374451_70", manifests.Test, manifests.Manual, 1, 0, manifests.Manual)
	add("n02374451_71", manifests.Test, manifests.Manual, 1, 0, manifests.Manual)
	if _, err := manifests.Write(s, "horseseg", m); err != nil {
		t.Fatal(err)
	}
	return s, m
}

func drawn(t testing.TB, s *manifests.Store, id string, split manifests.Split, tier manifests.Tier, tag, boxes int, tiers ...manifests.Tier) manifests.Record {
	t.Helper()
	seed := fnv.New64a()
	seed.Write([]byte(id)) // never fails
	rng := rand.New(rand.NewPCG(uint64(tag), seed.Sum64()))
	w, h := 40+rng.IntN(30), 30+rng.IntN(20) // as stored
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i/7 + rng.IntN(40))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	if tag != 1 {
		exif := append([]byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(tag), 0, 0, 0, 0, 0, 0)
		data = slices.Concat(data[:2], exif, data[2:])
	}
	pic, info, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil || info.Orientation != tag {
		t.Fatal(err, info.Orientation)
	}
	pic = raster.Orient(pic, tag)
	r := manifests.Record{ID: id, Source: "imagenet", Split: split, Tier: tier, Image: manifests.Image{
		Pixels: manifests.Sum(pic.Pix), Width: pic.Width, Height: pic.Height, Format: "jpeg", Orientation: tag,
	}}
	if strings.HasPrefix(id, "n0") {
		r.Synset = id[:9]
	}
	if r.Image.Path, r.Image.SHA256, err = s.Put("images", id, "jpg", data); err != nil {
		t.Fatal(err)
	}
	for range boxes {
		x, y := rng.IntN(pic.Width-12), rng.IntN(pic.Height-12)
		r.Boxes = append(r.Boxes, manifests.Box{XMin: x, YMin: y, XMax: x + 6 + rng.IntN(6), YMax: y + 6 + rng.IntN(6)})
	}
	slices.SortFunc(r.Boxes, func(a, b manifests.Box) int { return a.YMin - b.YMin })
	for _, k := range tiers {
		mask := raster.NewMask(pic.Width, pic.Height)
		cx, cy := pic.Width/3+rng.IntN(8), pic.Height/3+rng.IntN(8)
		for y := range mask.Height {
			for x := range mask.Width {
				switch d := (x-cx)*(x-cx) + 2*(y-cy)*(y-cy); {
				case d < 120 || rng.IntN(60) == 0:
					mask.Set(x, y, raster.Figure)
				case d < 170 && k == manifests.Manual:
					mask.Set(x, y, raster.Void)
				}
			}
		}
		km := manifests.Mask{Tier: k, Provenance: manifests.Provenance{WasGeneratedBy: "test", Used: []manifests.Digest{r.Image.SHA256}, WasAttributedTo: "the test"}}
		_, km.Figure, km.Void = mask.Areas()
		if km.Path, km.SHA256, err = s.Put("masks/"+strings.ReplaceAll(string(k), ":", "-"), id, "png", raster.EncodeMaskPNG(mask)); err != nil {
			t.Fatal(err)
		}
		r.Masks = append(r.Masks, km)
	}
	return r
}

// foreign has a Python reader compare an export with the data set and returns what it counted, or skips when HDSEG_PYTHON names no
// interpreter that has the reader: .ci/run makes one.
func foreign(t testing.TB, module, layout, out, index string) string {
	t.Helper()
	p := os.Getenv("HDSEG_PYTHON")
	if p == "" || exec.Command(p, "-c", "import numpy, PIL, yaml, "+module).Run() != nil {
		t.Skipf("SKIPPED: set HDSEG_PYTHON to a Python with numpy, PIL, yaml and %s, such as the one that .ci/run makes", module)
	}
	got, err := exec.Command(p, filepath.Join("..", "..", ".ci", "readback_export.py"), layout, out, index).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	lines := strings.Split(strings.TrimSpace(string(got)), "\n")
	return lines[len(lines)-1]
}

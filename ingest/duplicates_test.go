package ingest

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// scene is a random picture of smooth patches, at any size.
func scene(seed uint64, w, h int) *raster.RGB {
	rng := rand.New(rand.NewPCG(seed, 1))
	small := raster.NewRGB(12, 12)
	for i := range small.Pix {
		small.Pix[i] = uint8(rng.IntN(256))
	}
	return raster.Resize(small, w, h)
}

func compressed(t testing.TB, m *raster.RGB, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m.Image(), &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture that was scaled and compressed again stays within the default limit, another picture stays far outside.
func TestNearHash(t *testing.T) {
	limit := nearBits
	for seed := range uint64(40) {
		a := hashNear(scene(seed, 400, 300))
		again, _, err := raster.Decode(compressed(t, raster.Resize(scene(seed, 400, 300), 171, 128), 40), raster.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if d := a.distance(hashNear(again)); d > limit {
			t.Errorf("seed %d: scaled and compressed: distance %d, want at most %d", seed, d, limit)
		}
		if d := a.distance(hashNear(scene(seed+100, 400, 300))); d < 3*limit {
			t.Errorf("seed %d: another picture: distance %d", seed, d)
		}
	}
	for _, size := range []image.Point{{1, 1}, {1, 50}, {50, 1}, {9, 9}, {8, 3}} {
		hashNear(raster.NewRGB(size.X, size.Y)) // tiny pictures have empty cells
	}
}

// A brighter left half sets the bit of the cells left of the middle; equal cells set none.
func TestNearHashBits(t *testing.T) {
	m := raster.NewRGB(90, 90)
	for y := range 90 {
		for x := range 40 { // columns of cells 0..3
			m.Set(x, y, 200, 200, 200)
		}
	}
	h := hashNear(m)
	var want uint64
	for y := range 8 {
		want |= 1 << (8*y + 3)
	}
	if h[0] != want || h[1] != 0 {
		t.Errorf("got %x, want %x and 0", h, want)
	}
}

// The index finds what a comparison with all finds.
func TestNearIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var x nearIndex
	for range 300 {
		x.add(nearHash{rng.Uint64(), rng.Uint64()})
	}
	found := 0
	for range 3000 {
		q := x.hashes[rng.IntN(300)]
		for range rng.IntN(20) {
			q[rng.IntN(2)] ^= 1 << rng.IntN(64)
		}
		best, at := 13, -1
		for i, h := range x.hashes {
			if d := h.distance(q); d < best {
				best, at = d, i
			}
		}
		if i, d := x.nearest(q, 12); i != at || i >= 0 && d != best {
			t.Fatalf("got %d at %d, want %d at %d", d, i, best, at)
		}
		if at >= 0 {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d queries had a neighbour", found)
	}
}

// Equal and near pictures are found across sources and splits, and noted on the training record.
func TestDuplicates(t *testing.T) {
	req := world(t)
	req.VOC = nil
	a, b := scene(1, 200, 150), scene(2, 200, 150)
	req.ImageNet = []string{plant(t, t.TempDir(),
		member{"n02374451_1.JPEG", compressed(t, raster.Resize(a, 120, 90), 60)}, // near t1
		member{"n02374451_2.PNG", raster.EncodePNG(b)},
		member{"n02374451_3.PNG", append(raster.EncodePNG(b), 0)}, // the same pixels
		member{"n02374451_4.JPEG", compressed(t, scene(3, 200, 150), 80)})}
	plant(t, req.Test, member{"images/t1.jpg", compressed(t, a, 90)}, member{"masks/t1.png", grayMask(200, 150, 0, 255)})
	res, _ := mustIngest(t, req)
	if len(res.Duplicates) != 2 {
		t.Fatalf("got %v, want two", res.Duplicates)
	}
	if d := res.Duplicates[0]; d.Record != "train/n02374451_1" || d.Of != "test/t1" || d.Distance < 0 {
		t.Errorf("got %+v", d)
	}
	if d := res.Duplicates[1]; d != (Duplicate{"train/n02374451_3", "train/n02374451_2", -1}) {
		t.Errorf("got %+v", d)
	}
	for id, note := range map[string]string{"n02374451_1": "near_duplicate_of:test/t1", "n02374451_3": "duplicate_of:train/n02374451_2"} {
		if r := record(t, res, id); !slices.Contains(r.Image.Notes, note) {
			t.Errorf("%s: got notes %v, want %s", id, r.Image.Notes, note)
		}
	}
	if res.Warnings["near_duplicate"] != 1 || res.Warnings["duplicate"] != 1 {
		t.Errorf("got %v", res.Warnings)
	}
	// Neither is a reason for split to remove anything but equal pixels in the test split.
	p, err := Split(res.Manifest, SplitOptions{Strict: true})
	if err != nil || len(p.Overlaps) != 0 || len(p.Manifest.Records) != len(res.Manifest.Records) {
		t.Errorf("split: got %+v, %v", p, err)
	}
}

// The dogs of the shared VOC2007 are in VOC2012 too, under other names and compressed again; nothing else there is alike.
func TestNearReal(t *testing.T) {
	dir := dataDir(t)
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("SKIPPED: about 3 s of CPU: set HDSEG_LONG=1")
	}
	req := Request{Dataset: "dogseg", Class: Dog(), VOC: []string{dir + "/VOCdevkit/VOC2012", dir + "/VOCdevkit/VOC2007"}, Options: Defaults(), Workers: 2, Version: "test"}
	res, _ := mustIngest(t, req)
	var got []string
	for _, d := range res.Duplicates {
		got = append(got, d.Record+" "+d.Of)
	}
	if want := []string{"train/2007_000063 train/000063", "train/2007_000720 train/000720"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

package dense

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/dense/arraytest"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/network"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), "no array lies there") {
		t.Errorf("an empty folder: got %v", err)
	}
	put("a.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{1, 2}))
	put("more/b.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{3, 4}))
	put("wide.npy", arraytest.NPY("<f4", "False", "1, 1, 3", []float32{3, 4, 5}))
	d, err := Open(dir, "us")
	if err != nil || d.Channels != 2 || d.By != "us" {
		t.Fatalf("got %+v, %v", d, err)
	}
	pictures := &manifests.Manifest{Records: []manifests.Record{{ID: "a"}, {ID: "more/b"}, {ID: "none"}}}
	sign := func(d *feature.Dense) string {
		t.Helper()
		if err := Sign(context.Background(), d, pictures, 2); err != nil {
			t.Fatal(err)
		}
		return d.Digest
	}
	before := sign(d)
	if err := os.Symlink(dir, dir+"-link"); err == nil { // else the system has no links
		if again, err := Open(dir+"-link", "us"); err != nil || sign(again) != before {
			t.Errorf("a link to the folder: got %+v, %v, want the digest %s", again, err, before)
		}
	}
	if a, err := Read(d, "more/b", raster.NewRGB(9, 9)); err != nil || a.Values[1] != 4 {
		t.Errorf("got %+v, %v", a, err)
	}
	for id, want := range map[string]string{"c": "no such file: want an array for every picture", "wide": "got 3 channels, want 2"} {
		if _, err := Read(d, id, raster.NewRGB(9, 9)); err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(*SkipError)) {
			t.Errorf("%s: got %v, want %q", id, err, want)
		}
	}
	if _, err := Read(&feature.Dense{Channels: 2, By: "us"}, "a", raster.NewRGB(9, 9)); err == nil || !strings.Contains(err.Error(), "(2 channels, made by us): name their folder with --dense") {
		t.Errorf("without a folder: got %v", err)
	}
	put("tall.npy", arraytest.NPY("<f4", "False", "3, 1, 2", make([]float32, 6)))
	if _, err := Read(d, "tall", raster.NewRGB(300, 400)); err != nil {
		t.Errorf("a tall picture: %v", err)
	}
	if _, err := Read(d, "tall", raster.NewRGB(400, 300)); err == nil || !strings.Contains(err.Error(), "tall.npy: got a grid of 1 x 3 cells (width x height) for a picture of 400 x 300") {
		t.Errorf("a wide picture: got %v", err)
	}
	put("first.npy", arraytest.NPY("<f4", "False", "48, 4, 2", make([]float32, 48*8)))
	if _, err := Read(d, "first", raster.NewRGB(300, 400)); err == nil || !strings.Contains(err.Error(), "want height x width x channels of the upright picture") {
		t.Errorf("channels first: got %v", err)
	}
	if err := errors.Join(Some(d, []string{"none", "tall"}), Some(d, nil), Some(nil, []string{"none"})); err != nil {
		t.Errorf("tall is there: %v", err)
	}
	if err := Some(d, []string{"none"}); err == nil || !strings.Contains(err.Error(), "none of 1 pictures") {
		t.Errorf("none is not there: got %v", err)
	}
	if sign(d) != before {
		t.Error("arrays of other pictures, another digest")
	}
	put("a.npy", arraytest.NPY("<f4", "False", "1, 1, 2", []float32{1, 2.5}))
	if sign(d) == before {
		t.Error("another value, the same digest")
	}
	if err := Sign(context.Background(), nil, pictures, 1); err != nil {
		t.Error(err)
	}
}

// The built-in network needs no files, and stands before the channels of a folder, on the finer of
// the two grids.
func TestBuiltIn(t *testing.T) {
	im := raster.NewRGB(64, 64) // 6 x 6 cells of the network
	for i := range im.Pix {
		im.Pix[i] = uint8(i * i / 7)
	}
	alone, err := Open("lite0", "")
	if err != nil {
		t.Fatal(err)
	}
	if Folder(alone) || alone.Channels != network.Channels || alone.Digest != network.Digest() || Check(alone) != nil ||
		len(Missing(alone, []string{"a"})) > 0 || Some(alone, []string{"a"}) != nil || Sum(alone, "a") != "" {
		t.Errorf("the network alone wants files: %+v", alone)
	}
	if err := Sign(context.Background(), alone, &manifests.Manifest{Records: []manifests.Record{{ID: "a"}}}, 1); err != nil || alone.Digest != network.Digest() {
		t.Errorf("got the digest %s, %v", alone.Digest, err)
	}
	if _, err := Open("lite0+", ""); err == nil || !strings.Contains(err.Error(), "names no folder") {
		t.Errorf("no folder after the plus sign: got %v", err)
	}
	for want, d := range map[string]feature.Dense{
		`432 channels of the network "lite9"`: {Network: "lite9", Channels: 432}, `431 channels of the network "lite0"`: {Network: "lite0", Channels: 431},
		"another version of the network lite0": {Network: "lite0", Channels: 432, Digest: "00"}} {
		if _, err := Read(&d, "a", im); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	own, err := Read(alone, "a", im)
	if err != nil || own.Width != 16 || own.Height != 16 {
		t.Fatalf("got %d x %d, %v", own.Width, own.Height, err)
	}
	for _, side := range []int{2, 20} {
		want, dir := max(side, 16), t.TempDir()
		file := arraytest.NPY("<f4", "False", fmt.Sprintf("%d, %d, 1", side, side), make([]float32, side*side))
		if err := os.WriteFile(filepath.Join(dir, "a.npy"), file, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Open("lite0+"+dir, "us")
		if err != nil {
			t.Fatal(err)
		}
		a, err := Read(d, "a", im)
		if err != nil || !Folder(d) || a.Width != want || a.Height != want || a.Channels != d.Channels {
			t.Fatalf("%d cells beside 6: got %d x %d cells of %d, %v", side, a.Width, a.Height, a.Channels, err)
		}
		if want == 6 && !slices.Equal(a.Values[:network.Channels], own.Values[:network.Channels]) {
			t.Error("a coarse array beside the network changes what that says")
		}
		d.Dir = ""
		if err := Check(d); err == nil || !strings.Contains(err.Error(), "(1 channels, made by us)") {
			t.Errorf("without its folder: got %v", err)
		}
	}
}

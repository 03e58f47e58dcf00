package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// Two pictures in the layout of gtsegs_ijcv.mat, written by h5py (.ci/readback_ingest.py): n01440764_0 and _1, 3 planes of 4 x 5, byte
// number i of picture k has the value i+k; pixel i of mask k is figure where i%3 == k; all in column order.
func TestSegments(t *testing.T) {
	for _, v := range []string{"earliest", "latest", "matlab"} {
		file := filepath.Join("..", "manifests", "format", "hdf5", "testdata", v+".h5")
		req := Request{Dataset: "x", Class: manifests.Class{Name: "tench", Synsets: []string{"n01440764"}}, Segments: []string{file}, Options: Defaults(), Workers: 2, Version: "test"}
		res := wantSkips(t, req)
		_, store := mustIngest(t, req)
		for k, id := range []string{"n01440764_0", "n01440764_1"} {
			r := record(t, res, id)
			if r.Image.Width != 4 || r.Image.Height != 5 || r.Image.Notes[0] != "reencoded" || r.Tier != manifests.Manual {
				t.Errorf("%s: got %+v", id, r)
			}
			data, err := store.Read(r.Image.Path, r.Image.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			img, _, err := raster.Decode(data, raster.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			m := maskOf(t, store, r)
			for y := range 5 {
				for x := range 4 {
					i := 5*x + y
					rr, g, b := img.At(x, y)
					want := uint8(0)
					if i%3 == k {
						want = 1
					}
					if int(rr) != i+k || int(g) != 20+i+k || int(b) != 40+i+k || m.At(x, y) != want {
						t.Errorf("%s (%d, %d): got %d,%d,%d mask %d, want %d,.. mask %d", id, x, y, rr, g, b, m.At(x, y), i+k, want)
					}
				}
			}
		}
		req.Class.Synsets = []string{"n02374451"}
		if res = wantSkips(t, req); res.Other["other_synset"] != 2 {
			t.Errorf("got %v", res.Other)
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "manifests", "format", "hdf5", "testdata", "earliest.h5"))
	if err != nil {
		t.Fatal(err)
	}
	old := Request{Dataset: "x", Class: Horse(), Segments: []string{archiveFile(t, "old.mat", []byte("MATLAB 5.0 MAT-file, Platform: GLNXA64"))}, Options: Defaults(), Workers: 1, Version: "test"}
	if _, _, err := ingestOf(t, old); err == nil || !strings.Contains(err.Error(), "want 7.3") {
		t.Errorf("got %v", err)
	}
	bad := archiveFile(t, "bad.mat", bytes.ReplaceAll(data, []byte("value\x00"), []byte("other\x00")))
	req := Request{Dataset: "x", Class: Horse(), Segments: []string{bad}, Options: Defaults(), Workers: 1, Version: "test"}
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "bad.mat") {
		t.Errorf("got %v", err)
	}
}

// FuzzSegments reads any bytes as ImageNet-Segmentation's file, pictures and masks too: no panic, and what is accepted fits together.
func FuzzSegments(f *testing.F) {
	for _, v := range []string{"small-earliest", "small-latest"} {
		data, err := os.ReadFile(filepath.Join("..", "manifests", "format", "hdf5", "testdata", v+".h5"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	opts := Defaults()
	opts.Limits = raster.Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.mat")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		req := Request{Class: manifests.Class{Name: "tench", Synsets: []string{"n01440764"}}, Options: opts}
		l := newLister(context.Background(), &req, nil)
		if err := l.listSegments(file); err != nil {
			return
		}
		for _, task := range l.tasks[:min(len(l.tasks), 10)] {
			if data, err := task.image.read(opts.Limits.MaxBytes); err == nil {
				if _, _, err := raster.Decode(data, raster.DefaultLimits()); err != nil {
					t.Errorf("%s: %v", task.id, err)
				}
			}
			layers, err := task.layers(&opts)
			if err == nil && (len(layers) != 1 || len(layers[0].mask.Pix) != layers[0].mask.Width*layers[0].mask.Height) {
				t.Errorf("%s: got %d layers", task.id, len(layers))
			}
		}
	})
}

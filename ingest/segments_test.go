package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/format/hdf5"
	"hdseg/manifests/raster"
)

// Two pictures in the layout of gtsegs_ijcv.mat, written by h5py (.ci/readback_ingest.py): n01440764_0 and _1, 3 planes of 4 x 5, byte
// number i of picture k has the value i+k; pixel i of mask k is figure where i%3 == k; all in column order.
func TestSegments(t *testing.T) {
	for _, v := range []string{"earliest", "matlab"} {
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
}

// grayMAT is a file of testdata in which the first picture is its own mask, that is without colors: the reference to it is another.
func grayMAT(t testing.TB, name string) []byte {
	t.Helper()
	file := filepath.Join("..", "manifests", "format", "hdf5", "testdata", name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	err = withHDF5(file, raster.DefaultLimits(), func(f *hdf5.File) error {
		first := func(path string) hdf5.Ref {
			d, err := f.Dataset(path)
			if err != nil {
				t.Fatal(err)
			}
			refs, err := d.Refs()
			if err != nil {
				t.Fatal(err)
			}
			return refs[0]
		}
		cell, err := f.Deref(first("value/gt"))
		if err != nil {
			return err
		}
		mask, err := cell.Refs()
		if err != nil {
			return err
		}
		from, to := make([]byte, 8), make([]byte, 8)
		binary.LittleEndian.PutUint64(from, uint64(first("value/img")))
		binary.LittleEndian.PutUint64(to, uint64(mask[0]))
		data = bytes.ReplaceAll(data, from, to)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A picture of height x width has one plane for all colors; the other one of the file has three.
func TestSegmentsGray(t *testing.T) {
	req := segmentsOf(archiveFile(t, "gray.mat", grayMAT(t, "earliest.h5")))
	res, store := mustIngest(t, req)
	r := record(t, res, "n01440764_0")
	data, err := store.Read(r.Image.Path, r.Image.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil || img.Width != 4 || img.Height != 5 || res.Kept != 2 {
		t.Fatalf("got %+v, %v, kept %d", img, err, res.Kept)
	}
	for y := range 5 {
		for x := range 4 {
			want := uint8(0) // of TestSegments' mask 0
			if (5*x+y)%3 == 0 {
				want = 1
			}
			if a, b, c := img.At(x, y); a != want || b != want || c != want {
				t.Errorf("(%d, %d): got %d,%d,%d, want %d", x, y, a, b, c, want)
			}
		}
	}
}

func segmentsOf(file string) Request {
	return Request{Dataset: "x", Class: manifests.Class{Name: "tench", Synsets: []string{"n01440764"}}, Segments: []string{file}, Options: Defaults(), Workers: 1, Version: "test"}
}

// What is no gtsegs_ijcv.mat is refused with what it is and what to do.
func TestSegmentsForeign(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "manifests", "format", "hdf5", "testdata", "earliest.h5"))
	if err != nil {
		t.Fatal(err)
	}
	header := "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024 HDF5 schema 1.00 ."
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"v5":       {[]byte("MATLAB 5.0 MAT-file, Platform: GLNXA64"), "got a MAT-file of version 5 (which is also what 6 and 7 write), want 7.3: in MATLAB, load it and save(..., '-v7.3')"},
		"cut":      {[]byte(header), "got a MAT-file of version 7.3 that is damaged or cut short"},
		"tar":      {tarOf(member{"gtsegs_ijcv.mat", data}), "got an archive, want the .mat file itself: unpack it"},
		"zip":      {[]byte("PK\x03\x04 and more"), "got an archive, want the .mat file itself: unpack it"},
		"text":     {[]byte("hello"), "got no MAT-file, want gtsegs_ijcv.mat"},
		"empty":    {nil, "got no MAT-file, want gtsegs_ijcv.mat"},
		"variable": {bytes.ReplaceAll(data, []byte("value\x00"), []byte("other\x00")), "value/id: not found; want the variable value of gtsegs_ijcv.mat with id, img and gt, got #refs#, annotation_file_"},
		"field":    {bytes.ReplaceAll(data, []byte("img\x00"), []byte("pic\x00")), "value/img: not found; want the variable value of gtsegs_ijcv.mat with id, img and gt, got gt, id, pic"},
	} {
		if _, _, err := ingestOf(t, segmentsOf(archiveFile(t, "s.mat", c.data))); err == nil || !strings.Contains(err.Error(), "s.mat: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
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
	f.Add(grayMAT(f, "small-earliest.h5"))
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

package ingest

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/format/hdf5"
	"hdseg/manifests/raster"
)

// listSegments lists the pictures of ImageNet-Segmentation (Guillaumin, Kuettel & Ferrari, IJCV
// 2014), gtsegs_ijcv.mat: a MATLAB 7.3 file, that is HDF5, in which value/id, value/img and
// value/gt refer to names, pictures and cells with a mask. Pictures are pixels: they are stored as
// PNG and noted as reencoded. Arrays go down the columns: (3, width, height), or (width, height)
// for grey.
func (l *lister) listSegments(file string) error {
	origin := filepath.Base(file)
	fail := func(err error) error { return fmt.Errorf("ingest: %s: %w", l.from, err) }
	var ids []string
	refs := map[string][]hdf5.Ref{}
	err := withHDF5(file, l.opts.Limits, func(f *hdf5.File) error {
		for _, field := range []string{"id", "img", "gt"} {
			d, err := f.Dataset("value/" + field)
			if err != nil {
				return foreignMAT(f, err)
			}
			if refs[field], err = d.Refs(); err != nil {
				return fmt.Errorf("value/%s: %w", field, err)
			}
		}
		for i, r := range refs["id"] {
			s, err := matlabText(f, r)
			if err != nil {
				return fmt.Errorf("value/id %d: %w", i, err)
			}
			ids = append(ids, s)
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	if len(ids) != len(refs["img"]) || len(ids) != len(refs["gt"]) {
		return fail(fmt.Errorf("got %d ids, %d pictures and %d masks", len(ids), len(refs["img"]), len(refs["gt"])))
	}
	for i, id := range ids {
		synset, where := idSynset(id), origin+"!"+id
		switch {
		case synset == "":
			l.drop(where, "bad_name", "want wnid_number")
			continue
		case l.synsets[synset] == "":
			l.Other["other_synset"]++
			continue
		}
		image, mask := refs["img"][i], refs["gt"][i]
		t := task{id: id, source: "imagenet-segmentation", synset: synset, split: manifests.Train, reencoded: true}
		t.image = entry{name: id + ".png", origin: where, load: func(limit int64) ([]byte, error) {
			var data []byte
			err := withHDF5(file, l.opts.Limits, func(f *hdf5.File) error {
				p, shape, err := matlabBytes(f, image, true)
				if err == nil {
					data = raster.EncodePNG(fromColumns(p, shape))
				}
				return err
			})
			return data, err
		}}
		t.layers = func(opts *Options) ([]layer, error) {
			var out layer
			err := withHDF5(file, opts.Limits, func(f *hdf5.File) error {
				cell, err := f.Deref(mask)
				if err != nil {
					return err
				}
				inner, err := cell.Refs()
				if err != nil || len(inner) != 1 {
					return fmt.Errorf("cell: got %d masks (%v), want 1", len(inner), err)
				}
				p, shape, err := matlabBytes(f, inner[0], false)
				if err != nil {
					return err
				}
				indexed := &format.Indexed{Pix: transposed(p, shape[0], shape[1]), Width: shape[0], Height: shape[1]}
				out = layer{origin: where, tier: manifests.Manual, by: "ImageNet-Segmentation annotators",
					used: []manifests.Digest{manifests.Sum(p)}}
				values, err := indexed.Guess()
				if err == nil {
					out.mask, err = indexed.Binary(values)
				}
				return err
			})
			if err != nil {
				return nil, &layerFault{"corrupt_mask", where, err}
			}
			return []layer{out}, nil
		}
		l.tasks = append(l.tasks, &t)
	}
	return nil
}

// transposed turns pixels that go down the columns into rows.
func transposed(p []byte, width, height int) []uint8 {
	out := make([]uint8, width*height)
	for x := range width {
		for y, v := range p[x*height : (x+1)*height] {
			out[y*width+x] = v
		}
	}
	return out
}

// fromColumns assembles a picture from three planes that go down the columns, or one that stands
// for all.
func fromColumns(p []byte, shape []int) *raster.RGB {
	width, height := shape[len(shape)-2], shape[len(shape)-1]
	m := raster.NewRGB(width, height)
	for c := range 3 {
		plane := p
		if len(shape) == 3 {
			plane = p[c*width*height : (c+1)*width*height]
		}
		for i, v := range transposed(plane, width, height) {
			m.Pix[3*i+c] = v
		}
	}
	return m
}

// withHDF5 opens a file for one use: the reader is not safe for several goroutines, and opening it
// costs a read or two.
func withHDF5(file string, lim raster.Limits, use func(*hdf5.File) error) error {
	r, head, err := openSource(file, "a .mat file", "got an archive, want the .mat file itself: unpack it")
	if err != nil {
		return err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return pathless(err)
	}
	f, err := hdf5.Open(r, st.Size())
	if err != nil {
		return fmt.Errorf("got %s: %w", notMAT73(head), err)
	}
	f.MaxRead = min(lim.MaxBytes, 3*lim.MaxPixels)
	return use(f)
}

// matlabText reads a MATLAB string, an array of UTF-16 units.
func matlabText(f *hdf5.File, r hdf5.Ref) (string, error) {
	d, err := f.Deref(r)
	if err != nil {
		return "", err
	}
	v, err := d.Ints()
	if err != nil {
		return "", err
	}
	units := make([]uint16, len(v))
	for i, u := range v {
		units[i] = uint16(u)
	}
	return string(utf16.Decode(units)), nil
}

// matlabBytes reads an array of bytes, no side of it 0: two sides, for pictures also three planes
// of them.
func matlabBytes(f *hdf5.File, r hdf5.Ref, picture bool) ([]byte, []int, error) {
	d, err := f.Deref(r)
	if err != nil {
		return nil, nil, err
	}
	planes := picture && len(d.Shape) == 3 && d.Shape[0] == 3
	if d.Len() == 0 || len(d.Shape) != 2 && !planes {
		shape := slices.Clone(d.Shape) // MATLAB's order
		slices.Reverse(shape)
		want := "height x width"
		if picture {
			want += ", or height x width x 3"
		}
		return nil, nil, fmt.Errorf("size: got %v, want %s", shape, want)
	}
	b, err := d.Bytes()
	if err == nil && len(b) != d.Len() {
		err = errors.New("got fewer bytes than the shape says")
	}
	return b, d.Shape, err
}

// notMAT73 says what a file is by its first 512 bytes that cannot be read as a MAT-file of version
// 7.3, and what to do about it.
func notMAT73(head []byte) string {
	switch {
	case strings.HasPrefix(string(head), "MATLAB 5.0"):
		return "a MAT-file of version 5 (which is also what 6 and 7 write), want 7.3: in MATLAB, load it and save(..., '-v7.3')"
	case strings.HasPrefix(string(head), "MATLAB 7.3"):
		return "a MAT-file of version 7.3 that is damaged or cut short: its header is there, the HDF5 after it is not"
	}
	return "no MAT-file, want gtsegs_ijcv.mat of ImageNet-Segmentation (MATLAB 7.3, that is HDF5)"
}

// foreignMAT is the error of a file in which what is looked for is not: it says what the file has.
func foreignMAT(f *hdf5.File, err error) error {
	if !errors.Is(err, hdf5.ErrNotFound) {
		return err
	}
	names, e := f.List("value")
	if e != nil {
		names, e = f.List("")
	}
	if e != nil {
		return err
	}
	return fmt.Errorf("%w; want the variable value of gtsegs_ijcv.mat with id, img and gt, got %s", err, format.Some(names, 6))
}

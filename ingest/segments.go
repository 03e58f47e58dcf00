package ingest

import (
	"fmt"
	"path/filepath"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/format/hdf5"
	"hdseg/manifests/raster"
)

// listSegments lists the pictures of ImageNet-Segmentation (Guillaumin, Kuettel & Ferrari, IJCV 2014), gtsegs_ijcv.mat: a MATLAB 7.3
// file, that is HDF5, in which value/id, value/img and value/gt refer to names, pictures and cells with a mask. Pictures are
// there as pixels, so that they are stored as PNG and noted as reencoded. MATLAB's arrays go down the columns: an
// HDF5 shape of (3, width, height), or (width, height) for a picture without colors.
func (l *lister) listSegments(file string) error {
	origin := filepath.Base(file)
	fail := func(err error) error { return fmt.Errorf("ingest: %s: %w", origin, err) }
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
		m := imageNetName.FindStringSubmatch(id + ".x")
		where := fmt.Sprintf("%s!%s", origin, id)
		switch {
		case m == nil:
			l.add(task{id: where}, "bad_name", "want wnid_number")
			continue
		case l.synsets[m[1]] == "":
			l.other["other_synset"]++
			continue
		}
		image, mask := refs["img"][i], refs["gt"][i]
		t := task{id: id, source: "imagenet-segmentation", synset: m[1], split: manifests.Train, reencoded: true}
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
				out = layer{origin: where, tier: manifests.Manual, by: "ImageNet-Segmentation annotators", used: []manifests.Digest{manifests.Sum(p)}}
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

// fromColumns assembles a picture from three planes that go down the columns, or one that stands for all.
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
